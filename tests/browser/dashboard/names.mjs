// Names from others cannot run a script or change the page, on any screen.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test from "node:test";

import { api, PHOTO } from "../harness.mjs";
import { goTo, signIn, upload } from "./steps.mjs";

const account = process.env.LARDER_API_KEY;
const CREATED = 201;
/** Maximum length of a name. */
const MAX_NAME = 255;
const HOSTILE = [
  '<img src=x onerror="window.hacked=1">',
  '"><script>window.hacked=1</script>',
  "';window.hacked=1;//",
  "${window.hacked=1}{{window.hacked=1}}",
  "javascript:window.hacked=1",
  "</style><style>*{display:none}",
  "\u202eexe.gpj \u2066x",
  "Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324\u031e\u0349\u035a\u032f\u031e\u0320\u034da\u036b\u0357\u0334\u0362",
  "W".repeat(MAX_NAME),
];
/** Screens, each with a text that it shows once its data is loaded. */
const SCREENS = {
  files: "Files", "upload-configs": "starter", access: "Who may open files", keys: "····", webhooks: "Endpoint", settings: "Signing secret", local: "processing",
};

/** Creates a space whose names are hostile. */
async function hostileSpace(name) {
  const suffix = randomBytes(3).toString("hex");
  const create = async (path, body) => (await api(account, "POST", path, { body, status: CREATED })).data;
  const space = await create("/spaces", { name: `${name}${suffix}`.slice(-MAX_NAME), description: name });
  const folder = name.replaceAll("/", "∕");
  const stored = await create("/folders", { name: folder, space_id: space.id });
  const key = await create(`/spaces/${space.id}/api-keys`, { name, role: "user" });
  const file = await upload({ account, handle: space.handle }, { ...PHOTO, name: `${folder.slice(0, 200)}.jpg` }, { ref: name });
  await api(account, "PUT", `/files/${file.id}`, { body: { tags: [name.slice(0, 50).trim()], title: name, alt: name, metadata: { note: name } } });
  return { ...space, file, shown: { files: stored.name, keys: key.name } };
}

test("hostile names are shown as text on all screens", async (t) => {
  const page = await signIn(t, account);
  await page.setViewportSize({ width: 375, height: 812 });
  for (const name of HOSTILE) {
    const { handle, file, shown } = await hostileSpace(name);
    await page.reload();
    for (const [place, text] of [...Object.entries(SCREENS), [`files?file=${file.id}`, "instead of"]]) {
      await goTo(page, `${handle}/${place}`, text);
      const isText = (wanted) => document.body.textContent.includes(wanted);
      await page.waitForFunction(isText, shown[place] ?? "");
      const state = await page.evaluate(() => ({
        hacked: "hacked" in window,
        isWide: document.documentElement.scrollWidth > innerWidth,
        added: document.querySelectorAll("body script, body style, iframe").length,
      }));
      assert.deepEqual(state, { hacked: false, isWide: false, added: 0 }, `${place}: ${name}`);
    }
  }
});
