// Shared by the checks of the guides' pages. A guide starts a server on PORT, and stores files in the first space of the account.

import assert from "node:assert/strict";
import { after } from "node:test";

import { api, close, open, required, TIMEOUT_MS } from "../harness.mjs";

const ACCOUNT = required("LARDER_API_KEY");

after(close);

/** Opens a page of the guide. */
export const visit = (test, name, options) => open(test, `http://127.0.0.1:${required("PORT")}/${name}`, options);

/** Returns the newest files of the space. */
export async function files() {
  const { data: [space] } = await api(ACCOUNT, "GET", "/spaces");
  return (await api(ACCOUNT, "GET", `/files?space_id=${space.id}`)).data;
}

/** Waits until files with these names and sizes are active, and returns them. */
export async function stored(...expected) {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const found = await files();
    const active = expected.map(({ name, buffer }) =>
      found.find((file) => file.original_name === name && file.size === buffer.length && file.status === "active"));
    if (active.every(Boolean)) return active;
    assert.ok(Date.now() < deadline, `${expected.map(({ name }) => name)} are not stored`);
  }
}
