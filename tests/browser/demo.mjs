// The demo's page: files that get in.

import assert from "node:assert/strict";
import test from "node:test";

import { api, delivers, DEMO, noise, open, PHOTO, slowLine, strangersFrom, tenant, TEXT } from "./harness.mjs";
import { choose, ended, link, unsignedAddress, withKey } from "./page.mjs";

/** Notes each step of the first upload's progress from now on. */
async function watchProgress(page) {
  await page.evaluate(() => {
    window.steps = [];
    const note = () => {
      const value = document.querySelector("#files progress")?.value ?? 0;
      if (value > 0 && value !== window.steps.at(-1)) window.steps.push(value);
    };
    new MutationObserver(note).observe(document.getElementById("files"), { subtree: true, attributes: true, childList: true });
  });
}

test("with a key, files go straight to storage and come out of the CDN", async (t) => {
  const acme = await tenant();
  const page = await open(t, DEMO);
  await withKey(page, acme);
  await choose(page, PHOTO, TEXT);
  for (const file of [PHOTO, TEXT]) await delivers(await link(await ended(page, file, "stored")), file.buffer);
  assert.equal(await page.locator("#summary").innerText(), "2 of 2 stored");
  assert.match(await page.getByRole("status").innerText(), /is stored\.$/);

  // What is shown in the end is the delivered picture.
  const delivered = page.locator('#files img[src^="http"]');
  await delivered.waitFor();
  assert.ok(await delivered.evaluate((image) => image.naturalWidth > 0));
});

test("progress is shown while a large file is on its way", async (t) => {
  const acme = await tenant();
  const page = await open(t, DEMO);
  await slowLine(page);
  await withKey(page, acme);
  await watchProgress(page);
  const large = noise("large.bin", 2_500_000);
  await choose(page, large);
  await delivers(await link(await ended(page, large, "stored")), large.buffer);
  const steps = await page.evaluate(() => window.steps);
  assert.ok(steps.length > 3 && steps.at(-1) === 1, `${steps}`);
  assert.deepEqual(steps, steps.toSorted((one, other) => one - other));
});

test("files can be dropped", async (t) => {
  const acme = await tenant();
  const page = await open(t, DEMO);
  await withKey(page, acme);
  const dropped = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(["dropped"], "dropped.txt", { type: "text/plain" }));
    return transfer;
  });
  await page.dispatchEvent("#drop", "drop", { dataTransfer: dropped });
  await delivers(await link(await ended(page, { name: "dropped.txt" }, "stored")), Buffer.from("dropped"));
});

test("the key names the spaces, and stays in the tab", async (t) => {
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

test("a visitor uploads where a config lets this page's host in", async (t) => {
  const acme = await tenant();
  await acme.config("visitors", strangersFrom(["127.0.0.1"]));
  const page = await open(t, unsignedAddress(acme, "visitors"));
  await choose(page, PHOTO);
  await delivers(await link(await ended(page, PHOTO, "stored")), PHOTO.buffer);
});

test("what a form cannot carry, a visitor sends to storage too", async (t) => {
  const acme = await tenant();
  await acme.config("visitors", strangersFrom(["127.0.0.1"]));
  const page = await open(t, unsignedAddress(acme, "visitors"));
  const confirmed = page.waitForResponse((response) => response.url().includes("/upload/confirm/"));
  const large = noise("large.bin", 5 * 2 ** 20);
  await choose(page, large);
  await delivers(await link(await ended(page, large, "stored")), large.buffer);
  assert.equal((await confirmed).request().headers().authorization, undefined);
});

test("an upload that is cancelled on its way is never active, and can be tried again", async (t) => {
  const acme = await tenant();
  const page = await open(t, DEMO);
  await slowLine(page);
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
  await delivers(await link(await ended(page, large, "stored")), large.buffer);
});
