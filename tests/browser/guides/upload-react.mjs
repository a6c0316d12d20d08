// The React page: several files with progress, a cancelled one, and one that is rejected.

import assert from "node:assert/strict";
import test from "node:test";

import { noise, TEXT, throttleUploads } from "../harness.mjs";
import { files, stored, visit } from "./site.mjs";

test("a queue stores files, cancels one, and shows why one is rejected", async (t) => {
  const page = await visit(t, "react.html");
  const large = noise("react-large.bin", 5 * 2 ** 20);
  const cancelled = noise("react-cancelled.bin", 6 * 2 ** 20);
  const rejected = { name: "tool.exe", mimeType: "application/octet-stream", buffer: Buffer.from("MZ\x90\0") };
  await throttleUploads(page, 2_000_000);
  await page.getByLabel("Files").setInputFiles([TEXT, large, cancelled, rejected]);

  await page.getByRole("progressbar", { name: large.name }).waitFor();
  await page.getByRole("button", { name: `Cancel ${cancelled.name}` }).click();
  await page.getByText(`${cancelled.name}: cancelled`).waitFor();
  await page.getByText(`${rejected.name}: The file field`).waitFor();
  for (const { name } of [TEXT, large]) await page.getByText(`${name}: stored`).waitFor();

  await stored(TEXT, large);
  const active = (await files()).filter(({ status }) => status === "active");
  assert.ok(active.every(({ original_name }) => original_name !== cancelled.name));
});

test("dropped files are stored", async (t) => {
  const page = await visit(t, "react.html");
  await page.locator("section").evaluate((section) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["dropped"], "dropped.txt", { type: "text/plain" }));
    section.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  });
  await page.getByText("dropped.txt: stored").waitFor();
});
