// Sign-in, the menu of spaces, and what a page shows when requests fail.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test from "node:test";

import { API, api, open, required, tenant } from "../harness.mjs";
import { goTo, signIn, spaceKey } from "./steps.mjs";

const ORIGIN = new URL(API).origin;
const account = required("LARDER_API_KEY");

test("a key signs in, stays in the tab only, and signs out", async (t) => {
  const acme = await tenant();
  const page = await open(t, `${ORIGIN}/#/${acme.handle}/settings`);
  // The second one cannot be in a header.
  for (const key of ["sk_wrong", "sk_…"]) {
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("This key is not valid.").waitFor();
  }

  await page.getByLabel("API key").fill(account);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Settings" }).waitFor();

  const stored = await page.evaluate(() => [JSON.stringify(localStorage), document.cookie]);
  assert.ok(stored.every((text) => !text.includes("sk_")), `${stored}`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("API key").waitFor();
  await page.reload();
  await page.getByLabel("API key").waitFor();
});

test("a link signs in on this machine only, and leaves the address", async (t) => {
  const page = await signIn(t, account);
  await page.getByRole("grid", { name: "Files" }).or(page.getByText("Drop files or folders")).first().waitFor();
  assert.ok(!page.url().includes("sk_"), page.url());

  // The same page under a host that is not a loopback host.
  const elsewhere = await open(t, "about:blank");
  await elsewhere.route("http://larder.example/**", async (route) => {
    const { pathname } = new URL(route.request().url());
    await route.fulfill({ response: await route.fetch({ url: `${ORIGIN}${pathname}` }) });
  });
  await elsewhere.goto(`http://larder.example/#key=${account}`);
  await elsewhere.getByLabel("API key").waitFor();
  assert.ok(!elsewhere.url().includes("sk_"), elsewhere.url());
  assert.equal(await elsewhere.evaluate(() => sessionStorage.length), 0);
});

test("a place that arrives while the page is rendered is kept", async (t) => {
  const acme = await tenant();
  const page = await signIn(t, account);
  await page.waitForFunction(() => location.hash.startsWith("#/"));
  // Between the rendering of the frame and its effects.
  await page.addInitScript((hash) => {
    const observer = new MutationObserver(() => {
      if (!document.querySelector(".frame")) return;
      observer.disconnect();
      location.hash = hash;
    });
    observer.observe(document, { childList: true, subtree: true });
  }, `#/${acme.handle}/settings`);

  await page.goto(`${ORIGIN}/`);
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  assert.ok(page.url().endsWith(`#/${acme.handle}/settings`), page.url());
});

test("a key in the address of an open page starts its session, and leaves the address and the history", async (t) => {
  const acme = await tenant();
  const page = await signIn(t, await spaceKey(acme, "viewer"));
  await page.getByText("viewer key").waitFor();
  await goTo(page, `${acme.handle}/settings`, "Settings");
  await page.evaluate((hash) => (location.hash = hash), `#key=${await spaceKey(acme, "admin")}`);
  await page.getByText("admin key").waitFor();
  for (const step of ["here", "back"]) {
    if (step === "back") await page.goBack();
    assert.ok(!page.url().includes("sk_"), page.url());
  }
});

test("a late 401 for the former key does not end the session", async (t) => {
  const acme = await tenant();
  const page = await signIn(t, await spaceKey(acme, "owner"), `${acme.handle}/settings`);
  const lists = "**/api-keys*";
  const held = new Promise((resolve) => page.route(lists, resolve, { times: 1 }));
  await page.getByRole("link", { name: "API keys" }).click();
  const route = await held;
  await page.evaluate((hash) => (location.hash = hash), `#key=${await spaceKey(acme, "viewer")}`);
  await page.getByText("viewer key").waitFor();

  const finished = page.waitForEvent("requestfinished", (request) => request === route.request());
  await route.fulfill({ status: 401, json: { message: "Unauthenticated.", errors: {} } });
  await finished;
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
});

test("an address without a space gets that of the default one, and an unknown space is named", async (t) => {
  const acme = await tenant();
  const page = await signIn(t, await spaceKey(acme, "viewer"), "/settings?x=1");
  const at = (hash) => page.waitForFunction((wanted) => location.hash === wanted, hash);
  await at(`#/${acme.handle}/settings?x=1`);
  await goTo(page, "unknown/files?folder=1", "There is no space “unknown”");
  await at(`#/${acme.handle}/files`);
});

test("spaces are created, switched, found and made the default", async (t) => {
  const [acme, other] = [await tenant(), await tenant()];
  const { data: acmeRecord } = await api(account, "GET", `/spaces/${acme.id}`);
  const { data: otherRecord } = await api(account, "GET", `/spaces/${other.id}`);
  const page = await signIn(t, account, `${acme.handle}/files`);

  // Two clicks.
  await page.getByRole("button", { name: acmeRecord.name }).click();
  await page.getByRole("dialog").getByRole("link", { name: otherRecord.name }).click();
  await page.getByRole("button", { name: otherRecord.name }).click();
  await page.getByLabel("Find a space").fill(acmeRecord.name);
  assert.equal(await page.getByRole("dialog").getByRole("link").count(), 1);
  await page.getByRole("button", { name: "Make default", exact: true }).click();
  await page.getByText(`${acmeRecord.name} is the default space.`).first().waitFor();
  assert.equal((await api(account, "GET", "/account")).data.default_space_id, acme.id);

  await page.getByRole("button", { name: "New space" }).click();
  const dialog = page.getByRole("dialog", { name: "New space" });
  await dialog.getByLabel("Name").fill(otherRecord.name);
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("The name has already been taken.").waitFor();
  const name = `Created ${randomBytes(4).toString("hex")}`;
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByRole("button", { name, exact: true }).waitFor();
});

test("a key of a space sees its space, and controls that its role allows", async (t) => {
  const acme = await tenant();
  const page = await signIn(t, await spaceKey(acme, "viewer"));
  await page.getByText("viewer key").waitFor();
  assert.equal(await page.getByRole("button", { name: "New space" }).count(), 0);
  assert.ok(await page.getByRole("button", { name: "Upload", exact: true }).isDisabled());
});

test("failures are explained, and what failed can be repeated", async (t) => {
  const acme = await tenant();
  const page = await signIn(t, account, `${acme.handle}/keys`);
  const list = `**/api/v1/spaces/${acme.id}/api-keys*`;
  await page.getByRole("row", { name: "page" }).waitFor();

  const fail = (status, headers = {}) => (route) =>
    route.fulfill({ status, headers: { "x-request-id": "01REQUEST", ...headers }, json: { message: "Internal error.", errors: {} } });
  await page.route(list, fail(500));
  await page.reload();
  await page.getByText("01REQUEST").waitFor();
  await page.unroute(list);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("row", { name: "page" }).waitFor();

  await page.route(list, fail(429, { "retry-after": "1" }), { times: 1 });
  await page.reload();
  await page.getByText("Too many requests.").waitFor();
  await page.getByRole("row", { name: "page" }).waitFor();

  // Nothing waits after the screen has gone.
  const usage = `**/api/v1/spaces/${acme.id}/usage`;
  await page.route(usage, fail(429, { "retry-after": "60" }));
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByText("Too many requests.").waitFor();
  await goTo(page, `${acme.handle}/keys`, "Account keys");
  await page.getByText("Too many requests.").waitFor({ state: "hidden" });

  await page.context().setOffline(true);
  await page.getByText("You are offline.").waitFor();
  await page.context().setOffline(false);
  await page.getByText("You are offline.").waitFor({ state: "hidden" });
});
