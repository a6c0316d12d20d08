// The page without a framework: a form, a presigned upload with progress, an abort, and an error.

import assert from "node:assert/strict";
import test from "node:test";

import { noise, PHOTO, throttleUploads } from "../harness.mjs";
import { files, stored, visit } from "./site.mjs";

test("small and large files are stored", async (t) => {
  const page = await visit(t, "upload.html");
  for (const file of [PHOTO, noise("large.bin", 5 * 2 ** 20)]) {
    await page.getByLabel("File").setInputFiles(file);
    await page.getByRole("button", { name: "Upload" }).click();
    const [{ url }] = await stored(file);
    await page.getByText(`Stored: ${url}`).waitFor();
    assert.equal(await page.getByRole("progressbar").evaluate((bar) => bar.value / bar.max), 1);
  }
});

test("an upload can be cancelled", async (t) => {
  const page = await visit(t, "upload.html");
  await throttleUploads(page);
  await page.getByLabel("File").setInputFiles(noise("cancelled.bin", 3 * 2 ** 20));
  await page.getByRole("button", { name: "Upload" }).click();
  await page.waitForFunction(() => document.querySelector("progress").value > 0);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Cancelled.").waitFor();
  assert.ok((await files()).every(({ original_name }) => original_name !== "cancelled.bin"));
});

test("the reason of a rejection is shown", async (t) => {
  const page = await visit(t, "upload.html");
  const program = { name: "tool.exe", mimeType: "application/octet-stream", buffer: Buffer.from("MZ\x90\0") };
  await page.getByLabel("File").setInputFiles(program);
  await page.getByRole("button", { name: "Upload" }).click();
  await page.getByText("The file field").waitFor();
});
