// Uploads: repetitions, the steps of a presigned upload, restarts, aborts and progress.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import test from "node:test";
import { inspect } from "node:util";

import { LarderError, upload, uploadSigned, uploadUnsigned } from "../dist/index.js";
import { BASE, failure, fileOf, instantTimers, json, LARGE, RECORD, service, settle, SMALL } from "./harness.mjs";

const LOST = new TypeError("fetch failed", { cause: Object.assign(new Error("no connection to URL"), { code: "ECONNREFUSED" }) });
const IN_PROGRESS = failure(409, { idempotency_key: ["is in progress"] }, { "retry-after": "5" });
const options = ({ fetch }, more = {}) => ({ baseUrl: BASE, key: "sk_1", fetch, ...more });

const REPEATED = [
  ["503 with Retry-After: 0", failure(503, {}, { "retry-after": "0" }), 0],
  ["503 with Retry-After: 2", failure(503, {}, { "retry-after": "2" }), 2_000],
  ["429 with Retry-After", failure(429, {}, { "retry-after": "7" }), 7_000],
  ["429 of API Gateway", json(429, { message: "Too Many Requests" }), 1_000],
  ["503 of API Gateway", json(503, { message: "Service Unavailable" }), 0],
  ["408", failure(408), 0],
  ["502 of a proxy", new Response("<html>", { status: 502 }), 0],
  ["a lost connection", LOST, 0],
  ["409 of a request in progress", IN_PROGRESS, 5_000],
];
for (const [name, first, delay] of REPEATED) {
  test(`${name} is repeated after ${delay} ms with the same Idempotency-Key`, async (t) => {
    const delays = instantTimers(t);
    const larder = service({ form: [first] });
    assert.deepEqual(await upload(options(larder), fileOf(SMALL), { space: "acme01" }), RECORD);
    assert.deepEqual(delays, [delay]);
    const keys = larder.calls.map(({ headers }) => headers["idempotency-key"]);
    assert.equal(keys.length, 2);
    assert.equal(keys[0], keys[1]);
    assert.match(keys[0], /^[\d-]{16,}$/);
  });
}

const FINAL = [
  ["401", json(401, { message: "Unauthenticated.", errors: {} }), { status: 401, message: "Unauthenticated." }],
  ["422", failure(422, { file: ["too large"] }), { status: 422, errors: { file: ["too large"] } }],
  ["409 of a taken name", failure(409, { file: ["has already been taken"] }), { status: 409, retryAfter: 0 }],
  ["the 429 of an hourly limit", failure(429, {}, { "retry-after": "3600" }), { status: 429, retryAfter: 3600 }],
  ["413 without JSON", new Response("", { status: 413 }), { status: 413, message: "Status 413", errors: {} }],
  ["422 with other JSON", json(422, { message: null, errors: null }), { status: 422, message: "Status 422", errors: {} }],
  ["422 with a list", json(422, [1]), { status: 422, message: "Status 422", errors: {} }],
  ["a page of a portal", new Response("<html>"), { status: 200, message: "The response is not JSON." }],
];
for (const [name, response, expected] of FINAL) {
  test(`${name} is reported and not repeated`, async () => {
    if (!response.ok) response.headers.set("x-request-id", "r-1");
    const larder = service({ form: [response] });
    const failing = upload(options(larder), fileOf(SMALL), { space: "acme01" });
    await assert.rejects(failing, { name: "LarderError", requestId: response.ok ? "" : "r-1", ...expected });
    assert.equal(larder.calls.length, 1);
  });
}

test("the number of repetitions is bounded, and the last error is reported", async (t) => {
  const delays = instantTimers(t);
  for (const [retries, requests] of [[undefined, 5], [1, 2], [0, 1]]) {
    const larder = service({ form: Array(9).fill(LOST) });
    const o = options(larder, retries === undefined ? {} : { retries });
    const error = await upload(o, fileOf(SMALL), { space: "acme01" }).catch((caught) => caught);
    assert.ok(error instanceof LarderError);
    assert.deepEqual([error.status, error.cause, larder.calls.length], [0, "ECONNREFUSED", requests]);
  }
  t.mock.method(Math, "random", () => 1);
  delays.length = 0;
  const larder = service({ form: Array(9).fill(LOST) });
  await assert.rejects(upload(options(larder, { retries: 6 }), fileOf(SMALL), { space: "acme01" }));
  assert.deepEqual(delays, [500, 1_000, 2_000, 4_000, 8_000, 8_000]);
});

test("a small file is a form with the target, and the key is asked for at each attempt", async (t) => {
  instantTimers(t);
  const larder = service({ form: [failure(503)] });
  let count = 0;
  const target = { space: "acme01", uploadConfig: "starter", folderPath: "a/b", ref: "r", name: "n.txt" };
  await upload(options(larder, { key: async () => `sk_${(count += 1)}` }), fileOf(SMALL), target);
  assert.deepEqual(larder.calls.map(({ headers }) => headers.authorization), ["Bearer sk_1", "Bearer sk_2"]);
  const { file, ...fields } = Object.fromEntries(larder.calls[1].body);
  assert.deepEqual([file.name, file.size, file.type], ["n.txt", SMALL, "text/plain"]);
  const expected = { space: "acme01", upload_config: "starter", folder_id: "root", folder_path: "a/b", ref: "r" };
  assert.deepEqual(fields, expected);
});

test("a large file is declared, sent to storage and confirmed, with progress at the end", async () => {
  const larder = service();
  const progress = [];
  const target = { space: "acme01", folderId: "01D", onProgress: (p) => progress.push(p) };
  assert.deepEqual(await upload(options(larder), fileOf(LARGE), target), RECORD);
  const [presign, put, confirm] = larder.calls;
  assert.deepEqual(larder.steps(), ["presign", "put", "confirm"]);
  const declared = { space: "acme01", folder_id: "01D", filename: "a.txt", content_type: "text/plain", size: LARGE };
  assert.deepEqual(JSON.parse(presign.body), declared);
  assert.deepEqual([put.headers, put.body.size], [{ "content-type": "text/plain" }, LARGE]);
  assert.equal(confirm.url, `${BASE}/upload/confirm/01F`);
  assert.deepEqual(progress, [{ sent: LARGE, total: LARGE }]);
});

test("with replaces, the bytes of a file are replaced: in a form, or by way of storage", async () => {
  const larder = service();
  const target = { space: "acme01", ref: "r", replaces: "01F" };
  assert.deepEqual(await upload(options(larder), fileOf(SMALL), target), RECORD);
  assert.deepEqual(await upload(options(larder), fileOf(LARGE), target), RECORD);
  const [form, presign] = larder.calls;
  assert.deepEqual([form.url, [...form.body.keys()]], [`${BASE}/files/01F/content`, ["file"]]);
  assert.equal(JSON.parse(presign.body).replaces, "01F");
  assert.deepEqual(larder.steps(), ["form", "presign", "put", "confirm"]);
});

test("a base URL may end with a slash, and a given key identifies the upload", async () => {
  const larder = service({ confirm: [failure(404)] });
  const target = { space: "acme01", idempotencyKey: "post-17" };
  await upload(options(larder, { baseUrl: `${BASE}/` }), fileOf(LARGE), target);
  assert.deepEqual(larder.calls.filter(({ url }) => url.includes("//upload")), []);
  const keys = larder.calls.flatMap(({ headers }) => headers["idempotency-key"] ?? []);
  assert.deepEqual(keys, ["post-17-0", "post-17-1"]);
});

test("no error contains the key or the URL", async (t) => {
  instantTimers(t);
  const o = { baseUrl: "//secret", key: "secret\nkey", retries: 0 };
  const error = await upload(o, fileOf(SMALL), { space: "acme01" }).catch((caught) => caught);
  assert.ok(error instanceof LarderError);
  assert.doesNotMatch(inspect(error), /secret/);
});

const SIGNED = `${BASE}/upload/signed?key_id=1&signature=ab`;
const WITHOUT_KEY = [
  ["signed", (o, file) => uploadSigned(o, file, { signedUrl: SIGNED }), SIGNED, SIGNED.replace("?", "/presign?")],
  [
    "unsigned",
    (o, file) => uploadUnsigned(o, file, { space: "acme01", uploadConfig: "open" }),
    `${BASE}/upload/unsigned/acme01/open`,
    `${BASE}/upload/unsigned/acme01/open/presign`,
  ],
];
for (const [name, send, formUrl, presignUrl] of WITHOUT_KEY) {
  test(`${name} uploads send no key, and confirm with the token`, async () => {
    const larder = service();
    await send(options(larder), fileOf(SMALL));
    await send(options(larder), fileOf(LARGE));
    assert.deepEqual(larder.calls.map(({ url }) => url).slice(0, 2), [formUrl, presignUrl]);
    assert.ok(larder.calls.every(({ headers }) => !headers.authorization));
    assert.deepEqual(JSON.parse(larder.calls.at(-1).body), { confirm_token: "token" });
  });
}

const GONE = [
  ["an expired presign response", { presign: () => failure(409, { idempotency_key: ["expired"] }) }, true],
  ["an expired upload URL", { put: () => new Response("<Error/>", { status: 403 }) }, true],
  ["a removed pending file", { confirm: () => failure(404) }, true],
  ["bytes that are not there", { confirm: () => failure(409, { file: ["must be uploaded first"] }) }, false],
  ["bytes that violate the rules", { confirm: () => failure(422, { file: ["wrong"] }) }, false],
  ["a taken name", { confirm: () => failure(409, { file: ["The file has already been taken."] }) }, false],
];
for (const [name, failing, restarts] of GONE) {
  const [[step, fail]] = Object.entries(failing);
  test(`${name}: the upload ${restarts ? "starts again once" : "fails"}`, async () => {
    const larder = service({ [step]: [fail()] });
    const first = upload(options(larder), fileOf(LARGE), { space: "acme01" });
    if (restarts) assert.deepEqual(await first, RECORD);
    else await assert.rejects(first, LarderError);

    const twice = service({ [step]: [fail(), fail(), fail()] });
    await assert.rejects(upload(options(twice), fileOf(LARGE), { space: "acme01" }), { status: fail().status });
    const keys = twice.calls.filter((call) => call.step === "presign").map(({ headers }) => headers["idempotency-key"]);
    assert.equal(new Set(keys).size, restarts ? 2 : 1);
    assert.equal(keys.length, new Set(keys).size);
  });
}

test("a PUT and a confirmation are repeated without a new pending file", async (t) => {
  instantTimers(t);
  const larder = service({ put: [LOST, failure(503)], confirm: [LOST, failure(500)] });
  await upload(options(larder), fileOf(LARGE), { space: "acme01" });
  assert.deepEqual(larder.steps(), ["presign", "put", "put", "put", "confirm", "confirm", "confirm"]);
});

test("a connection that is lost after the file is stored stores one file", async (t) => {
  t.mock.method(Math, "random", () => 0);
  const stored = new Map();
  let requests = 0;
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    stored.set(request.headers["idempotency-key"], RECORD);
    requests += 1;
    if (requests === 1) request.socket.destroy();
    else response.writeHead(201).end(JSON.stringify({ data: RECORD }));
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");

  const baseUrl = `http://127.0.0.1:${server.address().port}`;
  assert.deepEqual(await upload({ baseUrl, key: "sk_1" }, fileOf(SMALL), { space: "acme01" }), RECORD);
  assert.deepEqual([requests, stored.size], [2, 1]);
  server.closeAllConnections();
});

test("an abort ends a wait at once, with the reason of the signal", async () => {
  const limited = () => failure(429, {}, { "retry-after": "60" });
  const larder = service({ form: [limited()] });
  const controller = new AbortController();
  const sending = upload(options(larder), fileOf(SMALL), { space: "acme01", signal: controller.signal });
  await settle();
  controller.abort();
  await assert.rejects(sending, { name: "AbortError" });

  const during = new AbortController();
  const aborting = service({ form: [() => (during.abort(), limited())] });
  const aborted = upload(options(aborting), fileOf(SMALL), { space: "acme01", signal: during.signal });
  await assert.rejects(aborted, { name: "AbortError" });
  await assert.rejects(upload(options(larder), fileOf(SMALL), { space: "acme01", signal: controller.signal }));
  assert.equal(larder.calls.length, 1);
});

for (const step of ["put", "confirm"]) {
  test(`an abort at ${step} confirms nothing and deletes the pending file`, async () => {
    const controller = new AbortController();
    const reason = new Error("closed");
    const abort = () => {
      controller.abort(reason);
      return LOST;
    };
    const larder = service({ [step]: [abort] });
    const sending = upload(options(larder), fileOf(LARGE), { space: "acme01", signal: controller.signal });
    await assert.rejects(sending, reason);
    await settle();
    assert.deepEqual(larder.calls.at(-1).url, `${BASE}/files/01F`);
    assert.deepEqual(larder.steps().slice(-2), [step, "delete"]);
  });
}

/** The parts of `XMLHttpRequest` that are used. A body of a form has more bytes than its file. */
class FakeXhr {
  static sent = [];
  upload = {};
  headers = {};
  status = 201;
  responseText = JSON.stringify({ data: RECORD });
  open = (method, url) => FakeXhr.sent.push(Object.assign(this, { method, url }));
  setRequestHeader = (name, value) => (this.headers[name] = value);
  getResponseHeader = () => null;
  abort = () => (this.isAborted = true);
  send() {
    for (const loaded of [2, SMALL + 100]) this.upload.onprogress({ loaded });
    if (!FakeXhr.isStalled) queueMicrotask(() => [this.onload, this.onloadend].forEach((f) => f()));
  }
}

test("XMLHttpRequest reports progress where it exists, and is aborted", async (t) => {
  globalThis.XMLHttpRequest = FakeXhr;
  t.after(() => delete globalThis.XMLHttpRequest);
  const sent = [];
  const o = { baseUrl: BASE, key: "sk_1" };
  const onProgress = (p) => sent.push(p.sent);
  assert.deepEqual(await upload(o, fileOf(SMALL), { space: "acme01", onProgress }), RECORD);
  assert.deepEqual(sent, [2, SMALL, SMALL]);
  assert.equal(FakeXhr.sent[0].headers.authorization, "Bearer sk_1");

  FakeXhr.isStalled = true;
  const controller = new AbortController();
  const stalled = upload(o, fileOf(SMALL), { space: "acme01", onProgress, signal: controller.signal });
  await settle();
  controller.abort();
  await assert.rejects(stalled, { name: "AbortError" });
  assert.ok(FakeXhr.sent.at(-1).isAborted);
});
