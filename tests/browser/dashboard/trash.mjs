// The trash of a space: what a deletion says, Undo, the list with its days, restoring and deleting for good.

import assert from "node:assert/strict";
import test from "node:test";

import { api, required, tenant, TEXT } from "../harness.mjs";
import { eventually, signIn, spaceKey, tabTo, upload } from "./steps.mjs";

const account = required("LARDER_API_KEY");
const DAYS = 7;
const NAMES = ["a.txt", "b.txt", "c.txt"];

/** Opens a space with a trash and three files. */
async function opened(t, role) {
  const acme = await tenant();
  await api(account, "PUT", `/spaces/${acme.id}`, { body: { name: acme.handle, trash_days: DAYS } });
  const files = {};
  for (const name of NAMES) files[name] = await upload(acme, { ...TEXT, name });
  const page = await signIn(t, role ? await spaceKey(acme, role) : account, `${acme.handle}/files`);
  const cell = (name) => page.getByRole("gridcell", { name, exact: true });
  const trash = page.getByRole("button", { name: "Trash", exact: true });
  const dialog = page.getByRole("dialog");
  const status = async (name) => (await api(account, "GET", `/files/${files[name].id}`)).data.status;
  await cell("a.txt").waitFor();
  return { acme, cell, dialog, files, page, status, trash };
}

test("a deletion says for how many days it can be undone, and Undo does it", async (t) => {
  const { cell, dialog, page, status } = await opened(t);
  await cell("a.txt").click();
  await page.getByRole("button", { name: "Delete" }).click();
  await dialog.getByText(`The trash keeps it for ${DAYS} days.`).waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await cell("a.txt").waitFor({ state: "detached" });
  assert.equal(await status("a.txt"), "trashed");
  await page.getByRole("button", { name: "Undo" }).click();
  await cell("a.txt").waitFor();
  assert.equal(await status("a.txt"), "active");

  await cell("a.txt").click({ modifiers: ["Control"] });
  await cell("c.txt").click({ modifiers: ["Control"] });
  await page.keyboard.press("Delete");
  await dialog.getByText(`2 files move to the trash for ${DAYS} days.`).waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("region", { name: "Messages" }).getByText("2 files moved to the trash.").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await cell("c.txt").waitFor();
  for (const name of NAMES) assert.equal(await status(name), "active");
});

test("files of the trash are listed with their day, restored and deleted for good, by keyboard too", async (t) => {
  const { cell, dialog, files, page, status, trash } = await opened(t);
  const ids = NAMES.map((name) => files[name].id);
  await api(account, "POST", "/files/batch", { body: { ids, operation: "delete" } });
  await page.reload();
  await trash.click();
  await page.getByRole("heading", { name: "Trash" }).waitFor();
  await page.reload();
  await cell("a.txt").waitFor();
  const { data } = await api(account, "GET", `/files/${files["a.txt"].id}`);
  const day = new Intl.DateTimeFormat("en", { dateStyle: "medium" }).format(new Date(data.purge_at));
  assert.equal(await page.getByText(`Kept until ${day}`).count(), NAMES.length);

  const restore = page.getByRole("button", { name: "Restore a.txt" });
  await cell("a.txt").focus();
  await tabTo(page, restore);
  await page.keyboard.press("Enter");
  await cell("a.txt").waitFor({ state: "detached" });
  assert.equal(await status("a.txt"), "active");

  await page.getByRole("button", { name: "Delete now: b.txt" }).click();
  await page.waitForFunction(() => document.activeElement.textContent === "Cancel");
  await dialog.getByRole("button", { name: "Delete now" }).click();
  await cell("b.txt").waitFor({ state: "detached" });
  await api(account, "GET", `/files/${files["b.txt"].id}`, { status: 404 });

  await cell("c.txt").click();
  await page.getByText("This file is in the trash").waitFor();
  await page.getByRole("button", { name: "Restore", exact: true }).click();
  await page.getByRole("tab", { name: "Details" }).waitFor();
  await page.getByText("The trash is empty").waitFor();
  assert.equal(await status("c.txt"), "active");
  await page.goBack();
  await trash.click();
  await cell("a.txt").waitFor();
  await cell("c.txt").waitFor();
});

test("a file whose name is taken by now is named, and stays in the trash", async (t) => {
  const { acme, cell, dialog, page, trash } = await opened(t);
  const named = { config: { storage: { generate_filename: false, unique_filename: false } } };
  await acme.config("named", named);
  const file = { ...TEXT, name: "taken.txt" };
  const first = await upload(acme, file, { upload_config: "named" });
  await api(account, "DELETE", `/files/${first.id}`, { status: 204 });
  await upload(acme, file, { upload_config: "named" });

  await trash.click();
  await cell("taken.txt").click({ modifiers: ["Control"] });
  await page.getByRole("region", { name: "Selection" }).getByRole("button", { name: "Restore" }).click();
  const failures = page.getByRole("dialog", { name: "1 file not restored" });
  await failures.getByText("taken.txt", { exact: true }).waitFor();
  await failures.getByText(/taken|name/).nth(1).waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await cell("taken.txt").click();
  const panel = page.getByRole("region", { name: "taken.txt" });
  await panel.getByRole("button", { name: "Restore" }).click();
  await panel.getByRole("alert").waitFor();
  assert.equal((await api(account, "GET", `/files/${first.id}`)).data.status, "trashed");
});

test("viewers see the trash and change nothing, and a space without one has none", async (t) => {
  const { acme, cell, files, page, trash } = await opened(t, "viewer");
  await api(account, "DELETE", `/files/${files["a.txt"].id}`, { status: 204 });
  await trash.click();
  await cell("a.txt").waitFor();
  assert.ok(await page.getByRole("button", { name: "Restore a.txt" }).isDisabled());
  assert.ok(await page.getByRole("button", { name: "Delete now: a.txt" }).isDisabled());

  // Without days, the trash is there as long as it has files.
  await api(account, "PUT", `/spaces/${acme.id}`, { body: { name: acme.handle, trash_days: 0 } });
  await page.evaluate((hash) => (location.hash = hash), `#/${acme.handle}/files`);
  await page.reload();
  await trash.waitFor();
  await api(account, "DELETE", `/files/${files["a.txt"].id}?permanent=true`, { status: 204 });
  const counted = page.waitForResponse((response) => response.url().endsWith("/usage"));
  await page.reload();
  await counted;
  await cell("b.txt").waitFor();
  await eventually(page, async () => (await trash.count()) === 0);
});
