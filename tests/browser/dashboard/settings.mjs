// Settings of a space in the dashboard: what is saved, read-only roles, secrets, the default space, deletion.

import assert from "node:assert/strict";
import { test } from "node:test";

import { api, PHOTO, tenant } from "../harness.mjs";
import { delivered, signIn, spaceKey, upload } from "./steps.mjs";

const GONE = 404;

test("the settings are saved with the name, and the URL of webhooks stays", async (t) => {
  const { account, handle, id } = await tenant();
  const name = `<b>Bold</b> ${handle}`;
  const webhook_url = "https://example.com/hook";
  await api(account, "PUT", `/spaces/${id}`, { body: { name: handle, webhook_url } });
  const page = await signIn(t, account, `${handle}/settings`);

  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Description").fill("For the shop");
  await page.getByLabel("Days in the trash").fill("31");
  await page.getByRole("button", { name: "Save" }).press("Enter");
  await page.waitForFunction(() => document.activeElement.name === "trash_days");
  await page.getByLabel("Days in the trash").fill("7");
  await page.getByLabel("Enabled").focus();
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Save" }).press("Enter");
  await page.getByRole("status").getByText("The space was saved.").waitFor();

  const { data } = await api(account, "GET", `/spaces/${id}`);
  assert.deepEqual(
    { name: data.name, description: data.description, enabled: data.enabled, webhook_url: data.webhook_url, trash_days: data.trash_days },
    { name, description: "For the shop", enabled: false, webhook_url, trash_days: 7 },
  );
  await page.getByRole("button", { name, exact: true }).waitFor();
});

test("an error of the API appears at its field, which has the focus", async (t) => {
  const { account, handle } = await tenant();
  const page = await signIn(t, account, `${handle}/settings`);
  await page.getByLabel("Custom domain").fill("unknown.example.com");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("must be a domain of the CDN").waitFor();
  await page.waitForFunction(() => document.activeElement.name === "custom_domain");
});

test("the usage is shown by resource type, and that of the trash apart", async (t) => {
  const space = await tenant();
  const { account, handle, id } = space;
  await api(account, "PUT", `/spaces/${id}`, { body: { name: handle, trash_days: 1 } });
  await upload(space, PHOTO);
  const deleted = await upload(space, PHOTO);
  await api(account, "DELETE", `/files/${deleted.id}`, { status: 204 });
  const page = await signIn(t, space.account, `${space.handle}/settings`);
  const usage = page.getByRole("region", { name: "Usage" });
  for (const name of ["image", "total", "in the trash"]) {
    assert.match(await usage.getByRole("row", { name }).innerText(), /\s1\s+22\.4 KB/);
  }
});

test("the signing secret is revealed and rotated, and the previous one can end at once", async (t) => {
  const space = await tenant();
  const { id, account } = space;
  const page = await signIn(t, account, `${space.handle}/settings`);
  const section = page.getByRole("region", { name: "Signing secret" });
  const secret = async () => (await api(account, "GET", `/spaces/${id}/signing-secret`)).data;
  const rotate = async (isImmediate) => {
    await section.getByRole("button", { name: "Rotate" }).click();
    const question = page.getByRole("dialog");
    if (isImmediate) await question.getByLabel("End the previous one at once").check();
    await question.getByRole("button", { name: "Rotate" }).click();
    await question.waitFor({ state: "detached" });
  };

  const first = await secret();
  await section.getByRole("button", { name: "Reveal" }).click();
  await section.getByText(first.secret, { exact: true }).waitFor();
  await section.getByText(first.kid, { exact: true }).waitFor();
  await section.getByRole("button", { name: "Copy" }).waitFor();

  await rotate(false);
  const second = await secret();
  assert.equal(second.previous.secret, first.secret);
  await section.getByText(second.secret, { exact: true }).waitFor();
  await section.getByText("Previous, until").waitFor();

  await rotate(true);
  await section.getByText("Previous, until").waitFor({ state: "detached" });
  assert.equal((await secret()).previous, null);
});

test("a space becomes the default", async (t) => {
  const { account, handle, id } = await tenant();
  const page = await signIn(t, account, `${handle}/settings`);
  await page.getByRole("region", { name: "Default space" }).getByRole("button", { name: "Make default" }).click();
  await page.getByText("This is your default space.").waitFor();
  assert.equal((await api(account, "GET", "/account")).data.default_space_id, id);
});

test("a lower role reads the settings, and sees which role changes them", async (t) => {
  const space = await tenant();
  const page = await signIn(t, await spaceKey(space, "admin"), `${space.handle}/settings`);
  await page.getByText("This needs the role owner. Yours is admin.").first().waitFor();
  for (const name of ["Save", "Reveal", "Rotate", "Delete space"]) {
    assert.ok(await page.getByRole("button", { name }).isDisabled(), name);
  }
  assert.equal(await page.getByRole("button", { name: "Make default" }).count(), 0);
});

test("a space is deleted by its handle, with everything in it after a second confirmation", async (t) => {
  const space = await tenant();
  const { account, handle, id } = space;
  const { url } = await upload(space, PHOTO);
  assert.ok(PHOTO.buffer.equals(await delivered(url)));
  const page = await signIn(t, account, `${handle}/settings`);

  await page.getByRole("button", { name: "Delete space" }).click();
  const question = page.getByRole("dialog");
  await page.waitForFunction(() => document.activeElement.textContent === "Cancel");
  await question.getByRole("button", { name: "Delete", exact: true }).click();
  await question.getByText(`Type ${handle}, the handle of this space.`).waitFor();
  await question.getByLabel("Handle").fill(handle);
  await question.getByLabel("Handle").press("Enter");
  await question.getByText("The space is not empty").waitFor();
  await api(account, "GET", `/spaces/${id}`);

  await question.getByRole("button", { name: "Delete with everything in it" }).click();
  await question.waitFor({ state: "detached" });
  await api(account, "GET", `/spaces/${id}`, { status: GONE });
  await page.waitForFunction((deleted) => !location.hash.includes(deleted), handle);
  assert.equal((await fetch(url)).status, GONE);
});

test("a key of the deleted space is signed out with the reason", async (t) => {
  const space = await tenant();
  const page = await signIn(t, await spaceKey(space, "owner"), `${space.handle}/settings`);
  await page.getByRole("button", { name: "Delete space" }).click();
  await page.getByLabel("Handle").fill(space.handle);
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("alert").getByText("was deleted, and this key with it").waitFor();
});
