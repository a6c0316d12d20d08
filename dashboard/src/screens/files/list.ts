// The list of files of one set of filters, as far as it is loaded.
//
// - Pages have the order of the service. A new file is put where that order has it.
// - A file is in it once. It is kept in reduced form, so that 100,000 fit.
// - `items` changes in place, and `version` with it: nothing is copied while pages arrive.
// - Files in processing are loaded again until they are complete, a bounded number of times.

import { signal } from "@preact/signals";
import { LarderError, url } from "larder";
import { listFiles, pages, type FileRecord } from "larder/api";

import { bodyOf, client, errorOf } from "../../api.ts";
import { currentUrl } from "../file/replaced.ts";
import { matches, parametersOf, type Filters, type ListQuery } from "./filters.ts";

export interface Item {
  id: string;
  name: string;
  extension: string;
  size: number;
  createdAt: string;
  tags: readonly string[];
  /** Delivery URL, signed if it has to be. Null while the file is pending. */
  url: string | null;
  /** URL of a small image. Empty if there is none. */
  thumbnail: string;
  /** Blurred image for the time until the thumbnail is loaded. */
  blurhash: string;
  /** `pending`: without bytes yet. `processing`, `failed`: of the work after the upload. Empty: complete. */
  state: "pending" | "processing" | "failed" | "";
  /** Why delivery asks for a signature or a key. Empty: it does not. */
  protection: "private" | "authenticated" | "protected" | "";
  /** Time until which the trash keeps the file. Null: it is not there. */
  purgeAt: string | null;
}

const PAGE_LIMIT = 100;
const SIGN_MINUTES = 60;
const FIELDS =
  "original_name,extension,size,resource_type,created_at,tags,url,thumbnails,storage_meta,status,processing,type," +
  "access_control,purge_at";
/** Length of the longer side of a thumbnail that fills a cell. */
const THUMBNAIL_PX = 320;
/** Maximum number of files that are selected without being loaded. */
export const MAX_SELECTED = 10_000;
const POLL_MS = 3000;
const MAX_POLLS = 60;

/** Returns the reduced form of a file. */
function itemOf(file: FileRecord): Item {
  const { storage_meta: meta, status, processing } = file;
  const isProcessing = processing.status === "pending" && status !== "trashed" && "processing";
  const isFailed = processing.status === "failed" && "failed";
  const ofType = file.type === "upload" ? "" : file.type;
  return {
    id: file.id,
    name: file.original_name,
    extension: file.extension,
    size: file.size,
    createdAt: file.created_at,
    tags: file.tags,
    url: file.url,
    thumbnail: thumbnailOf(file),
    blurhash: meta.has_alpha ? "" : (meta.blurhash ?? ""),
    state: status === "pending" ? "pending" : isProcessing || isFailed || "",
    protection: ofType || (file.access_control.requires_auth ? "protected" : ""),
    purgeAt: file.purge_at,
  };
}

function thumbnailOf({ id, thumbnails, url: address, resource_type, access_control }: FileRecord): string {
  // Nothing is delivered of a pending or trashed file.
  if (!address) return "";
  const fits = thumbnails.find(({ width, height }) => Math.max(width, height) >= THUMBNAIL_PX) ?? thumbnails.at(-1);
  if (fits) return currentUrl(id, fits.url);
  const canTransform = resource_type === "image" && !access_control.requires_auth;
  return canTransform ? currentUrl(id, url(address, { width: THUMBNAIL_PX, height: THUMBNAIL_PX })) : "";
}

export class FileList {
  readonly items: Item[] = [];
  readonly version = signal(0);
  readonly isComplete = signal(false);
  readonly error = signal<LarderError | null>(null);

  readonly #spaceId: string;
  readonly #filters: Filters;
  readonly #ids = new Set<string>();
  readonly #controller = new AbortController();
  #cursor: string | null = null;
  #isLoading = false;
  #timer = 0;
  #polls = 0;

  constructor(spaceId: string, filters: Filters) {
    this.#spaceId = spaceId;
    this.#filters = filters;
  }

  /** Ends all requests. */
  stop(): void {
    this.#controller.abort();
    clearTimeout(this.#timer);
  }

  /** Loads the next page, unless that is being done or there is none. */
  async more(): Promise<void> {
    if (this.#isLoading || this.isComplete.value) return;
    this.#isLoading = true;
    this.error.value = null;
    try {
      const page = await this.#page({ ...parametersOf(this.#filters), fields: FIELDS }, this.#cursor);
      const added = page.data.filter(({ id }) => !this.#ids.has(id)).map(itemOf);
      for (const item of added) this.#ids.add(item.id);
      this.items.push(...added);
      this.#cursor = page.next_cursor;
      this.isComplete.value = page.next_cursor === null;
      this.#changed();
    } catch (cause) {
      if (!this.#controller.signal.aborted) this.error.value = errorOf(cause);
    }
    this.#isLoading = false;
  }

  #page(query: ListQuery, cursor?: string | null) {
    const all = { space_id: this.#spaceId, limit: PAGE_LIMIT, sign_minutes: SIGN_MINUTES, ...query };
    const { signal } = this.#controller;
    return bodyOf(listFiles({ client, query: { ...all, ...(cursor && { cursor }) }, signal, throwOnError: true }));
  }

  /** Returns names by id of all files of the list, loaded or not, up to `MAX_SELECTED`. */
  async names(): Promise<Map<string, string>> {
    const query = { ...parametersOf(this.#filters), fields: "original_name" };
    const names = new Map<string, string>();
    for await (const { id, original_name } of pages((cursor) => this.#page(query, cursor))) {
      names.set(id, original_name);
      if (names.size === MAX_SELECTED) break;
    }
    return names;
  }

  /** Replaces a file that has changed, or adds a new one. Returns the index of a new one that is shown, else -1. */
  put(file: FileRecord): number {
    if (file.space_id !== this.#spaceId) return -1;
    const isKnown = this.#ids.has(file.id);
    if (!matches(this.#filters, file)) {
      if (isKnown) this.remove(new Set([file.id]));
      return -1;
    }
    const item = itemOf(file);
    const index = isKnown ? -1 : this.#placeOf(item);
    if (isKnown) this.#replace([item]);
    // A later page has it.
    else if (index < 0) return -1;
    else this.items.splice(index, 0, item);
    this.#ids.add(file.id);
    this.#polls = 0;
    this.#changed();

    // A record outside of the list has no signed URLs.
    if (item.protection && item.thumbnail) void this.#refresh(file.created_at);
    return index;
  }

  /** Returns where a new file belongs, or -1 if that is after what is loaded. */
  #placeOf({ name }: Item): number {
    const { search, order } = this.#filters;
    if (!search && order !== "asc") return 0;
    const lower = name.toLowerCase();
    const place = search ? this.items.findIndex((other) => other.name.toLowerCase() > lower) : -1;
    return place < 0 && this.isComplete.value ? this.items.length : place;
  }

  remove(ids: { has: (id: string) => boolean }): void {
    const kept = this.items.filter(({ id }) => !ids.has(id));
    this.items.splice(0, Infinity);
    this.#ids.clear();
    for (const item of kept) {
      this.items.push(item);
      this.#ids.add(item.id);
    }
    this.#changed();
  }

  /** Changes the tags of files. Those that lose the tag that the list is filtered by are not in it anymore. */
  tag(ids: { has: (id: string) => boolean }, added: readonly string[], removed: readonly string[]): void {
    if (removed.includes(this.#filters.tag)) return this.remove(ids);
    const changed = this.items.filter(({ id }) => ids.has(id));
    const tagsOf = ({ tags }: Item) => [...new Set([...tags, ...added])].filter((tag) => !removed.includes(tag));
    this.#replace(changed.map((item) => ({ ...item, tags: tagsOf(item) })));
    this.#changed();
  }

  #replace(changed: readonly Item[]): void {
    const byId = new Map(changed.map((item) => [item.id, item]));
    this.items.forEach((item, index) => (this.items[index] = byId.get(item.id) ?? item));
  }

  #changed(): void {
    this.version.value += 1;
    if (this.#timer || this.#controller.signal.aborted) return;
    this.#timer = setTimeout(() => this.#poll(), POLL_MS);
  }

  /** Loads files in processing again, the oldest ones first. */
  #poll(): void {
    this.#timer = 0;
    let oldest = "";
    for (const { state, createdAt } of this.items) {
      if (state === "processing" && (!oldest || createdAt < oldest)) oldest = createdAt;
    }
    if (!oldest || this.#polls === MAX_POLLS) return;
    this.#polls += 1;
    void this.#refresh(oldest);
  }

  /** Loads files again: those of a time and after it, as far as a page reaches. */
  async #refresh(since: string): Promise<void> {
    const { folder_id } = parametersOf(this.#filters);
    const query = { ...(folder_id && { folder_id }), created_from: since, order: "asc" as const, fields: FIELDS };
    try {
      this.#replace((await this.#page(query)).data.map(itemOf));
      this.#changed();
    } catch {
      // What is shown is merely older. The next change tries again.
    }
  }
}
