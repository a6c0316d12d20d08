// The caller and its spaces.
//
// - The current space is the one whose handle the address has, else the default space, else the first one.
// - A role decides only what the page offers. The service decides what is allowed.
// - A response for the former key of the session is dropped.

import { computed, signal } from "@preact/signals";
import { getAccount, listSpaces, pages, updateAccount, type Account, type Role, type SpaceSummary } from "larder/api";

import { bodyOf, client, dataOf } from "./api.ts";
import { place } from "./router.ts";
import { key } from "./session.ts";

/** Roles, the lowest first. */
export const ROLES: readonly Role[] = ["viewer", "user", "admin", "owner"];
const PAGE_LIMIT = 100;

/** Who the key belongs to. */
export const account = signal<Account | null>(null);
/** Spaces that the key can access, oldest first. */
export const spaces = signal<readonly SpaceSummary[]>([]);

export const space = computed(() => {
  const { handle } = place.value;
  const all = spaces.value;
  const ofId = (id: string | null | undefined) => all.find((candidate) => candidate.id === id);
  return all.find((candidate) => candidate.handle === handle) ?? ofId(account.value?.default_space_id) ?? all[0] ?? null;
});

/** Whether the key belongs to a user, who has a default space and can create spaces. */
export const isUser = computed(() => account.value?.key.type === "account");

/** For how many days the current space keeps deleted files. 0: a deletion is final. */
export const trashDays = computed(() => space.value?.trash_days ?? 0);

/** Whether the caller has at least this role in the current space. */
export function can(role: Role): boolean {
  return ROLES.indexOf(space.value?.role ?? "viewer") >= ROLES.indexOf(role);
}

/** Loads the account and all spaces of the key. */
export async function loadState(): Promise<void> {
  const secret = key.value;
  const caller = await dataOf(getAccount({ client, throwOnError: true }));
  await loadSpaces();
  if (key.value === secret) account.value = caller;
}

/** Loads all spaces of the key. */
export async function loadSpaces(): Promise<void> {
  const secret = key.value;
  const list = (cursor?: string) =>
    bodyOf(listSpaces({ client, query: { limit: PAGE_LIMIT, ...(cursor && { cursor }) }, throwOnError: true }));
  const all = await Array.fromAsync(pages(list));
  if (key.value === secret) spaces.value = all.reverse();
}

/** Changes the default space of the user. */
export async function makeDefault(id: string): Promise<void> {
  const secret = key.value;
  const changed = await dataOf(updateAccount({ client, body: { default_space_id: id }, throwOnError: true }));
  if (key.value === secret) account.value = changed;
}
