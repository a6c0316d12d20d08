// Interaction with the dashboard.

import { API, open } from "../harness.mjs";

/** Opens the dashboard with a key, at a place such as `HANDLE/keys`, and returns the page. */
export async function signIn(test, key, place = "") {
  const page = await open(test, `${new URL(API).origin}/#key=${key}`);
  if (place) await page.evaluate((hash) => (location.hash = hash), `#/${place}`);
  return page;
}
