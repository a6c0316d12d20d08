// The delivery log of a space: what is loaded of it.
//
// - Messages are ordered from the newest to the oldest, each once, whatever pages they came with.
// - The log has ids of files. Their names are requested once for each page of messages.

import { signal } from "@preact/signals";
import { getWebhookDelivery, listFiles, listWebhookDeliveries, type WebhookMessage } from "larder/api";

import { bodyOf, client, dataOf } from "../../api.ts";

/** A message, with its body if its details were requested. */
export type LoggedMessage = WebhookMessage & { payload?: string };
export type Log = ReturnType<typeof createLog>;

const PAGE_LIMIT = 50;
const NAMES_LIMIT = 100;
/** Files are created shortly before their messages. */
const MARGIN_MS = 1000;

/** Creates the empty log of a space. */
export function createLog(id: string) {
  const messages = signal<readonly LoggedMessage[]>([]);
  const names = signal<ReadonlyMap<string, string>>(new Map());
  /** Cursor of the older messages. Null if there are none, undefined before the first page. */
  const cursor = signal<string | null | undefined>(undefined);

  function merge(changed: readonly LoggedMessage[]): void {
    const known = new Map(messages.value.map((message) => [message.id, message]));
    for (const message of changed) known.set(message.id, { ...known.get(message.id), ...message });
    messages.value = [...known.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
  }

  async function list(after?: string) {
    const query = { limit: PAGE_LIMIT, ...(after && { cursor: after }) };
    const page = await bodyOf(listWebhookDeliveries({ client, path: { id }, query, throwOnError: true }));
    await loadNames(page.data);
    return page;
  }

  /** Requests the names of the files around the newest message of a page. Names only help: a failure is no error. */
  async function loadNames(page: readonly WebhookMessage[]): Promise<void> {
    const newest = page.find((message) => !names.value.has(message.file_id));
    if (!newest) return;
    const created_to = new Date(Date.parse(newest.created_at) + MARGIN_MS).toISOString();
    const query = { space_id: id, limit: NAMES_LIMIT, created_to, fields: "original_name" };
    const files = await bodyOf(listFiles({ client, query, throwOnError: true })).catch(() => null);
    if (!files) return;

    const found = files.data.map((file): [string, string] => [file.id, file.original_name]);
    // Files that are not found were deleted, or are older than the list: they are not requested again.
    const missing = page.map((message): [string, string] => [message.file_id, ""]);
    names.value = new Map([...missing, ...names.value, ...found]);
  }

  /** Loads the newest messages. Begins again if they do not reach the known ones. */
  async function refresh(): Promise<void> {
    const page = await list();
    const known = new Set(messages.value.map((message) => message.id));
    const isConnected = page.data.some((message) => known.has(message.id));
    if (!isConnected) {
      messages.value = [];
      cursor.value = page.next_cursor;
    }
    merge(page.data);
  }

  /** Loads the messages before the oldest known one. */
  async function more(): Promise<void> {
    if (!cursor.value) return;
    const page = await list(cursor.value);
    merge(page.data);
    cursor.value = page.next_cursor;
  }

  /** Loads a message with its body. */
  async function refreshOne(deliveryId: string): Promise<void> {
    merge([await dataOf(getWebhookDelivery({ client, path: { id, deliveryId }, throwOnError: true }))]);
  }

  return { id, messages, names, cursor, refresh, more, refreshOne };
}
