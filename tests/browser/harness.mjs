// What the browser tests stand on: the API as an operator uses it, Chromium, and a site of another origin.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

import { build } from "esbuild";
import { chromium } from "playwright-core";

export const API = required("LARDER_API_URL");
export const DEMO = `${new URL(API).origin}/demo`;
/** Milliseconds that anything may take. */
export const PATIENCE_MS = 30_000;
/** Bytes a second of a slow line, on which progress can be watched. */
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

/** A file of bytes that no sniffer knows. */
export function noise(name, bytes) {
  return { name, mimeType: "application/octet-stream", buffer: Buffer.concat([Buffer.alloc(8, 1), randomBytes(bytes - 8)]) };
}

function required(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

/** Asks the API, and demands a status. */
export async function api(key, method, path, { body, status = 200 } = {}) {
  const headers = { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) };
  const answer = await fetch(`${API}${path}`, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  assert.equal(answer.status, status, `${method} ${path}: ${text}`);
  return text && JSON.parse(text);
}

/** A space of its own, with a key that may upload, and configs by name. */
export async function tenant() {
  const account = required("LARDER_API_KEY");
  const body = { name: `Browser ${randomBytes(6).toString("hex")}` };
  const { data: space } = await api(account, "POST", "/spaces", { body, status: 201 });
  const asked = { body: { name: "page", role: "user" }, status: 201 };
  const { data: key } = await api(account, "POST", `/spaces/${space.id}/api-keys`, asked);
  const config = async (name, fields) => {
    const body = { name, space_id: space.id, ...fields };
    return (await api(account, "POST", "/upload-configs", { body, status: 201 })).data;
  };
  const shown = async (id) => (await api(account, "GET", `/files/${id}`)).data;
  return { account, handle: space.handle, id: space.id, key: key.key, config, file: shown };
}

/** What an upload config says that lets strangers in from these hosts. */
export function strangersFrom(allowed_referrers, restrictions = {}) {
  return { allow_unsigned: true, unsigned_restrictions: { allowed_referrers, require_https: false, ...restrictions } };
}

let browser;

/** A page in a profile of its own. It fails the test at its end where a script of it broke, or broke its policy. */
export async function open(test, address, options = {}) {
  browser ??= await chromium.launch({ executablePath: process.env.LARDER_CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const broken = [];
  page.on("pageerror", (error) => broken.push(error.message));
  page.on("console", (said) => {
    // What servers refuse is written there too, by Chromium and by Uppy, and is what the tests ask for.
    const isRefusal = /^(Failed to load resource|\[Uppy\])/.test(said.text());
    if (said.type() === "error" && !isRefusal) broken.push(said.text());
  });
  test.after(async () => {
    await context.close();
    assert.deepEqual(broken, []);
  });
  await page.goto(address);
  return page;
}

/** Slows down what the page sends. */
export async function slowLine(page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.enable");
  const conditions = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: SLOW_BYTES_PER_SECOND };
  await devtools.send("Network.emulateNetworkConditions", conditions);
}

/** Demands that an address gives exactly these bytes. */
export async function delivers(url, expected) {
  const answer = await fetch(url);
  assert.equal(answer.status, 200, url);
  assert.ok(expected.equals(Buffer.from(await answer.arrayBuffer())), `${url} gives other bytes`);
}

let site;

/** The port of a site of another origin, whose page has Uppy. It answers as 127.0.0.1 and as localhost. */
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
