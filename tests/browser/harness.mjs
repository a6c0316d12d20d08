// Shared by the browser tests: a client of the API, Chromium, and a site of another origin.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

import { build } from "esbuild";
import { chromium } from "playwright-core";

export const API = required("LARDER_API_URL");
/** Timeout of each step, in milliseconds. */
export const TIMEOUT_MS = 30_000;
/** Upload rate of the slow connection, in bytes per second: slow enough to observe progress. */
const SLOW_BYTES_PER_SECOND = 1_000_000;
const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

export const PHOTO = {
  name: "photo.jpg",
  mimeType: "image/jpeg",
  buffer: await readFile(new URL("../samples/photo.jpg", import.meta.url)),
};
export const TEXT = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("Flour, honey, beans.\n") };

/** Returns a file of random bytes of no detectable type. */
export function noise(name, bytes) {
  return { name, mimeType: "application/octet-stream", buffer: Buffer.concat([Buffer.alloc(8, 1), randomBytes(bytes - 8)]) };
}

/** Returns a variable of the environment, which must be set. */
export function required(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

/** Sends a request to the API and asserts the status of the response. */
export async function api(key, method, path, { body, status = 200 } = {}) {
  const headers = { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) };
  const response = await fetch(`${API}${path}`, { method, headers, body: body && JSON.stringify(body) });
  const text = await response.text();
  assert.equal(response.status, status, `${method} ${path}: ${text}`);
  return text && JSON.parse(text);
}

/** Creates a space with a key that may upload. Its methods create upload configs and get files. */
export async function tenant() {
  const account = required("LARDER_API_KEY");
  const body = { name: `Browser ${randomBytes(6).toString("hex")}` };
  const { data: space } = await api(account, "POST", "/spaces", { body, status: 201 });
  const request = { body: { name: "page", role: "user" }, status: 201 };
  const { data: key } = await api(account, "POST", `/spaces/${space.id}/api-keys`, request);
  const config = async (name, fields) => {
    const body = { name, space_id: space.id, ...fields };
    return (await api(account, "POST", "/upload-configs", { body, status: 201 })).data;
  };
  const file = async (id) => (await api(account, "GET", `/files/${id}`)).data;
  return { account, handle: space.handle, id: space.id, key: key.key, config, file };
}

/** Fields of an upload config that allows unsigned uploads from pages of these hosts. */
export function unsignedConfig(allowed_referrers, restrictions = {}) {
  return { allow_unsigned: true, unsigned_restrictions: { allowed_referrers, require_https: false, ...restrictions } };
}

let browser;

/** Opens a page in a new profile. Fails the test at its end if a script of the page failed or violated its content security policy. */
export async function open(test, url, options = {}) {
  browser ??= await chromium.launch({ executablePath: process.env.LARDER_CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
  const context = await browser.newContext(options);
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    // Chromium and Uppy log the error responses that the tests provoke.
    const isErrorResponse = /^(Failed to load resource|\[Uppy\])/.test(message.text());
    if (message.type() === "error" && !isErrorResponse) errors.push(message.text());
  });
  test.after(async () => {
    if (!test.passed) test.diagnostic(`The page shows: ${await page.locator("body").innerText()}`);
    await context.close();
    assert.deepEqual(errors, []);
  });
  await page.goto(url);
  return page;
}

/** Throttles the uploads of the page. */
export async function throttleUploads(page, uploadThroughput = SLOW_BYTES_PER_SECOND) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.enable");
  const conditions = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput };
  await devtools.send("Network.emulateNetworkConditions", conditions);
}

/** Asserts that a URL returns exactly these bytes. */
export async function assertDelivered(url, expected) {
  const response = await fetch(url);
  assert.equal(response.status, 200, url);
  assert.ok(expected.equals(Buffer.from(await response.arrayBuffer())), `${url} returns other bytes`);
}

let site;

/** Returns the port of a site of another origin whose page has Uppy. Its host is 127.0.0.1 or localhost. */
export async function otherSite() {
  site ??= await startSite();
  return site.address().port;
}

async function startSite() {
  const entryPoints = [new URL("uppy-page.js", import.meta.url).pathname];
  const { outputFiles } = await build({ entryPoints, bundle: true, format: "esm", write: false, logLevel: "error" });
  const script = outputFiles[0].text;
  const server = createServer((request, response) => {
    const isScript = request.url === "/uppy-page.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? script : '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/uppy-page.js"></script>');
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

export async function close() {
  await browser?.close();
  site?.closeAllConnections();
  site?.close();
}
