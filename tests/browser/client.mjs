// The TypeScript client in Chromium: progress, abort, and repetition without a second file.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import test, { after } from "node:test";

import { build } from "esbuild";

import { API, PHOTO, TIMEOUT_MS, api, noise, open, tenant, throttleUploads } from "./harness.mjs";

/** Size of a file that is uploaded by a presigned URL, in bytes. */
const LARGE_BYTES = 20 * 2 ** 20;
const SOURCES = new URL("../../clients/typescript/src/", import.meta.url).pathname;

const site = await startSite();
const PAGE = `http://127.0.0.1:${site.address().port}/`;
after(() => {
  site.closeAllConnections();
  site.close();
});

/** Serves a page with the client as `larder`. */
async function startSite() {
  const contents = 'import * as larder from "./index.ts"; globalThis.larder = larder;';
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: SOURCES }, bundle: true, format: "esm", write: false, logLevel: "error",
  });
  const html = '<!doctype html><link rel="icon" href="data:,"><input type="file"><script type="module" src="/client.js"></script>';
  const server = createServer((request, response) => {
    const isScript = request.url === "/client.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? outputFiles[0].text : html);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

/** Opens the page, and selects a file. */
async function pageWith(t, file) {
  const page = await open(t, PAGE);
  await page.waitForFunction(() => globalThis.larder);
  await page.locator("input").setInputFiles(file);
  return page;
}

/** Uploads the selected file. Returns the record, or the error, and the reported progress. */
function uploadOn(page, space, abortAfterBytes = Infinity) {
  const options = { baseUrl: API, key: space.key, handle: space.handle, abortAfterBytes };
  return page.evaluate(async ({ baseUrl, key, handle, abortAfterBytes }) => {
    const file = document.querySelector("input").files[0];
    const controller = new AbortController();
    const progress = [];
    const onProgress = ({ sent, total }) => {
      progress.push([sent, total]);
      if (sent >= abortAfterBytes) controller.abort();
    };
    try {
      const uploading = larder.upload({ baseUrl, key }, file, { space: handle, signal: controller.signal, onProgress });
      return { record: await uploading, progress };
    } catch (error) {
      return { error: `${error.name}`, progress };
    }
  }, options);
}

const filesOf = async (space) => (await api(space.account, "GET", `/files?space_id=${space.id}`)).data;

test("a file of 20 MB reports its progress", async (t) => {
  const space = await tenant();
  const page = await pageWith(t, noise("large.bin", LARGE_BYTES));
  await throttleUploads(page, LARGE_BYTES / 2);
  const { record, progress } = await uploadOn(page, space);
  assert.equal(record.size, LARGE_BYTES);
  assert.equal((await space.file(record.id)).status, "active");
  assert.ok(progress.length > 3, `${progress}`);
  assert.deepEqual(progress.at(-1), [LARGE_BYTES, LARGE_BYTES]);
});

test("an abort leaves no file", async (t) => {
  for (const file of [noise("large.bin", LARGE_BYTES), noise("form.bin", 3 * 2 ** 20)]) {
    const space = await tenant();
    const page = await pageWith(t, file);
    await throttleUploads(page);
    const { error, progress } = await uploadOn(page, space, 100_000);
    assert.equal(error, "AbortError");
    assert.ok(progress.at(-1)[0] < file.buffer.length);

    // Whatever the service has received of the file, it has received before this one.
    const { record } = await uploadOn(await pageWith(t, PHOTO), space);
    const deadline = Date.now() + TIMEOUT_MS;
    while ((await filesOf(space)).some(({ id }) => id !== record.id)) assert.ok(Date.now() < deadline, "the file is not deleted");
  }
});

test("failed and lost requests are repeated, and store one file", async (t) => {
  for (const [file, steps] of [[noise("large.bin", LARGE_BYTES), ["presign", "PUT", "confirm"]], [PHOTO, ["upload"]]]) {
    const space = await tenant();
    const page = await pageWith(t, file);
    const failed = new Map();
    const stepOf = (request) => steps.find((name) => request.method() === name || request.url().includes(`/${name}`));
    await page.route((url) => url.origin !== new URL(PAGE).origin, async (route) => {
      const step = stepOf(route.request());
      if (!step || route.request().method() === "OPTIONS") return route.continue();
      const attempt = failed.get(step) ?? 0;
      failed.set(step, attempt + 1);
      const headers = { "access-control-allow-origin": "*", "access-control-expose-headers": "Retry-After, X-Request-Id" };
      if (attempt === 0) return route.fulfill({ status: 503, headers, body: "{}" });
      if (attempt > 1) return route.continue();
      // The service receives the request, but its response is lost.
      await route.fetch();
      return route.abort("connectionreset");
    });

    const { record, error } = await uploadOn(page, space);
    assert.ok(record, error);
    assert.deepEqual([...failed.values()], steps.map(() => 3));
    const files = await filesOf(space);
    assert.deepEqual(files.map(({ id, status }) => [id, status]), [[record.id, "active"]]);
  }
});
