// Signatures: the vectors that every signer of the repository agrees on, upload URLs, and webhooks.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";

import { build } from "esbuild";

import { sign, signUpload, verifyWebhook } from "../dist/sign.js";
import { BASE } from "./harness.mjs";

const VECTORS = JSON.parse(readFileSync(new URL("../../../tests/signers/vectors.json", import.meta.url), "utf8"));
const ORIGIN = "https://cdn.example";

for (const { what, path = "/api/v1/upload/signed", parameters, canonical, signature } of [
  ...VECTORS.vectors,
  ...VECTORS.delivery,
]) {
  test(`the vector of ${path.split("/")[1]}: ${what}`, async () => {
    const { kid, expires } = Object.fromEntries(parameters);
    const query = parameters.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
    const secret = { secret: VECTORS.secret, kid };
    const signed = await sign(`${ORIGIN}${path}?${query}`, secret, { expiresAt: Number(expires) });
    assert.equal(signed, `${ORIGIN}${canonical}&signature=${signature}`);
  });
}

test("a transformation is signed, and replaces what the URL has", async (t) => {
  t.mock.method(Date, "now", () => 1_000_500);
  const secret = { secret: "s", kid: 3 };
  const file = { url: `${ORIGIN}/acme01/a.jpg?w=1&signature=old&kid=1&expires=2&v=2` };
  const signed = new URL(await sign(file, secret, { width: 400, crop: "fill", download: true, expiresIn: 60 }));
  const { signature, ...rest } = Object.fromEntries(signed.searchParams);
  assert.deepEqual(rest, { download: "", expires: "1060", kid: "3", r: "fill", v: "2", w: "400" });
  const canonical = `${signed.pathname}?download=&expires=1060&kid=3&r=fill&v=2&w=400`;
  assert.equal(signature, createHmac("sha256", "s").update(canonical).digest("hex"));
  await assert.rejects(sign({ url: null }, secret), /pending/);
});

test("a validity from the environment is a number", async (t) => {
  t.mock.method(Date, "now", () => 1_000_500);
  const signed = await sign(`${ORIGIN}/a.jpg`, { secret: "s", kid: 1 }, { expiresIn: "60" });
  assert.equal(new URL(signed).searchParams.get("expires"), "1060");
});

test("an upload URL has the parameters that are defined", async (t) => {
  t.mock.method(Date, "now", () => 0);
  const ids = { keyId: 7, spaceId: "01S", uploadConfigId: "01C" };
  const url = await signUpload(BASE, { secret: "s", kid: 1 }, { ...ids, filename: "a b.jpg", contentType: "image/jpeg" });
  const canonical =
    "content_type=image%2Fjpeg&expires=3600&filename=a%20b.jpg&key_id=7&kid=1&space_id=01S&upload_config_id=01C";
  const signature = createHmac("sha256", "s").update(`/api/v1/upload/signed?${canonical}`).digest("hex");
  assert.equal(url, `${BASE}/upload/signed?${canonical}&signature=${signature}`);
});

const NOW_S = 1_732_060_800;
const BODY = '{"event":"file.uploaded","file":{"id":"01F"}}';
const [CURRENT, PREVIOUS, OTHER] = ["current", "previous", "other"].map((text) => `whsec_${btoa(text)}`);
const signatureOf = (secret, { id = "m1", at = NOW_S, body = BODY } = {}) =>
  `v1,${createHmac("sha256", Buffer.from(secret.slice(6), "base64")).update(`${id}.${at}.${body}`).digest("base64")}`;
const headersOf = (signatures, at = NOW_S) => ({
  "webhook-id": "m1",
  "webhook-timestamp": `${at}`,
  "webhook-signature": signatures,
});

const VALID = headersOf(signatureOf(CURRENT));
const WEBHOOKS = [
  ["valid", BODY, VALID, CURRENT, true],
  ["valid, with Headers", BODY, new Headers(VALID), CURRENT, true],
  ["valid, signed by both secrets", BODY, headersOf(`${signatureOf(PREVIOUS)} ${signatureOf(CURRENT)}`), CURRENT, true],
  ["valid, beside a secret that is not set", BODY, VALID, [undefined, CURRENT], true],
  ["valid, by the second secret", BODY, headersOf(signatureOf(PREVIOUS)), [CURRENT, PREVIOUS], true],
  ["with headers in any case", BODY, Object.fromEntries(Object.entries(VALID).map(([name, value]) => [name.toUpperCase(), value])), CURRENT, true],
  ["with headers of HTTP/2", BODY, { ":method": "POST", "set-cookie": ["a", "b"], ...VALID }, CURRENT, true],
  ["with a malformed signature before", BODY, headersOf(`v1,%% ${signatureOf(CURRENT)}`), CURRENT, true],
  ["after nine other signatures", BODY, headersOf(`${`${signatureOf(OTHER)} `.repeat(9)}${signatureOf(CURRENT)}`), CURRENT, true],
  ["after ten other signatures", BODY, headersOf(`${`${signatureOf(OTHER)} `.repeat(10)}${signatureOf(CURRENT)}`), CURRENT, false],
  ["of another version beside", BODY, headersOf(`v1a,AAAA ${signatureOf(CURRENT)}`), CURRENT, true],
  ["4 minutes old", BODY, headersOf(signatureOf(CURRENT, { at: NOW_S - 240 }), NOW_S - 240), CURRENT, true],
  ["6 minutes old", BODY, headersOf(signatureOf(CURRENT, { at: NOW_S - 360 }), NOW_S - 360), CURRENT, false],
  ["6 minutes early", BODY, headersOf(signatureOf(CURRENT, { at: NOW_S + 360 }), NOW_S + 360), CURRENT, false],
  ["with a changed body", BODY.replace("uploaded", "deleted"), VALID, CURRENT, false],
  ["with a changed id", BODY, { ...VALID, "webhook-id": "m2" }, CURRENT, false],
  ["with a changed time", BODY, { ...VALID, "webhook-timestamp": `${NOW_S + 1}` }, CURRENT, false],
  ["of another secret", BODY, VALID, OTHER, false],
  ["without secrets", BODY, VALID, [], false],
  ["without headers", BODY, { "webhook-signature": undefined }, CURRENT, false],
  ["with a malformed signature", BODY, headersOf("v1,%%"), CURRENT, false],
];
for (const [name, body, headers, secrets, isValid] of WEBHOOKS) {
  test(`a webhook ${name} is ${isValid ? "accepted" : "rejected"}`, async (t) => {
    t.mock.method(Date, "now", () => NOW_S * 1_000);
    const verifying = verifyWebhook(body, headers, secrets);
    if (isValid) assert.deepEqual(await verifying, JSON.parse(BODY));
    else await assert.rejects(verifying);
  });
}

test("a bundle of a page has no signer, one of an edge function has", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "larder-"));
  t.after(() => rm(directory, { recursive: true }));
  await mkdir(join(directory, "node_modules"));
  await symlink(new URL("..", import.meta.url).pathname, join(directory, "node_modules/larder"));
  const stdin = { contents: 'export { sign } from "larder/sign";', resolveDir: directory };
  const bundle = (conditions) => build({ stdin, bundle: true, write: false, format: "esm", logLevel: "silent", conditions });

  await assert.rejects(bundle([]), /No matching export/);
  const { outputFiles } = await bundle(["workerd"]);
  assert.match(outputFiles[0].text, /HMAC/);
});

test("a page cannot sign or verify", async (t) => {
  globalThis.window = { document: {} };
  t.after(() => delete globalThis.window);
  const secret = { secret: "s", kid: 1 };
  await assert.rejects(sign(`${ORIGIN}/a.jpg`, secret), /servers/);
  await assert.rejects(verifyWebhook(BODY, VALID, CURRENT), /servers/);
  await assert.rejects(signUpload(BASE, secret, { keyId: 1, spaceId: "01S", uploadConfigId: "01C" }), /servers/);
});
