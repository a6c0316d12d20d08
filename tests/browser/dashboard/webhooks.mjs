// Webhooks in the dashboard: endpoint, secret, log, and what the local receiver got.

import assert from "node:assert/strict";
import { test } from "node:test";

import { API, api, PHOTO, tenant, TEXT } from "../harness.mjs";
import { signIn, spaceKey, upload } from "./steps.mjs";

const RECEIVER = `${new URL(API).origin}/demo/webhooks`;
/** More than a page of the log. */
const MANY = 55;

/** Creates a space whose webhooks go to the local receiver. */
async function receivingTenant() {
  const space = await tenant();
  const { account, handle, id } = space;
  await api(account, "PUT", `/spaces/${id}`, { body: { name: handle, webhook_url: RECEIVER } });
  return space;
}

test("the local receiver becomes the endpoint, and is removed again", async (t) => {
  const { account, handle, id } = await tenant();
  const page = await signIn(t, account, `${handle}/webhooks`);
  const urlOf = async () => (await api(account, "GET", `/spaces/${id}`)).data.webhook_url;
  await page.getByText("Nothing was sent yet").waitFor();

  await page.getByRole("button", { name: "Use the local receiver" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("status").getByText("Webhooks go to this URL.").waitFor();
  assert.equal(await urlOf(), RECEIVER);

  await page.getByLabel("URL", { exact: true }).fill("https://10.0.0.1/");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("input[aria-invalid=true]").waitFor();
  assert.equal(await urlOf(), RECEIVER);

  await page.getByLabel("URL", { exact: true }).fill("");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("status").getByText("Webhooks are off.").waitFor();
  assert.equal(await urlOf(), null);
});

test("a webhook is sent again, and arrives", async (t) => {
  const space = await receivingTenant();
  const name = `<img src=${space.handle} onerror=alert(1)>.jpg`;
  await upload(space, { ...PHOTO, name });
  const page = await signIn(t, space.account, `${space.handle}/webhooks`);
  const arrived = page.getByRole("region", { name: "What arrived here" }).getByRole("group").filter({ hasText: name });
  await page.getByRole("row").filter({ hasText: name }).getByText("delivered").waitFor();
  await arrived.first().waitFor();
  assert.equal(await arrived.count(), 1);

  const row = page.getByRole("button", { name: `file.uploaded, ${name}` });
  await row.press("Enter");
  const details = page.getByRole("dialog", { name: "file.uploaded" });
  await details.getByText(`"original_name": ${JSON.stringify(name)}`).waitFor();
  await details.getByRole("button", { name: "Send again" }).press("Enter");
  await details.getByRole("row", { name: /^2 .* ms 204$/ }).waitFor();
  await page.keyboard.press("Escape");
  await details.waitFor({ state: "detached" });
  assert.ok(await row.evaluate((element) => element === document.activeElement));

  await arrived.nth(1).waitFor();
  await arrived.first().getByText("file.uploaded", { exact: true }).click();
  const body = JSON.parse(await arrived.first().locator("pre").innerText());
  assert.equal(body.file.original_name, name);
});

test("a refused webhook says why, and waits for the next attempt", async (t) => {
  const space = await tenant();
  const { account, handle, id } = space;
  const webhook_url = `${new URL(API).origin}/api/v1/unknown`;
  await api(account, "PUT", `/spaces/${id}`, { body: { name: handle, webhook_url } });
  await upload(space, TEXT);
  const page = await signIn(t, account, `${handle}/webhooks`);

  await page.getByText("next attempt").waitFor();
  await page.getByRole("button", { name: `file.uploaded, ${TEXT.name}` }).click();
  const attempt = page.getByRole("dialog").getByRole("row", { name: /^1 / });
  await attempt.getByText("404").waitFor();
  await attempt.getByText("Not found.").waitFor();
});

test("older messages follow when the end of the log becomes visible", async (t) => {
  const space = await receivingTenant();
  for (let number = 0; number < MANY; number += 1) await upload(space, { ...TEXT, name: `${number}.txt` });
  const page = await signIn(t, space.account, `${space.handle}/webhooks`);
  await page.getByRole("cell", { name: `${MANY - 1}.txt`, exact: true }).waitFor();
  const first = page.getByRole("cell", { name: "0.txt", exact: true });
  assert.equal(await first.count(), 0);
  await page.getByRole("button", { name: "Show older" }).scrollIntoViewIfNeeded();
  await first.waitFor();
});

test("the secret is revealed and rotated, and the previous one stays for a day", async (t) => {
  const { account, handle, id } = await tenant();
  const secret = async () => (await api(account, "GET", `/spaces/${id}/webhook-secret`)).data;
  const page = await signIn(t, account, `${handle}/webhooks`);
  const before = await secret();
  await page.getByRole("button", { name: "Reveal" }).click();
  await page.getByText(before.secret, { exact: true }).waitFor();
  await page.getByRole("button", { name: "Rotate" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
  await page.getByText("Previous, until").waitFor();
  const after = await secret();
  assert.equal(after.previous.secret, before.secret);
  await page.getByText(after.secret, { exact: true }).waitFor();
});

test("roles see what they may: an admin the log, a user the reason", async (t) => {
  const space = await receivingTenant();
  await upload(space, TEXT);
  const admin = await signIn(t, await spaceKey(space, "admin"), `${space.handle}/webhooks`);
  await admin.getByRole("cell", { name: TEXT.name, exact: true }).waitFor();
  assert.ok(await admin.getByRole("button", { name: "Save" }).isDisabled());

  const user = await signIn(t, await spaceKey(space, "user"), `${space.handle}/webhooks`);
  await user.getByText("This needs the role admin. Yours is user.").waitFor();
});
