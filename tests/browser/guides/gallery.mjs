// The private gallery: what is uploaded appears, responsive and over its placeholder, and without a signature it is closed.

import assert from "node:assert/strict";
import test from "node:test";

import { PHOTO, TEXT } from "../harness.mjs";
import { stored, visit } from "./site.mjs";

test("uploaded photos appear in the size of the screen, and only signed", async (t) => {
  const page = await visit(t, "", { deviceScaleFactor: 1 });
  await page.getByLabel("Add photos").setInputFiles(PHOTO);
  const image = page.getByRole("img", { name: PHOTO.name });
  await image.waitFor();
  await page.waitForFunction(() => document.querySelector("img").complete);

  const { source, width, background } = await image.evaluate((element) => ({
    source: element.currentSrc, width: element.naturalWidth, background: element.style.backgroundImage,
  }));
  assert.equal(width, 320);
  assert.match(background, /^url\("data:image\/bmp;base64,/);

  const [{ url }] = await stored(PHOTO);
  const withoutSignature = new URL(source);
  withoutSignature.searchParams.delete("signature");
  for (const [address, status] of [[source, 200], [withoutSignature, 403], [url, 403], [`${url}?w=320`, 403]]) {
    assert.equal((await fetch(address)).status, status, address);
  }
});

test("screens of a higher resolution get larger images", async (t) => {
  const page = await visit(t, "", { deviceScaleFactor: 2 });
  await page.waitForFunction(() => document.querySelector("img")?.complete);
  assert.match(await page.getByRole("img").evaluate((element) => element.currentSrc), /[?&]w=640&/);
});

test("other files are rejected", async (t) => {
  const page = await visit(t, "");
  const dialog = page.waitForEvent("dialog");
  await page.getByLabel("Add photos").setInputFiles(TEXT);
  const shown = await dialog;
  assert.match(shown.message(), /notes\.txt: /);
  await shown.dismiss();
});
