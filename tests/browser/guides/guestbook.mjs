// The page for visitors.

import test from "node:test";

import { PHOTO, TEXT } from "../harness.mjs";
import { stored, visit } from "./site.mjs";

test("visitors upload photos, and nothing else", async (t) => {
  const page = await visit(t, "guestbook.html");
  await page.getByLabel("Your photos").setInputFiles([PHOTO, TEXT]);
  await page.getByText(`${PHOTO.name} appears soon.`).waitFor();
  await page.getByText(`${TEXT.name} The file field`).waitFor();
  await stored(PHOTO);
});
