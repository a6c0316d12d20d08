// Unmodified Uppy from npm, on a page of another origin.

import assert from "node:assert/strict";
import test from "node:test";

import { API, api, assertDelivered, noise, open, otherSite, PHOTO, throttleUploads, unsignedConfig, tenant, TEXT } from "./harness.mjs";

async function uppyPage(t, host = "localhost") {
  const page = await open(t, `http://${host}:${await otherSite()}/`);
  await page.waitForFunction(() => window.ready);
  return page;
}

/** Calls a function of the page. Files are transferred as base64. */
function call(page, name, given, files, ...rest) {
  const encoded = files.map(({ name, mimeType, buffer }) => ({ name, type: mimeType, base64: buffer.toString("base64") }));
  return page.evaluate(([name, given, encoded, rest]) => {
    const bytes = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const files = encoded.map(({ name, type, base64 }) => ({ name, type, bytes: bytes(base64) }));
    return window[name](...given, files, ...rest);
  }, [name, given, encoded, rest]);
}

test("@uppy/xhr-upload uploads on the unsigned route", async (t) => {
  const acme = await tenant();
  await acme.config("visitors", unsignedConfig(["localhost"]));
  const page = await uppyPage(t);
  const url = `${API}/upload/unsigned/${acme.handle}/visitors`;
  const { stored, failed } = await call(page, "unsigned", [url], [PHOTO, TEXT]);
  assert.deepEqual(failed, []);
  assert.equal(stored.length, 2);
  for (const { body } of stored) {
    const sent = [PHOTO, TEXT].find(({ name }) => name === body.data.original_name);
    await assertDelivered(body.data.url, sent.buffer);
  }
});

test("@uppy/xhr-upload reports errors", async (t) => {
  const acme = await tenant();
  await acme.config("visitors", unsignedConfig(["localhost"]));
  const page = await uppyPage(t, "127.0.0.1");
  const url = `${API}/upload/unsigned/${acme.handle}/visitors`;
  const { stored, failed } = await call(page, "unsigned", [url], [PHOTO]);
  assert.deepEqual([stored.length, failed.map(({ status }) => status)], [0, [403]]);
});

test("@uppy/aws-s3 uploads to presigned URLs with progress", async (t) => {
  const acme = await tenant();
  const page = await uppyPage(t);
  await throttleUploads(page);
  const large = noise("large.bin", 2_500_000);
  const { stored, failed, progress } = await call(page, "direct", [API, acme.key, acme.handle], [PHOTO, large]);
  assert.deepEqual(failed, []);
  assert.equal(stored.length, 2);
  for (const { meta } of stored) {
    assert.equal(meta.confirmed.status, "active");
    await assertDelivered(meta.confirmed.url, [PHOTO, large].find(({ name }) => name === meta.confirmed.original_name).buffer);
  }
  assert.ok(progress.filter((part) => part > 0 && part < 1).length > 3, `${progress}`);
});

test("an upload cancelled by @uppy/aws-s3 stays pending", async (t) => {
  const acme = await tenant();
  const page = await uppyPage(t);
  await throttleUploads(page);
  const presigned = page.waitForResponse((response) => response.url().endsWith("/upload/presign") && response.status() === 201);
  const { stored } = await call(page, "direct", [API, acme.key, acme.handle], [noise("large.bin", 3_000_000)], 0.2);
  assert.deepEqual(stored, []);
  const { file_id } = await (await presigned).json();
  assert.equal((await acme.file(file_id)).status, "pending");
  await api(acme.key, "POST", `/upload/confirm/${file_id}`, { status: 409 });
});
