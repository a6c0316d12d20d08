// Scripts of another site: what they may send, and what they may read of the answers.

import assert from "node:assert/strict";
import test from "node:test";

import { API, api, open, otherSite, PHOTO, strangersFrom, tenant } from "./harness.mjs";

async function elsewhere(t, host = "127.0.0.1") {
  const page = await open(t, `http://${host}:${await otherSite()}/`);
  await page.waitForFunction(() => window.ready);
  return (url, request) => page.evaluate(([url, request]) => window.ask(url, request), [url, request]);
}

test("storage takes from a script exactly what was signed, and its refusals can be read", async (t) => {
  const acme = await tenant();
  const ask = await elsewhere(t);
  const described = { space: acme.handle, filename: PHOTO.name, content_type: PHOTO.mimeType, size: PHOTO.buffer.length };
  const request = { method: "POST", headers: { authorization: `Bearer ${acme.key}`, "content-type": "application/json" } };
  const presigned = await ask(`${API}/upload/presign`, { ...request, body: JSON.stringify(described) });
  assert.equal(presigned.status, 201, presigned.text);
  const { file_id, upload_url, headers } = JSON.parse(presigned.text);

  const put = (type, bytes) => {
    return ask(upload_url, { method: "PUT", headers: { "content-type": type }, base64: bytes.toString("base64") });
  };
  for (const [type, bytes] of [["image/png", PHOTO.buffer], [PHOTO.mimeType, PHOTO.buffer.subarray(1)], [PHOTO.mimeType, Buffer.concat([PHOTO.buffer, PHOTO.buffer])]]) {
    const refused = await put(type, bytes);
    assert.equal(refused.status, 403, refused.text);
    assert.match(refused.text, /<Code>SignatureDoesNotMatch<\/Code>/);
  }
  await api(acme.key, "POST", `/upload/confirm/${file_id}`, { status: 409 });

  const sent = await put(headers["content-type"], PHOTO.buffer);
  assert.equal(sent.status, 200, sent.text);
  assert.ok(sent.headers.etag);
  const confirmed = await ask(`${API}/upload/confirm/${file_id}`, { method: "POST", headers: request.headers });
  assert.equal(confirmed.status, 200, confirmed.text);
  assert.equal(JSON.parse(confirmed.text).data.status, "active");
});

test("a page's host decides, and a script reads why and how long", async (t) => {
  const acme = await tenant();
  await acme.config("once", strangersFrom(["localhost"], { max_uploads_per_hour: 1 }));
  const url = `${API}/upload/unsigned/${acme.handle}/once`;
  const headers = { "content-type": "multipart/form-data; boundary=x" };
  const body = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\ncontent-type: text/plain\r\n\r\na text\r\n--x--\r\n';
  const form = { method: "POST", headers, body };
  const [here, there] = [await elsewhere(t), await elsewhere(t, "localhost")];
  assert.equal((await here(url, form)).status, 403);
  assert.equal((await there(url, { ...form, referrerPolicy: "no-referrer" })).status, 403);
  const stored = await there(url, form);
  assert.equal(stored.status, 201, stored.text);
  const late = await there(url, form);
  assert.equal(late.status, 429, late.text);
  const seconds = Number(late.headers["retry-after"]);
  assert.ok(seconds > 0 && seconds <= 3600, `${seconds}`);
});
