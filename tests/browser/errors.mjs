// The demo page: rejected uploads and their messages.

import assert from "node:assert/strict";
import test from "node:test";

import { DEMO, open, PHOTO, unsignedConfig, tenant, TEXT } from "./harness.mjs";
import { choose, ended, unsignedUrl, withKey } from "./page.mjs";

const WRONG_BYTES = { name: "text.png", mimeType: "image/png", buffer: Buffer.from("This is no picture.") };

async function errorOf(page, file) {
  return (await ended(page, file, "failed")).innerText();
}

test("no request is sent without a key or a space", async (t) => {
  const page = await open(t, DEMO);
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  await choose(page, TEXT);
  assert.match(await errorOf(page, TEXT), /complete the target first/);
  const key = page.getByLabel("API key");
  assert.equal(await key.getAttribute("aria-invalid"), "true");
  assert.ok(await key.evaluate((input) => input === document.activeElement));
  assert.deepEqual(requests, []);

  const acme = await tenant();
  await withKey(page, acme);
  assert.equal(await key.getAttribute("aria-invalid"), "false");
  await page.getByRole("button", { name: "Try again: notes.txt" }).click();
  await ended(page, TEXT, "stored");
});

test("an unknown key and a foreign space are reported", async (t) => {
  const acme = await tenant();
  const other = await tenant();
  const page = await open(t, DEMO);
  await withKey(page, { ...acme, key: "sk_wrong" });
  await choose(page, TEXT);
  assert.match(await errorOf(page, TEXT), /Unauthenticated\./);
  await withKey(page, { ...acme, handle: other.handle });
  await page.getByRole("button", { name: "Try again: notes.txt" }).click();
  assert.match(await errorOf(page, TEXT), /The selected space is invalid\./);
});

test("violated rules of a config are reported by field, before and after the upload", async (t) => {
  const acme = await tenant();
  const validation = { allowed_formats: ["png"], max_file_size: 100 };
  await acme.config("narrow", { config: { validation } });
  const page = await open(t, DEMO);
  await withKey(page, acme, "narrow");
  await choose(page, PHOTO);
  assert.match(await errorOf(page, PHOTO), /The given data was invalid\.[^]*The \w+ field must/);

  // Its name and size are valid; the confirmation rejects its bytes.
  const confirmed = page.waitForResponse((response) => response.url().includes("/upload/confirm/"));
  await choose(page, WRONG_BYTES);
  assert.match(await errorOf(page, WRONG_BYTES), /The given data was invalid\.[^]*The \w+ field/);
  assert.equal((await confirmed).status(), 422);
});

test("a visitor sees why the host, the config, its rules or the hourly limit reject an upload", async (t) => {
  const acme = await tenant();
  await acme.config("elsewhere", unsignedConfig(["example.com", "localhost"]));
  await acme.config("closed", {});
  await acme.config("pictures", { ...unsignedConfig(["127.0.0.1"]), config: { validation: { allowed_formats: ["jpg"] } } });
  await acme.config("once", unsignedConfig(["127.0.0.1"], { max_uploads_per_hour: 1 }));
  for (const config of ["elsewhere", "closed", "nowhere"]) {
    const page = await open(t, unsignedUrl(acme, config));
    const response = page.waitForResponse((response) => response.url().includes("/upload/unsigned/"));
    await choose(page, PHOTO);
    await ended(page, PHOTO, "failed");
    assert.equal((await response).status(), 403, config);
  }
  const pictures = await open(t, unsignedUrl(acme, "pictures"));
  await choose(pictures, TEXT);
  assert.match(await errorOf(pictures, TEXT), /The file field must be a file of type: jpg/);

  const once = await open(t, unsignedUrl(acme, "once"));
  await choose(once, PHOTO);
  await ended(once, PHOTO, "stored");
  const second = { ...TEXT, name: "second.txt" };
  await choose(once, second);
  await once.locator(".state").getByText("Too many uploads.").waitFor();
});

test("a short Retry-After is waited for", async (t) => {
  const acme = await tenant();
  const page = await open(t, DEMO);
  await withKey(page, acme);
  await page.route("**/upload/presign", (route) => {
    const body = JSON.stringify({ message: "Too Many Attempts.", errors: {} });
    return route.fulfill({ status: 429, headers: { "retry-after": "1" }, contentType: "application/json", body });
  }, { times: 1 });
  await choose(page, TEXT);
  await page.getByText("Trying again in 1 s").waitFor();
  await ended(page, TEXT, "stored");
});

test("a broken connection is reported, and a stored object is not sent again", async (t) => {
  const acme = await tenant();
  const page = await open(t, DEMO);
  await withKey(page, acme);
  const puts = [];
  page.on("request", (request) => request.method() === "PUT" && puts.push(request.url()));
  await page.route("**/upload/confirm/*", (route) => route.abort(), { times: 1 });
  await choose(page, TEXT);
  assert.match(await errorOf(page, TEXT), /The connection was lost\./);
  await page.getByRole("button", { name: "Try again: notes.txt" }).click();
  await ended(page, TEXT, "stored");
  assert.equal(puts.length, 1);
});

test("names and messages are shown as text, not as markup", async (t) => {
  const acme = await tenant();
  const page = await open(t, DEMO);
  await withKey(page, acme);
  const markup = '<img src=x onerror="document.title=1">';
  await page.route("**/upload/presign", (route) => {
    const body = JSON.stringify({ message: markup, errors: { filename: [markup] } });
    return route.fulfill({ status: 422, contentType: "application/json", body });
  });
  const hostile = { ...TEXT, name: `${markup}.txt` };
  await choose(page, hostile);
  const row = await ended(page, hostile, "failed");
  assert.equal((await row.innerText()).split(markup).length, 4);
  assert.equal(await row.locator("img").count(), 0);
});
