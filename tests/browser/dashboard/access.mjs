// Access and watermark in the dashboard: the settings of the space and of folders, and the preview.

import assert from "node:assert/strict";
import { test } from "node:test";

import { api, PHOTO, tenant } from "../harness.mjs";
import { delivered, folder, signIn, spaceKey, tabTo, upload } from "./steps.mjs";

const FORBIDDEN = 403;
const NO_MARK = { enabled: false, url: null, position: "southeast", opacity: 0.5 };
const LOGO = { ...PHOTO, name: "logo.jpg" };

/** Returns the watermark of a space, without fields that depend on its source. */
async function markOf({ account, id }) {
  const { enabled, url, position, opacity } = (await api(account, "GET", `/spaces/${id}`)).data.security.watermark;
  return { enabled, url, position, opacity };
}

async function saved(page) {
  await page.getByRole("status").getByText("The settings were saved.").waitFor();
}

test("every field of the watermark is set by the keyboard alone, and is on what is delivered", async (t) => {
  const space = await tenant();
  const photo = await upload(space, PHOTO);
  const { url } = await upload(space, LOGO);
  assert.ok(PHOTO.buffer.equals(await delivered(photo.url)));
  const page = await signIn(t, space.account, `${space.handle}/access`);
  await page.getByLabel("Watermark", { exact: true }).waitFor();

  await tabTo(page, page.getByLabel("Watermark", { exact: true }));
  await page.keyboard.press("Space");
  await tabTo(page, page.getByLabel("Logo URL"));
  await page.keyboard.type(url);
  await tabTo(page, page.getByRole("radio", { name: "Bottom right" }));
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowLeft");
  assert.ok(await page.getByRole("radio", { name: "Top left" }).isChecked());
  await tabTo(page, page.getByLabel("Opacity"));
  await page.keyboard.press("Home");
  for (let step = 0; step < 24; step += 1) await page.keyboard.press("ArrowRight");
  await page.getByText("25 %").waitFor();
  await tabTo(page, page.getByRole("button", { name: "Save" }));
  await page.keyboard.press("Enter");
  await saved(page);

  assert.deepEqual(await markOf(space), { enabled: true, url, position: "northwest", opacity: 0.25 });
  assert.ok(!PHOTO.buffer.equals(await delivered(photo.url)));
});

test("the preview places the logo where the service does", async (t) => {
  const space = await tenant();
  await upload(space, PHOTO);
  const page = await signIn(t, space.account, `${space.handle}/access`);
  await page.getByLabel("Logo", { exact: true }).setInputFiles(LOGO);
  assert.ok(await page.getByLabel("Watermark", { exact: true }).isChecked());
  const photo = page.getByRole("img", { name: `Preview: ${PHOTO.name}` });
  const logo = page.locator("img[src^='blob:']");
  await logo.waitFor();

  const distances = async () => {
    const [outer, inner] = [await photo.boundingBox(), await logo.boundingBox()];
    return [inner.x - outer.x, inner.y - outer.y, outer.width - inner.width, outer.height - inner.height];
  };
  await page.getByRole("radio", { name: "Top left" }).check();
  const [left, top] = await distances();
  assert.ok(left > 0 && top > 0, "within the margin");
  await page.getByRole("radio", { name: "Bottom right" }).check();
  const [right, bottom, freeX, freeY] = await distances();
  assert.ok(Math.abs(right - (freeX - left)) < 2 && Math.abs(bottom - (freeY - top)) < 2, "the same margin");
  await page.getByRole("radio", { name: "Center" }).check();
  const [x, y] = await distances();
  assert.ok(Math.abs(x - freeX / 2) < 2 && Math.abs(y - freeY / 2) < 2, "in the middle");
});

test("a chosen logo is stored in the space and becomes the watermark", async (t) => {
  const space = await tenant();
  const photo = await upload(space, PHOTO);
  const page = await signIn(t, space.account, `${space.handle}/access`);
  await page.getByLabel("Logo", { exact: true }).setInputFiles(LOGO);
  await page.getByRole("radio", { name: "Bottom left" }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await saved(page);

  const { watermark } = (await api(space.account, "GET", `/spaces/${space.id}`)).data.security;
  const { data: logo } = await api(space.account, "GET", `/files/${watermark.file_id}`);
  assert.equal(logo.original_name, LOGO.name);
  assert.deepEqual([watermark.enabled, watermark.url, watermark.position], [true, null, "southwest"]);
  assert.ok(!PHOTO.buffer.equals(await delivered(photo.url)));
});

test("an error of the watermark appears at its field, which has the focus", async (t) => {
  const { account, handle } = await tenant();
  const page = await signIn(t, account, `${handle}/access`);
  await page.getByLabel("Watermark", { exact: true }).check();
  await page.getByLabel("Logo URL").fill("http://example.com/logo.png");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("must be an https URL").waitFor();
  await page.waitForFunction(() => document.activeElement.name === "security.watermark.url");
});

test("access and transformation policy of the space are saved together, and reset", async (t) => {
  const space = await tenant();
  const { account, handle, id } = space;
  const { url } = await upload(space, PHOTO);
  const page = await signIn(t, account, `${handle}/access`);
  await page.getByLabel("Requires a signed URL or key").check();
  await page.getByLabel("Named: ").check();
  await page.getByRole("button", { name: "Save" }).click();
  await saved(page);
  const { data } = await api(account, "GET", `/spaces/${id}`);
  assert.deepEqual([data.access_control.requires_auth, data.security.transformations], [true, "named"]);
  assert.equal((await fetch(url)).status, FORBIDDEN);

  await page.getByRole("button", { name: "Reset to defaults" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Reset" }).click();
  await page.getByRole("status").getByText("The space has the default settings.").waitFor();
  assert.ok(await page.getByLabel("Public: ").isChecked());
  const reset = (await api(account, "GET", `/spaces/${id}`)).data;
  assert.deepEqual([reset.access_control.requires_auth, reset.security.transformations], [false, "any"]);
  assert.deepEqual(await markOf(space), NO_MARK);
});

test("a folder differs, is edited, and inherits again", async (t) => {
  const space = await tenant();
  const { account, handle } = space;
  const name = '<b>Press & "2026"';
  const { id } = await folder(space, name);
  const page = await signIn(t, account, `${handle}/access`);
  const row = page.getByRole("row", { name: `${name}/` });
  const dialog = page.getByRole("dialog");
  const own = async () => (await api(account, "GET", `/folders/${id}`)).data;

  await page.getByRole("button", { name: "Add an exception" }).click();
  await dialog.getByLabel("Requires a signed URL or key").check();
  await dialog.getByLabel("No watermark").check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await row.getByText("Any from the space").waitFor();
  await row.getByText("Signed URL or key").waitFor();
  assert.equal((await own()).access_control.setting, true);
  assert.equal((await own()).security.sources.watermark.inherited_from, id);

  await row.getByRole("button", { name: "Edit" }).click();
  await dialog.getByLabel("Signed: ").check();
  await dialog.getByRole("group", { name: "Watermark" }).getByLabel("As inherited").check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await row.getByText("None from the space").waitFor();
  assert.equal((await own()).security.transformations, "signed");
  const link = row.getByRole("link", { name: `${name}/` });
  assert.equal(await link.getAttribute("href"), `#/${handle}/files?folder=${id}`);

  await row.getByRole("button", { name: "Reset" }).click();
  await dialog.getByRole("button", { name: "Reset" }).click();
  await page.getByText("All folders are as the space.").waitFor();
  assert.equal((await own()).access_control.source, "space");
});

test("an admin changes folders, and only reads the settings of the space", async (t) => {
  const space = await tenant();
  await folder(space, "Press");
  const page = await signIn(t, await spaceKey(space, "admin"), `${space.handle}/access`);
  await page.getByText("This needs the role owner. Yours is admin.").waitFor();
  assert.ok(await page.getByRole("button", { name: "Save" }).isDisabled());
  await page.getByRole("button", { name: "Add an exception" }).click();
  await page.getByRole("dialog").getByLabel("Requires a signed URL or key").check();
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("row", { name: "Press/" }).waitFor();
});
