// The two lists of keys, which differ in their routes and in that only keys of a space have a role.

import {
  createAccountKey,
  createSpaceKey,
  listAccountKeys,
  listSpaceKeys,
  revokeAccountKey,
  revokeSpaceKey,
  type ApiKey,
  type CreateSpaceKeyRequest,
  type Role,
  type SpaceSummary,
} from "larder/api";

import { bodyOf, client, dataOf } from "../../api.ts";
import type { ListPage } from "../../parts/pages.tsx";
import { ROLES } from "../../state.ts";

export interface KeySource {
  /** Identifies the list. */
  id: string;
  title: string;
  /** What the keys are for, in one sentence. */
  hint: string;
  /** Label of the button that creates one. */
  create: string;
  /** Space of the snippets. */
  space: SpaceSummary;
  /** Roles that a new key can have, lowest first. Empty if keys of the list have none. */
  roles: readonly Role[];
  list: ListPage<ApiKey>;
  add: (body: CreateSpaceKeyRequest) => Promise<ApiKey>;
  revoke: (keyId: number) => Promise<unknown>;
}

const PAGE_LIMIT = 50;

const queryOf = (cursor?: string) => ({ limit: PAGE_LIMIT, ...(cursor && { cursor }) });

/** Returns the keys of a space. */
export function keysOfSpace(space: SpaceSummary): KeySource {
  const path = { id: space.id };
  return {
    id: space.id,
    title: "API keys",
    hint: "A key works in this space only, with its role.",
    create: "New key",
    space,
    roles: ROLES.slice(0, ROLES.indexOf(space.role) + 1),
    list: (cursor) => bodyOf(listSpaceKeys({ client, path, query: queryOf(cursor), throwOnError: true })),
    add: (body) => dataOf(createSpaceKey({ client, path, body, throwOnError: true })),
    revoke: (keyId) => revokeSpaceKey({ client, path: { ...path, keyId }, throwOnError: true }),
  };
}

/** Returns the account keys of the user. */
export function keysOfUser(space: SpaceSummary): KeySource {
  return {
    id: "account",
    title: "Account keys",
    hint: "An account key acts for you in all of your spaces, and creates new ones. Programs rarely need that much.",
    create: "New account key",
    space,
    roles: [],
    list: (cursor) => bodyOf(listAccountKeys({ client, query: queryOf(cursor), throwOnError: true })),
    add: (body) => dataOf(createAccountKey({ client, body, throwOnError: true })),
    revoke: (keyId) => revokeAccountKey({ client, path: { keyId }, throwOnError: true }),
  };
}
