// Interaction with the demo page.

import assert from "node:assert/strict";

import { DEMO } from "./harness.mjs";

/** Fills in a key, a space and an upload config. */
export async function withKey(page, { key, handle }, config = "") {
  await page.getByLabel("API key").fill(key);
  await page.getByLabel("Space handle").fill(handle);
  await page.getByLabel("Upload config").fill(config);
}

/** URL of the page for uploads without a key. */
export function unsignedUrl({ handle }, config) {
  return `${DEMO}?mode=unsigned&space=${handle}&config=${config}`;
}

/** Selects files to upload. */
export async function choose(page, ...files) {
  await page.getByLabel("Choose files").setInputFiles(files);
}

/** Waits until the upload of a file has ended in `state`, and returns its row. */
export async function ended(page, { name }, state) {
  const row = page.locator("#files > li").filter({ has: page.getByText(name, { exact: true }) });
  const settled = row.and(page.locator('[data-state="stored"], [data-state="failed"]'));
  await settled.waitFor();
  assert.equal(await settled.getAttribute("data-state"), state, await settled.innerText());
  return settled;
}

/** Returns the delivery URL of a stored file. */
export async function link(row) {
  return row.getByRole("link", { name: /^Open/ }).getAttribute("href");
}
