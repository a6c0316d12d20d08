// Interaction with the demo pages.

import assert from "node:assert/strict";

import { DEMO } from "./harness.mjs";

/** Minimum contrast of text at WCAG 2 level AA. */
const CONTRAST_MIN = 4.5;

/** Fills in a key, a space and an upload config. */
export async function withKey(page, { key, handle }, config = "") {
  await page.getByLabel("API key").fill(key);
  await page.getByLabel("Space handle").fill(handle);
  await page.getByLabel("Upload config").fill(config);
}

/** URL of the page for uploads without a key. */
export function unsignedUrl({ handle }, config) {
  return `${DEMO}?mode=unsigned&space=${handle}&config=${config}`;
}

/** Selects files to upload. */
export async function choose(page, ...files) {
  await page.getByLabel("Choose files").setInputFiles(files);
}

/** Waits until the upload of a file has ended in `state`, and returns its row. */
export async function ended(page, { name }, state) {
  const row = page.locator("#files > li").filter({ has: page.getByText(name, { exact: true }) });
  const settled = row.and(page.locator('[data-state="stored"], [data-state="failed"]'));
  await settled.waitFor();
  assert.equal(await settled.getAttribute("data-state"), state, await settled.innerText());
  return settled;
}

/** Returns the delivery URL of a stored file. */
export async function link(row) {
  return row.getByRole("link", { name: /^Open/ }).getAttribute("href");
}

/** Returns the text with the lowest contrast to its background, and that contrast. */
function leastContrast() {
  const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
  const luminance = ([red, green, blue]) => {
    const linear = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  };
  const ground = (element) => {
    const colour = element ? channels(getComputedStyle(element).backgroundColor) : [255, 255, 255];
    return colour[3] === 0 ? ground(element.parentElement) : colour;
  };
  const contrasts = [...document.body.querySelectorAll("*")]
    .filter((element) => element.checkVisibility() && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
    .map((element) => {
      const [light, dark] = [channels(getComputedStyle(element).color), ground(element)].map(luminance).sort((a, b) => b - a);
      return { contrast: (light + 0.05) / (dark + 0.05), text: element.textContent };
    });
  return contrasts.reduce((least, next) => (next.contrast < least.contrast ? next : least));
}

/** Asserts that the page does not scroll sideways and that its text has enough contrast. */
export async function assertReadable(page) {
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "it scrolls sideways");
  const least = await page.evaluate(leastContrast);
  assert.ok(least.contrast >= CONTRAST_MIN, JSON.stringify(least));
}
