// The demo's page, handled as a person does.

import assert from "node:assert/strict";

import { DEMO } from "./harness.mjs";

/** Chooses a key and a space as a person would. */
export async function withKey(page, { key, handle }, config = "") {
  await page.getByLabel("API key").fill(key);
  await page.getByLabel("Space handle").fill(handle);
  await page.getByLabel("Upload config").fill(config);
}

/** The page as a visitor opens it. */
export function unsignedAddress({ handle }, config) {
  return `${DEMO}?mode=unsigned&space=${handle}&config=${config}`;
}

/** Chooses files. */
export async function choose(page, ...files) {
  await page.getByLabel("Choose files").setInputFiles(files);
}

/** The row of a file, once its upload has come to an end. */
export async function ended(page, { name }, state) {
  const row = page.locator("#files > li").filter({ has: page.getByText(name, { exact: true }) });
  const settled = row.and(page.locator('[data-state="stored"], [data-state="failed"]'));
  await settled.waitFor();
  assert.equal(await settled.getAttribute("data-state"), state, await settled.innerText());
  return settled;
}

/** Where a stored file is delivered. */
export async function link(row) {
  return row.getByRole("link", { name: /^Open/ }).getAttribute("href");
}
