// The TypeScript client against a running stack: uploads with and without a key, signatures, pages.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

const { srcset, upload, uploadSigned, uploadUnsigned, url, LarderError } = await import("../../clients/typescript/dist/index.js");
const { sign, signUpload } = await import("../../clients/typescript/dist/sign.js");
const api = await import("../../clients/typescript/dist/api.js");

const { LARDER_API_URL: baseUrl, LARDER_API_KEY: key, LARDER_SPACE: handle } = process.env;
/** Size of a file that is uploaded by a presigned URL, in bytes. */
const LARGE_BYTES = 6 * 2 ** 20;
const client = api.createClient(api.createConfig({ baseUrl, auth: key }));
const call = async (operation, options) => (await operation({ client, throwOnError: true, ...options })).data;

const [space] = (await call(api.listSpaces)).data;
const photo = new File([await readFile(new URL("../samples/photo.jpg", import.meta.url))], "photo.jpg", { type: "image/jpeg" });
const large = new File([new Uint8Array(LARGE_BYTES).fill(1)], "large.bin");

const record = await upload({ baseUrl, key }, photo, { space: handle, ref: "cover" });
assert.equal((await call(api.getFileByReference, { query: { space_id: space.id, ref: "cover" } })).data.id, record.id);
assert.equal((await upload({ baseUrl, key }, large, { space: handle })).size, LARGE_BYTES);

const list = (cursor) => call(api.listFiles, { query: { space_id: space.id, cursor, limit: 1 } });
const names = [];
for await (const file of api.pages(list)) names.push(file.original_name);
assert.deepEqual(names.sort(), ["large.bin", "photo.jpg"].sort());

const { headers } = await fetch(url(record, { width: 100, format: "webp" }));
assert.equal(headers.get("content-type"), "image/webp");
assert.equal((await fetch(srcset(record).src)).status, 200);

const access_control = { requires_auth: true };
await call(api.setSpaceAccessControl, { path: { id: space.id }, body: { access_control } });
const { data: secret } = await call(api.getSigningSecret, { path: { id: space.id } });
assert.equal((await fetch(record.url)).status, 403);
assert.equal((await fetch(await sign(record, secret, { width: 50, expiresIn: 60 }))).status, 200);

const { data: account } = await call(api.getAccount);
const restrictions = { allowed_referrers: ["example.com"], require_https: false };
const body = { space_id: space.id, name: "guests", allow_unsigned: true, unsigned_restrictions: restrictions };
const { data: config } = await call(api.createUploadConfig, { body });
const signedUrl = await signUpload(baseUrl, secret, { keyId: account.key.id, spaceId: space.id, uploadConfigId: config.id });
for (const file of [photo, large]) assert.equal((await uploadSigned({ baseUrl }, file, { signedUrl })).status, "active");

// Programs send the header that browsers set.
const fromPage = (input, init) => fetch(input, { ...init, headers: { ...init.headers, referer: "https://example.com/" } });
const guest = { space: handle, uploadConfig: "guests" };
for (const file of [photo, large]) assert.equal((await uploadUnsigned({ baseUrl, fetch: fromPage }, file, guest)).status, "active");
await assert.rejects(uploadUnsigned({ baseUrl }, photo, guest), (error) => error instanceof LarderError && error.status === 403);
