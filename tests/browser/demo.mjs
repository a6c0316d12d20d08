// The demo page: successful uploads.

import assert from "node:assert/strict";
import test from "node:test";

import { api, assertDelivered, DEMO, noise, open, PHOTO, throttleUploads, unsignedConfig, tenant, TEXT } from "./harness.mjs";
import { choose, ended, link, unsignedUrl, withKey } from "./page.mjs";

/** Records each step of the first upload's progress from now on. */
async function watchProgress(page) {
  await page.evaluate(() => {
    window.steps = [];
    const record = () => {
      const value = document.querySelector("#files progress")?.value ?? 0;
      if (value > 0 && value !== window.steps.at(-1)) window.steps.push(value);
    };
    new MutationObserver(record).observe(document.getElementById("files"), { subtree: true, attributes: true, childList: true });
  });
}

test("files uploaded with a key go to storage and are delivered by the CDN", async (t) => {
  const acme = await tenant();
  const page = await open(t, DEMO);
  await withKey(page, acme);
  await choose(page, PHOTO, TEXT);
  for (const file of [PHOTO, TEXT]) await assertDelivered(await link(await ended(page, file, "stored")), file.buffer);
  assert.equal(await page.locator("#summary").innerText(), "2 of 2 stored");
  assert.match(await page.getByRole("status").innerText(), /is stored\.$/);

  // The thumbnail is replaced by the delivered image.
  const delivered = page.locator('#files img[src^="http"]');
  await delivered.waitFor();
  assert.ok(await delivered.evaluate((image) => image.naturalWidth > 0));
});

test("progress of a large upload is shown", async (t) => {
  const acme = await tenant();
  const page = await open(t, DEMO);
  await throttleUploads(page);
  await withKey(page, acme);
  await watchProgress(page);
  const large = noise("large.bin", 2_500_000);
  await choose(page, large);
  await assertDelivered(await link(await ended(page, large, "stored")), large.buffer);
  const steps = await page.evaluate(() => window.steps);
  assert.ok(steps.length > 3 && steps.at(-1) === 1, `${steps}`);
  assert.deepEqual(steps, steps.toSorted((one, other) => one - other));
});

test("dropped files are uploaded", async (t) => {
  const acme = await tenant();
  const page = await open(t, DEMO);
  await withKey(page, acme);
  const dropped = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(["dropped"], "dropped.txt", { type: "text/plain" }));
    return transfer;
  });
  await page.dispatchEvent("#drop", "drop", { dataTransfer: dropped });
  await assertDelivered(await link(await ended(page, { name: "dropped.txt" }, "stored")), Buffer.from("dropped"));
});

test("the key fills in the space and is stored in the tab only", async (t) => {
  const acme = await tenant();
  const page = await open(t, DEMO);
  await page.getByLabel("API key").fill(acme.key);
  await page.getByLabel("API key").press("Tab");
  await page.waitForFunction(() => document.getElementById("space").value !== "");
  assert.equal(await page.getByLabel("Space handle").inputValue(), acme.handle);
  await page.reload();
  assert.equal(await page.getByLabel("API key").inputValue(), acme.key);
  assert.equal(await page.evaluate(() => localStorage.length + document.cookie.length), 0);
  assert.ok(!page.url().includes(acme.key));
});

test("a visitor uploads with a config that allows the host of the page", async (t) => {
  const acme = await tenant();
  await acme.config("visitors", unsignedConfig(["127.0.0.1"]));
  const page = await open(t, unsignedUrl(acme, "visitors"));
  await choose(page, PHOTO);
  await assertDelivered(await link(await ended(page, PHOTO, "stored")), PHOTO.buffer);
});

test("a visitor uploads files larger than a form directly to storage", async (t) => {
  const acme = await tenant();
  await acme.config("visitors", unsignedConfig(["127.0.0.1"]));
  const page = await open(t, unsignedUrl(acme, "visitors"));
  const confirmed = page.waitForResponse((response) => response.url().includes("/upload/confirm/"));
  const large = noise("large.bin", 5 * 2 ** 20);
  await choose(page, large);
  await assertDelivered(await link(await ended(page, large, "stored")), large.buffer);
  assert.equal((await confirmed).request().headers().authorization, undefined);
});

test("a cancelled upload stays pending and can be retried", async (t) => {
  const acme = await tenant();
  const page = await open(t, DEMO);
  await throttleUploads(page);
  await withKey(page, acme);
  const presigned = page.waitForResponse((response) => response.url().endsWith("/upload/presign"));
  const large = noise("large.bin", 3_000_000);
  await choose(page, large);
  const { file_id } = await (await presigned).json();
  await page.waitForFunction(() => document.querySelector("#files progress").value > 0.2);
  await page.getByRole("button", { name: "Cancel: large.bin" }).click();
  const row = await ended(page, large, "failed");
  assert.match(await row.innerText(), /Cancelled\./);
  assert.equal((await acme.file(file_id)).status, "pending");
  await api(acme.key, "POST", `/upload/confirm/${file_id}`, { status: 409 });

  await page.getByRole("button", { name: "Try again: large.bin" }).click();
  await assertDelivered(await link(await ended(page, large, "stored")), large.buffer);
});
