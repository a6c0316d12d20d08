// From the link that `cargo run` prints to a signed, watermarked, smaller image on a page of another site, by visible controls only.
//
// LARDER_PACE_MS is the pause before each action: a person takes about 2,000. The steps are printed with their seconds.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test from "node:test";

import { api, open, otherSite, PHOTO, required } from "../harness.mjs";
import { eventually, signIn } from "./steps.mjs";

const PACE_MS = Number(process.env.LARDER_PACE_MS ?? 0);
const WIDTH = 200;
const MAX_MINUTES = 10;
const MS_PER_MINUTE = 60_000;
/** A blue square: half of it on the dark corner of the photo is a color that the photo lacks. */
const LOGO = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAIAAADYYG7QAAAANklEQVR42u3OQQ0AAAgAoetfWls4H2wEoJpnhISEhISEhISEhISEhISEhISEhISEhISEhITOLPAF93mLO63RAAAAAElFTkSuQmCC", "base64");

/** Whether an image has pixels of a color that only the logo has. */
async function showsLogo(url) {
  const image = Object.assign(new Image(), { src: url, crossOrigin: "anonymous" });
  await image.decode();
  document.body.append(image);
  const canvas = Object.assign(document.createElement("canvas"), { width: image.naturalWidth, height: image.naturalHeight });
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  let blue = 0;
  for (let index = 0; index < data.length; index += 4) blue += data[index] < 70 && data[index + 1] < 70 && data[index + 2] > 120;
  return { width: image.naturalWidth, blue };
}

test("a newcomer comes to a signed, watermarked, smaller image on a page", async (t) => {
  const started = Date.now();
  const page = await signIn(t, required("LARDER_API_KEY"));
  const button = (name, within = page) => within.getByRole("button", { name, exact: true });
  const dialog = page.getByRole("dialog");
  const act = async (name, action) => {
    await page.waitForTimeout(PACE_MS);
    await action();
    t.diagnostic(`${((Date.now() - started) / 1000).toFixed(0)} s: ${name}`);
  };

  const spaceName = `Walk ${randomBytes(4).toString("hex")}`;
  await act("open the menu of spaces", () => page.getByRole("banner").locator("button[popovertarget]").first().click());
  await act("New space", () => button("New space").click());
  await act("its name", () => dialog.getByLabel("Name").pressSequentially(spaceName, { delay: PACE_MS / 10 }));
  await act("Create", () => button("Create").click());
  await button(spaceName).waitFor();
  await act("Access & watermark", () => page.getByRole("link", { name: "Access & watermark" }).click());
  await act("choose a logo", () => page.getByLabel("Logo", { exact: true }).setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: LOGO }));
  await act("Watermark", () => page.getByLabel("Watermark", { exact: true }).check());
  await act("Save", () => button("Save").click());
  await page.getByRole("status").getByText("The settings were saved.").waitFor();

  await act("Files", () => page.getByRole("link", { name: "Files", exact: true }).click());
  await act("Upload", async () => {
    const chooser = page.waitForEvent("filechooser");
    await button("Upload").click();
    await (await chooser).setFiles([PHOTO]);
  });
  await act("open the photo", () => page.getByRole("gridcell", { name: PHOTO.name }).click());
  await act("Access", () => page.getByRole("tab", { name: "Access" }).click());
  await act("authenticated", () => page.getByLabel(/^Authenticated/i).check());
  await act("Save", () => button("Save").click());
  const account = required("LARDER_API_KEY");
  const id = new URLSearchParams(page.url().split("?")[1]).get("file");
  await eventually(page, async () => (await api(account, "GET", `/files/${id}`)).data.type === "authenticated");
  await act("Use", () => page.getByRole("tab", { name: "Use" }).click());
  await act("the width", () => page.getByLabel("Width").fill(`${WIDTH}`));
  await act("Sign", () => button("Sign").click());
  await act("1 hour", () => button("1 hour").click());
  const signed = page.locator("pre").filter({ hasText: /^http.*signature=/ });
  await signed.waitFor();

  const url = await signed.innerText();
  assert.equal((await fetch(url.split("?")[0])).status, 403);
  const site = await open(t, `http://localhost:${await otherSite()}/`);
  const { width, blue } = await site.evaluate(showsLogo, url);
  assert.equal(width, WIDTH);
  assert.ok(blue > 0, "the logo is not on the image");
  assert.ok(Date.now() - started < MAX_MINUTES * MS_PER_MINUTE);
});
