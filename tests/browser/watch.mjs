// The page of the stack and the receiver of webhooks: an upload with its thumbnail and its webhook.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test from "node:test";

import { API, DEMO, open, PHOTO, required, tenant, TEXT } from "./harness.mjs";
import { assertReadable, choose, ended, withKey } from "./page.mjs";

const WATCH = `${new URL(API).origin}/stack`;

async function screenshot(page, name) {
  const directory = process.env.LARDER_SCREENSHOTS;
  if (directory) await page.screenshot({ path: `${directory}/${name}.png`, fullPage: true });
}

/** Selects a space on the page, with the key of the account. */
async function watchSpace(page, { handle }) {
  await page.getByLabel("API key").fill(required("LARDER_API_KEY"));
  await page.getByLabel("API key").press("Tab");
  await page.locator(`#spaces input[value="${handle}"]`).check();
}

test("an upload appears with its thumbnail, and its webhook in the receiver", async (t) => {
  const acme = await tenant();
  const page = await open(t, WATCH, { viewport: { width: 1440, height: 900 } });
  await watchSpace(page, acme);
  await page.getByText("This space has no files yet.").waitFor();
  await page.getByRole("button", { name: "Send webhooks here" }).click();
  await page.getByRole("button", { name: "Sent here" }).waitFor();

  await page.goto(DEMO);
  await withKey(page, acme);
  await choose(page, PHOTO, TEXT);
  for (const file of [PHOTO, TEXT]) await ended(page, file, "stored");

  await page.goto(WATCH);
  await watchSpace(page, acme);
  const card = page.locator("#recent > li").filter({ hasText: PHOTO.name });
  await card.locator("canvas").waitFor();
  const thumbnail = card.locator("img");
  await thumbnail.waitFor();
  assert.ok(await thumbnail.evaluate((image) => image.naturalWidth >= 320));
  const colors = await card.locator("canvas").evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });
  assert.ok(colors > 50, `${colors} colors of the placeholder`);
  await page.locator('#messages > li[data-status="delivered"]').nth(1).waitFor();
  assert.match(await page.locator("#messages > li").first().innerText(), /Attempt 1 at .*: status 204 after \d+ ms/);
  assert.match(await page.locator("#queues").innerText(), /Processing\w*\s+\d+\s+\d+\s+\d+\s+0/);
  await assertReadable(page);
  await screenshot(page, "watch");

  await page.getByRole("link", { name: "Received webhooks" }).click();
  const received = page.locator("#webhooks > li").filter({ hasText: PHOTO.name });
  await received.waitFor();
  const text = await received.innerText();
  assert.match(text, /webhook-id\s+\S+\s+webhook-timestamp\s+\d+\s+webhook-signature\s+v1,\S+/);
  assert.match(await received.locator("pre").innerText(), /\n  "/);
  await assertReadable(page);
  await screenshot(page, "webhooks");
});

test("markup in webhooks is shown as text, and bodies above 1 MB are rejected", async (t) => {
  const post = (body) => fetch(`${WATCH}demo/webhooks`, { method: "POST", body });
  const marker = randomBytes(6).toString("hex");
  const markup = JSON.stringify({ event: `<img src=x onerror=alert(1)>${marker}` });
  const page = await open(t, `${WATCH}demo/webhooks`);

  assert.equal((await post(markup)).status, 204);
  assert.equal((await post("x".repeat(1_000_001))).status, 413);

  const received = page.locator("#webhooks > li").filter({ hasText: marker });
  await received.waitFor();
  assert.match(await received.locator(".event").innerText(), /^<img src=x/);
  assert.equal(await page.locator("#webhooks img").count(), 0);
});

test("an invalid key is explained", async (t) => {
  const page = await open(t, WATCH);
  await page.getByLabel("API key").fill("sk_unknown");
  await page.getByLabel("API key").press("Tab");
  await page.locator("#problem:not(:empty)").waitFor();
  assert.equal(await page.locator("#spaces label").count(), 0);
});

for (const colorScheme of ["light", "dark"]) {
  test(`on a phone in ${colorScheme} mode, the page of the stack fits and its text is readable`, async (t) => {
    const acme = await tenant();
    const page = await open(t, WATCH, { viewport: { width: 375, height: 800 }, colorScheme });
    await watchSpace(page, acme);
    await page.getByText("This space has no files yet.").waitFor();
    await page.locator("#queues td.dead").first().waitFor();
    const isCut = await page.locator(".scroll").evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
    assert.ok(!isCut, "all columns of the queues are visible");
    await assertReadable(page);
    await screenshot(page, `watch-375-${colorScheme}`);
  });
}
