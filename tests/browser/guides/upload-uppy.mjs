// The page with Uppy.

import test from "node:test";

import { noise, PHOTO } from "../harness.mjs";
import { stored, visit } from "./site.mjs";

test("Uppy stores files of all sizes", async (t) => {
  const page = await visit(t, "uppy.html");
  const chosen = [{ ...PHOTO, name: "uppy.jpg" }, noise("uppy-large.bin", 5 * 2 ** 20)];
  await page.getByLabel("Files").setInputFiles(chosen);
  for (const { url } of await stored(...chosen)) await page.getByText(`Stored: ${url}`).waitFor();
});

test("Uppy shows why a file is rejected", async (t) => {
  const page = await visit(t, "uppy.html");
  const program = { name: "tool.exe", mimeType: "application/octet-stream", buffer: Buffer.from("MZ\x90\0") };
  await page.getByLabel("Files").setInputFiles(program);
  await page.getByText("The filename field").or(page.getByText("The file field")).waitFor();
});
