// Scripts of another origin: requests that they may send and responses that they may read.

import assert from "node:assert/strict";
import test from "node:test";

import { API, api, open, otherSite, PHOTO, unsignedConfig, tenant } from "./harness.mjs";

async function otherOrigin(t, host = "127.0.0.1") {
  const page = await open(t, `http://${host}:${await otherSite()}/`);
  await page.waitForFunction(() => window.ready);
  return (url, request) => page.evaluate(([url, request]) => window.send(url, request), [url, request]);
}

test("storage accepts the signed request only, and scripts can read its errors", async (t) => {
  const acme = await tenant();
  const send = await otherOrigin(t);
  const declared = { space: acme.handle, filename: PHOTO.name, content_type: PHOTO.mimeType, size: PHOTO.buffer.length };
  const request = { method: "POST", headers: { authorization: `Bearer ${acme.key}`, "content-type": "application/json" } };
  const presigned = await send(`${API}/upload/presign`, { ...request, body: JSON.stringify(declared) });
  assert.equal(presigned.status, 201, presigned.text);
  const { file_id, upload_url, headers } = JSON.parse(presigned.text);

  const put = (type, bytes) => {
    return send(upload_url, { method: "PUT", headers: { "content-type": type }, base64: bytes.toString("base64") });
  };
  for (const [type, bytes] of [["image/png", PHOTO.buffer], [PHOTO.mimeType, PHOTO.buffer.subarray(1)], [PHOTO.mimeType, Buffer.concat([PHOTO.buffer, PHOTO.buffer])]]) {
    const rejected = await put(type, bytes);
    assert.equal(rejected.status, 403, rejected.text);
    assert.match(rejected.text, /<Code>SignatureDoesNotMatch<\/Code>/);
  }
  await api(acme.key, "POST", `/upload/confirm/${file_id}`, { status: 409 });

  const sent = await put(headers["content-type"], PHOTO.buffer);
  assert.equal(sent.status, 200, sent.text);
  assert.ok(sent.headers.etag);
  const confirmed = await send(`${API}/upload/confirm/${file_id}`, { method: "POST", headers: request.headers });
  assert.equal(confirmed.status, 200, confirmed.text);
  assert.equal(JSON.parse(confirmed.text).data.status, "active");
});

test("unsigned uploads depend on the host of the page, and scripts can read the error and Retry-After", async (t) => {
  const acme = await tenant();
  await acme.config("once", unsignedConfig(["localhost"], { max_uploads_per_hour: 1 }));
  const url = `${API}/upload/unsigned/${acme.handle}/once`;
  const headers = { "content-type": "multipart/form-data; boundary=x" };
  const body = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\ncontent-type: text/plain\r\n\r\na text\r\n--x--\r\n';
  const form = { method: "POST", headers, body };
  const otherHost = await otherOrigin(t);
  const allowedHost = await otherOrigin(t, "localhost");
  assert.equal((await otherHost(url, form)).status, 403);
  assert.equal((await allowedHost(url, { ...form, referrerPolicy: "no-referrer" })).status, 403);
  const stored = await allowedHost(url, form);
  assert.equal(stored.status, 201, stored.text);
  const late = await allowedHost(url, form);
  assert.equal(late.status, 429, late.text);
  const seconds = Number(late.headers["retry-after"]);
  assert.ok(seconds > 0 && seconds <= 3600, `${seconds}`);
});
