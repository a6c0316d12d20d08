// The page with Uppy.

import test from "node:test";

import { noise, PHOTO } from "../harness.mjs";
import { stored, visit } from "./site.mjs";

test("Uppy stores files of all sizes beside one that is rejected, and shows why", async (t) => {
  const page = await visit(t, "uppy.html");
  // Declared and named as an image, so that only its bytes are rejected, at the confirmation.
  const rejected = { name: "0.jpg", mimeType: "image/jpeg", buffer: Buffer.from("no image") };
  const chosen = [{ ...PHOTO, name: "uppy.jpg" }, noise("uppy-large.bin", 5 * 2 ** 20)];
  await page.getByLabel("Files").setInputFiles([rejected, ...chosen]);
  for (const { url } of await stored(...chosen)) await page.getByText(`Stored: ${url}`).waitFor();
  await page.getByText("0.jpg: The file field").waitFor();
});
