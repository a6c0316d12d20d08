// The gallery: an uploaded image with every mode, gravity and format.

import assert from "node:assert/strict";
import test from "node:test";

import { DEMO, open, PHOTO, tenant } from "./harness.mjs";
import { choose, ended, withKey } from "./page.mjs";

/** Timeout of all images of the gallery, in milliseconds: a development build renders slowly. */
const GALLERY_TIMEOUT_MS = 120_000;
/** An image of one pixel, whose renditions are rendered quickly. */
const PIXEL = {
  name: "pixel.png",
  mimeType: "image/png",
  buffer: Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64"),
};

/** Returns the captions of the figures by their query, once all are loaded. */
async function captions(page) {
  await page.waitForFunction(
    () => document.querySelectorAll("figure").length > 0 && document.querySelectorAll("figure:not([data-state])").length === 0,
    null,
    { timeout: GALLERY_TIMEOUT_MS },
  );
  return page.locator("figure").evaluateAll((figures) => Object.fromEntries(figures.map((figure) => [
    figure.querySelector(".query").textContent,
    figure.querySelector(".result").textContent,
  ])));
}

test("the gallery shows an uploaded image with every mode, gravity and format", async (t) => {
  const acme = await tenant();
  const page = await open(t, DEMO, { viewport: { width: 1440, height: 900 } });
  await withKey(page, acme);
  await choose(page, PHOTO);
  const row = await ended(page, PHOTO, "stored");
  await row.getByRole("link", { name: /^Transform/ }).click();

  const results = await captions(page);

  assert.equal(Object.keys(results).length, 29);
  assert.match(results["w=480&h=320&r=fill"], /^480 × 320 · AVIF/);
  assert.match(results["w=240&h=240&r=scale"], /^240 × 240/);
  assert.match(results["w=240&h=240&r=fit"], /^240 × \d+/);
  assert.match(results["w=200&h=200&r=crop&g=northwest"], /^200 × 200/);
  for (const format of ["jpeg", "png", "webp", "avif", "gif"]) {
    assert.match(results[`w=480&f=${format}`], new RegExp(`^480 × \\d+ · ${format.toUpperCase()}`));
  }
  assert.equal(await page.locator('figure[data-state="failed"]').count(), 0);
  if (process.env.LARDER_SCREENSHOTS) {
    await page.screenshot({ path: `${process.env.LARDER_SCREENSHOTS}/gallery.png`, fullPage: true });
  }
});

test("the gallery explains invalid parameters and URLs", async (t) => {
  const acme = await tenant();
  const page = await open(t, DEMO);
  await withKey(page, acme);
  await choose(page, PIXEL);
  const row = await ended(page, PIXEL, "stored");
  await row.getByRole("link", { name: /^Transform/ }).click();
  await page.getByLabel("Width").fill("0");
  const failed = page.locator('#custom figure[data-state="failed"] .result');
  await failed.waitFor();
  assert.match(await failed.innerText(), /The w field must be at least 1\./);

  await page.getByLabel("URL of an image").fill("pixel.png");
  await page.getByText("Enter a URL that starts with").waitFor();
  assert.equal(await page.locator("figure").count(), 0);
});
