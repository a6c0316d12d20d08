// The demo page on small and large screens, in light and dark mode, and by keyboard.

import assert from "node:assert/strict";
import test from "node:test";

import { DEMO, open, PHOTO, tenant, TEXT } from "./harness.mjs";
import { assertReadable, choose, ended, withKey } from "./page.mjs";

for (const width of [375, 1440]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`at ${width} pixels in ${colorScheme} mode, the page fits and its text is readable`, async (t) => {
      const acme = await tenant();
      const page = await open(t, DEMO, { viewport: { width, height: 800 }, colorScheme });
      await withKey(page, acme);
      const long = { ...TEXT, name: `${"an-unbroken-name-".repeat(8)}.txt` };
      await choose(page, PHOTO, long);
      for (const file of [PHOTO, long]) await ended(page, file, "stored");
      await withKey(page, acme, "unknown");
      const refused = { ...TEXT, name: "refused.txt" };
      await choose(page, refused);
      await ended(page, refused, "failed");

      await assertReadable(page);
      if (process.env.LARDER_SCREENSHOTS) {
        await page.screenshot({ path: `${process.env.LARDER_SCREENSHOTS}/${width}-${colorScheme}.png`, fullPage: true });
      }
    });
  }
}

test("the keyboard reaches all controls in order, with visible focus", async (t) => {
  const page = await open(t, DEMO);
  const visited = [];
  for (let step = 0; step < 6; step += 1) {
    await page.keyboard.press("Tab");
    visited.push(await page.evaluate(() => document.activeElement.id || document.activeElement.value));
    const outlined = () => {
      const marks = [document.activeElement, document.activeElement.closest("label"), document.activeElement.nextElementSibling];
      return marks.some((mark) => mark && getComputedStyle(mark).outlineStyle === "solid");
    };
    assert.ok(await page.evaluate(outlined), visited.at(-1));
  }
  assert.deepEqual(visited, ["gallery", "direct", "key", "space", "config", "picker"]);
});

test("reduced motion disables transitions", async (t) => {
  const page = await open(t, DEMO, { reducedMotion: "reduce" });
  const moving = () => [...document.querySelectorAll("*")].filter((element) => parseFloat(getComputedStyle(element).transitionDuration) > 0).length;
  assert.equal(await page.evaluate(moving), 0);
});
