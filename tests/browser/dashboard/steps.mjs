// Steps that the tests of the dashboard share.

import assert from "node:assert/strict";

import { API, api, open, TIMEOUT_MS } from "../harness.mjs";

const CREATED = 201;
/** Maximum number of controls before the one that is looked for. */
const MAX_STEPS = 60;

/** Opens the dashboard with a key, at a place such as `HANDLE/keys`, and returns the page. */
export async function signIn(test, key, place = "") {
  const page = await open(test, `${new URL(API).origin}/#key=${key}`);
  if (place) await goTo(page, place);
  return page;
}

/** Goes to a place, and waits until this text is shown there and nothing is being loaded. */
export async function goTo(page, place, text) {
  await page.evaluate((hash) => (location.hash = hash), `#/${place}`);
  if (!text) return;
  await page.getByText(text).and(page.locator(":visible")).first().waitFor();
  await page.waitForFunction(() => !document.querySelector(".loading, [aria-busy=true]"));
}

/** Creates a key of a space with a role, and returns its secret. */
export async function spaceKey({ account, id }, role) {
  const request = { body: { name: role, role }, status: CREATED };
  return (await api(account, "POST", `/spaces/${id}/api-keys`, request)).data.key;
}

/** Creates a folder in a space, and returns it. */
export async function folder({ account, id }, name) {
  return (await api(account, "POST", "/folders", { body: { name, space_id: id }, status: CREATED })).data;
}

/** Uploads a file into a space with the key of the account, and returns its record. */
export async function upload({ account, handle }, { name, mimeType, buffer }, fields = {}) {
  const body = new FormData();
  for (const [field, value] of Object.entries({ space: handle, ...fields })) body.set(field, value);
  body.set("file", new Blob([buffer], { type: mimeType }), name);
  const response = await fetch(`${API}/upload`, { method: "POST", headers: { authorization: `Bearer ${account}` }, body });
  assert.equal(response.status, CREATED);
  return (await response.json()).data;
}

/** Returns the bytes that a URL delivers, whatever was cached before. */
export async function delivered(url) {
  const response = await fetch(url, { cache: "no-store" });
  assert.equal(response.status, 200, url);
  return Buffer.from(await response.arrayBuffer());
}

/** Presses Tab until a control has the focus. */
export async function tabTo(page, control) {
  for (let step = 0; step < MAX_STEPS; step += 1) {
    if (await control.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`${control} cannot be reached by the keyboard`);
}

/** Waits until a condition holds, which is asked again and again. */
export async function eventually(page, condition) {
  const INTERVAL_MS = 100;
  for (const end = Date.now() + TIMEOUT_MS; !(await condition()); await page.waitForTimeout(INTERVAL_MS)) {
    assert.ok(Date.now() < end, `${condition}`);
  }
}
