// The panel of a file: its URLs, its fields, its access.

import assert from "node:assert/strict";
import test from "node:test";

import { api, noise, PHOTO, required, tenant, TEXT, throttleUploads } from "../harness.mjs";
import { delivered, eventually, goTo, signIn, upload } from "./steps.mjs";

const account = required("LARDER_API_KEY");

async function opened(t, type = "upload") {
  const acme = await tenant();
  const file = await upload(acme, PHOTO);
  if (type !== "upload") await api(account, "PUT", `/files/${file.id}`, { body: { type } });
  const page = await signIn(t, account, `${acme.handle}/files`);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("gridcell", { name: PHOTO.name }).click();
  await page.getByRole("tab", { name: "Use" }).waitFor();
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  return { acme, copied, file, page, record: async () => (await api(account, "GET", `/files/${file.id}`)).data };
}

test("a transformation is shown with its size, and its URL is copied", async (t) => {
  const { copied, page } = await opened(t);
  await page.getByLabel("Width").fill("120");
  await page.getByLabel("Format", { exact: true }).selectOption("png");
  await page.getByText(/instead of/).waitFor();
  await page.getByText(/120\s×\s/).first().waitFor();
  await page.getByRole("button", { name: "Copy", exact: true }).first().click();
  await page.getByText("Copied.").first().waitFor();
  const response = await fetch(await copied());
  assert.equal(response.headers.get("content-type"), "image/png");
  assert.equal(response.headers.get("x-image-width"), "120");
});

test("a protected file is signed, and the copied URL opens it", async (t) => {
  const { copied, file, page } = await opened(t, "authenticated");
  assert.equal((await fetch(file.url)).status, 403);
  await page.getByRole("button", { name: "Sign", exact: true }).click();
  await page.getByRole("button", { name: "1 day" }).click();
  await page.getByText("The URL is valid for 1 day.").first().waitFor();
  assert.equal((await fetch(await copied())).status, 200);
});

test("fields and access are changed, and errors appear at their fields", async (t) => {
  const { page, record } = await opened(t);
  await page.getByRole("tab", { name: "Details" }).click();
  await page.getByLabel("Alternative text").fill("Hills at dawn");
  await page.getByLabel("Title").fill("x".repeat(256));
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The title field must not be greater than 255 characters.").waitFor();
  await page.getByLabel("Title").fill("Dawn");
  await page.getByRole("button", { name: "Save" }).click();
  await eventually(page, async () => (await record()).title === "Dawn");
  assert.equal((await record()).alt, "Hills at dawn");

  await page.getByRole("tab", { name: "Access" }).click();
  await page.getByLabel(/^Private/i).check();
  await page.getByRole("button", { name: "Save" }).click();
  await eventually(page, async () => (await record()).type === "private");
});

test("tags that the service adds while the form is open stay when it is saved", async (t) => {
  const acme = await tenant();
  const file = await upload(acme, PHOTO);
  const page = await signIn(t, account, `${acme.handle}/files`);
  // The first response is one of a file in processing, which the panel then loads again.
  await page.route(`**/api/v1/files/${file.id}`, async (route) => {
    const response = await route.fetch();
    const { data } = await response.json();
    return route.fulfill({ response, json: { data: { ...data, processing: { status: "pending", error: null } } } });
  }, { times: 1 });
  await page.getByRole("gridcell", { name: PHOTO.name }).click();
  await page.getByRole("tab", { name: "Details" }).click();
  await page.getByLabel("Title").fill("Dawn");
  await page.getByLabel("Tags").fill("hills");
  await api(account, "PUT", `/files/${file.id}`, { body: { tags: ["automatic"] } });
  await page.getByRole("button", { name: "Remove automatic" }).waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  const record = async () => (await api(account, "GET", `/files/${file.id}`)).data;
  await eventually(page, async () => (await record()).title === "Dawn");
  assert.deepEqual((await record()).tags.sort(), ["automatic", "hills"]);
});

test("looking at a private image makes no size of it public", async (t) => {
  const { acme, file, page } = await opened(t, "private");
  await page.getByText("The preview is the original.").waitFor();
  await goTo(page, `${acme.handle}/access`, "Upload an image to see the watermark on it.");
  for (const width of [400, 800]) assert.equal((await fetch(`${file.url}?w=${width}`)).status, 403);
});

test("the bytes are replaced under the same URL: by a chosen file, and by a dropped one", async (t) => {
  const { file, page, record } = await opened(t);
  const dialog = page.getByRole("dialog");
  const cut = (width) => delivered(`${file.url}?w=${width}&h=200&r=crop&f=jpeg`);
  const [chosen, dropped] = [await cut(320), await cut(400)];
  const replace = () => dialog.getByRole("button", { name: "Replace" }).click();

  await page.getByRole("button", { name: "Replace…" }).click();
  await dialog.getByText("The URL stays the same.").waitFor();
  await replace();
  await dialog.getByText("Choose a file.").waitFor();
  await dialog.getByLabel("New file").setInputFiles(TEXT);
  await replace();
  await dialog.locator(".error-text, .problem").getByText(/jpg/i).first().waitFor();
  assert.equal((await record()).size, file.size);
  await dialog.getByLabel("New file").setInputFiles({ ...PHOTO, buffer: chosen });
  await replace();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("tab", { name: "Details" }).click();
  await page.getByText("320 × 200").waitFor();
  const { url, size } = await record();
  assert.deepEqual({ url, size }, { url: file.url, size: chosen.length });
  assert.ok(chosen.equals(await delivered(file.url)));
  await page.waitForFunction(() => document.querySelector(".panel-preview img")?.naturalHeight === 200);

  const transfer = await page.evaluateHandle((bytes) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(bytes)], "dropped.jpg", { type: "image/jpeg" }));
    return data;
  }, [...dropped]);
  await page.dispatchEvent(".panel-preview", "dragover", { dataTransfer: transfer });
  await page.dispatchEvent(".panel-preview", "drop", { dataTransfer: transfer });
  await replace();
  await page.getByText("400 × 200").waitFor();
  assert.ok(dropped.equals(await delivered(file.url)));
});

test("a large file is replaced by way of storage, with progress and Cancel", async (t) => {
  const SIZE = 5 << 20;
  const SLOW_BYTES_PER_SECOND = 500_000;
  const acme = await tenant();
  const file = await upload(acme, noise("large.bin", SIZE / 2));
  const page = await signIn(t, account, `${acme.handle}/files`);
  const dialog = page.getByRole("dialog");
  const record = async () => (await api(account, "GET", `/files/${file.id}`)).data;
  const next = noise("next.bin", SIZE);
  await page.getByRole("gridcell", { name: "large.bin" }).click();
  const begin = async () => {
    await page.getByRole("button", { name: "Replace…" }).click();
    await dialog.getByLabel("New file").setInputFiles(next);
    await dialog.getByRole("button", { name: "Replace" }).click();
  };
  await throttleUploads(page, SLOW_BYTES_PER_SECOND);
  await begin();
  await page.waitForFunction(() => document.querySelector("dialog progress")?.value > 0);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("The replacement was cancelled.").first().waitFor();
  assert.equal((await record()).size, file.size);

  await throttleUploads(page, -1);
  await begin();
  await eventually(page, async () => (await record()).size === SIZE);
  await dialog.waitFor({ state: "detached" });
  assert.ok(next.buffer.equals(await delivered(file.url)));
  const { data } = await api(account, "GET", `/files?space_id=${acme.id}`);
  assert.deepEqual(data.map(({ id }) => id), [file.id]);
});

test("a file is deleted after a question that names it", async (t) => {
  const { file, page } = await opened(t);
  await page.getByRole("button", { name: "Delete" }).click();
  const question = page.getByRole("dialog");
  await question.getByText(PHOTO.name).first().waitFor();
  await question.getByRole("button", { name: "Delete" }).click();
  await page.getByText("Drop files or folders").first().waitFor();
  await api(account, "GET", `/files/${file.id}`, { status: 404 });
});
