// Every screen in both themes, on a phone and on a desk: axe finds nothing, and nothing is cut off.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import test from "node:test";

import { API, api, open, PHOTO, required, tenant, TEXT } from "../harness.mjs";
import { folder, goTo, signIn, upload } from "./steps.mjs";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const account = required("LARDER_API_KEY");
const SIZES = [
  { width: 375, height: 812 },
  { width: 1440, height: 900 },
];

/** Asserts that axe finds nothing, and writes a picture if a directory is given. */
async function check(page, name) {
  // A change of the theme fades: colors in between have less contrast.
  await page.evaluate(() => {
    const isFinite = (animation) => animation.effect.getComputedTiming().endTime !== Infinity;
    const running = document.getAnimations().filter(isFinite);
    return Promise.allSettled(running.map(({ finished }) => finished));
  });
  // Evaluated by the debugger, which the content security policy does not restrict.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, any }) => `${html} ${any[0]?.message}`).join("\n")}`);
  assert.deepEqual(found, [], name);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} scrolls sideways`);
  const directory = process.env.LARDER_SCREENSHOTS;
  if (directory) await page.screenshot({ path: `${directory}/${name.replaceAll(/\W+/g, "-")}.png` });
}

test("axe finds nothing on any screen", async (t) => {
  const acme = await tenant();
  await folder(acme, "Press 2026");
  await upload(acme, TEXT);
  const file = await upload(acme, PHOTO);
  const deleted = await upload(acme, { ...PHOTO, name: "A photo with a name that is longer than its column.jpg" });
  await api(account, "PUT", `/spaces/${acme.id}`, { body: { name: acme.handle, trash_days: 30 } });
  await api(account, "DELETE", `/files/${deleted.id}`, { status: 204 });
  const config = await acme.config("guestbook", { description: "From visitors" });
  /** Places, each with a text that it shows once its data is loaded. */
  const places = {
    files: PHOTO.name,
    "files?view=table": "Press 2026",
    [`files?file=${file.id}`]: "instead of",
    "files?trash=1": "Kept until",
    [`files?trash=1&file=${deleted.id}`]: "This file is in the trash",
    "upload-configs": "guestbook",
    [`upload-configs?config=${config.id}`]: "Who may upload",
    access: "Who may open files",
    keys: "····",
    webhooks: "Nothing was sent yet",
    settings: "Signing secret",
    local: "processing",
  };

  const signedOut = await open(t, `${new URL(API).origin}/`);
  const page = await signIn(t, account, `${acme.handle}/files`);
  for (const colorScheme of ["light", "dark"]) {
    for (const size of SIZES) {
      for (const shown of [page, signedOut]) {
        await shown.emulateMedia({ colorScheme });
        await shown.setViewportSize(size);
      }
      await check(signedOut, `sign-in ${colorScheme} ${size.width}`);
      for (const [place, text] of Object.entries(places)) {
        await goTo(page, `${acme.handle}/${place}`, text);
        await check(page, `${place.replaceAll(/=\w+/g, "")} ${colorScheme} ${size.width}`);
      }
    }
  }
});

test("dialogs keep the focus and give it back", async (t) => {
  const acme = await tenant();
  const page = await signIn(t, account, `${acme.handle}/keys`);
  const opener = page.getByRole("button", { name: "New key" }).first();
  await opener.click();
  await page.getByRole("dialog").getByLabel("Name").waitFor();
  await check(page, "new key");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  assert.ok(await opener.evaluate((element) => element === document.activeElement));

  const file = await upload(acme, PHOTO);
  await goTo(page, `${acme.handle}/files?file=${file.id}`, "instead of");
  await page.getByRole("button", { name: "Replace…" }).click();
  await page.getByRole("dialog").getByLabel("New file").waitFor();
  await check(page, "replace");
});
