// API keys in the dashboard: made, used, revoked, signed out.

import assert from "node:assert/strict";
import { test } from "node:test";

import { API, api, tenant } from "../harness.mjs";
import { goTo, signIn } from "./steps.mjs";

const UNAUTHORIZED = 401;

test("a key is created, used and revoked, and its session ends with the reason at the same place", async (t) => {
  const { account, handle } = await tenant();
  const page = await signIn(t, account, `${handle}/keys`);
  const key = await createKey(page, "camera", "owner");
  assert.equal(await statusOf(key), 200);

  const session = await signIn(t, key, `${handle}/keys`);
  await session.getByRole("row", { name: "camera" }).getByText("this session").waitFor();
  await revoke(page, "camera");
  await page.getByRole("row", { name: "camera" }).getByText("revoked").waitFor();
  assert.equal(await statusOf(key), UNAUTHORIZED);

  await session.getByRole("link", { name: "Upload configs" }).click();
  await session.getByRole("alert").getByText("was revoked").waitFor();
  await session.getByLabel("API key", { exact: true }).fill(account);
  await session.getByRole("button", { name: "Sign in" }).click();
  await session.getByRole("heading", { name: "Upload configs" }).waitFor();
  assert.equal(new URL(session.url()).hash, `#/${handle}/upload-configs`);
});

test("a revoked row keeps the focus, and the question names the key with the focus on Cancel", async (t) => {
  const { account, handle } = await tenant();
  const name = '<b>"a"</b> & \u202Eb';
  const page = await signIn(t, account, `${handle}/keys`);
  await createKey(page, name, "viewer");
  await page.getByRole("row", { name }).getByRole("button", { name: "Revoke" }).click();

  const question = page.getByRole("dialog", { name: `Revoke “${name}”?` });
  await focusOn(page, "Cancel");
  await page.keyboard.press("Escape");
  await focusOn(page, "Revoke");
  await page.keyboard.press("Enter");
  await question.getByRole("button", { name: "Revoke" }).click();
  await page.waitForFunction(() => document.activeElement.matches("tr"));
});

test("errors of a new key appear at their fields", async (t) => {
  const { account, handle } = await tenant();
  const page = await signIn(t, account, `${handle}/keys`);
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText("The name field is required.").waitFor();
  await fieldHasFocus(page, "name");

  await page.getByLabel("Name", { exact: true }).fill("short");
  await page.getByLabel("Expires", { exact: true }).selectOption("date");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText("Choose the last day of the key.").waitFor();
  await fieldHasFocus(page, "expires_at");
});

test("a dialog that sends stays open, and a key whose response is lost is created once", async (t) => {
  const { account, handle, id } = await tenant();
  const page = await signIn(t, account, `${handle}/keys`);
  const keys = `**/spaces/${id}/api-keys`;
  const create = async () => {
    const sent = new Promise((resolve) => page.route(keys, resolve, { times: 1 }));
    await page.getByRole("button", { name: "Create" }).click();
    return sent;
  };
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Name", { exact: true }).fill("lost");
  const lost = await create();
  await lost.fetch();
  await lost.abort();
  await page.getByRole("alert").getByText("The server cannot be reached.").waitFor();

  const held = await create();
  for (const key of ["Escape", "Escape", "Escape"]) await page.keyboard.press(key);
  await page.getByRole("button", { name: "Cancel" }).click();
  await held.continue();
  await page.getByRole("dialog", { name: "shown once" }).getByText(/^sk_/).waitFor();
  const { data } = await api(account, "GET", `/spaces/${id}/api-keys`);
  assert.equal(data.filter(({ name }) => name === "lost").length, 1);
});

test("a key that is created while the list is being loaded appears", async (t) => {
  const { account, handle, id } = await tenant();
  const page = await signIn(t, account);
  const listed = new Promise((resolve) => page.route(`**/spaces/${id}/api-keys?*`, resolve, { times: 1 }));
  await goTo(page, `${handle}/keys`);
  const held = await listed;
  const response = await held.fetch();
  await createKey(page, "early", "viewer");
  await held.fulfill({ response }).catch(() => "the page has dropped the request");
  await page.getByRole("row", { name: "early" }).waitFor();
});

test("the key of the session is revoked with a warning", async (t) => {
  const { account, handle, id } = await tenant();
  const request = { body: { name: "own", role: "owner" }, status: 201 };
  const { data } = await api(account, "POST", `/spaces/${id}/api-keys`, request);
  const page = await signIn(t, data.key, `${handle}/keys`);
  await page.getByRole("row", { name: "own" }).getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("dialog").getByText("you will be signed out").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("alert").getByText("You revoked the key of this session.").waitFor();
});

test("a long list is loaded page by page", async (t) => {
  const { account, handle, id } = await tenant();
  const count = 60;
  const names = Array.from({ length: count }, (_, index) => `key ${index}`);
  await Promise.all(names.map((name) => api(account, "POST", `/spaces/${id}/api-keys`, { body: { name }, status: 201 })));
  const page = await signIn(t, account, `${handle}/keys`);
  const table = page.getByRole("table", { name: "API keys" });
  await page.getByRole("button", { name: "Load more" }).click();
  // The first key is that of `tenant`, and one row has the heads.
  await page.getByText(`All ${count + 1} are shown.`).waitFor();
  assert.equal(await table.getByRole("row").count(), count + 2);
});

test("other roles learn which one they need", async (t) => {
  const { key, handle } = await tenant();
  const page = await signIn(t, key, `${handle}/keys`);
  await page.getByText("Only owners of a space").waitFor();
  assert.ok(await page.getByRole("button", { name: "New key" }).isDisabled());
});

/** Creates a key with the dialog, and returns its secret. */
async function createKey(page, name, role) {
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Role", { exact: true }).selectOption(role);
  await page.getByRole("button", { name: "Create" }).click();

  const shown = page.getByRole("dialog", { name: "shown once" });
  const secret = await shown.getByText(/^sk_/).innerText();
  await shown.getByRole("tab", { name: "curl" }).click();
  assert.ok((await shown.getByRole("tabpanel").innerText()).includes(secret));
  await shown.getByRole("button", { name: "Done" }).click();
  await focusOn(page, "New key");
  return secret;
}

async function revoke(page, name) {
  await page.getByRole("row", { name }).getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
}

async function statusOf(key) {
  const { status } = await fetch(`${API}/account`, { headers: { authorization: `Bearer ${key}` } });
  return status;
}

/** Waits until the control with this text has the focus, which dialogs move after the next paint. */
function focusOn(page, text) {
  return page.waitForFunction((wanted) => document.activeElement.textContent === wanted, text);
}

/** Waits until the field of this name has the focus. */
function fieldHasFocus(page, name) {
  return page.waitForFunction((wanted) => document.activeElement.name === wanted, name);
}
