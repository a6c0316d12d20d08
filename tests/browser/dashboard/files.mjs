// Files of a space: selection, changes of many files, folders, filters, and lists of any length.

import assert from "node:assert/strict";
import test from "node:test";

import { api, required, tenant, TEXT } from "../harness.mjs";
import { eventually, folder, signIn, spaceKey, upload } from "./steps.mjs";

const account = required("LARDER_API_KEY");
const NAMES = ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"];

/** Opens a space with five files, named in the order of the list: files of one millisecond have any order. */
async function opened(t, key) {
  const acme = await tenant();
  const press = await folder(acme, "Press 2026");
  for (const name of NAMES) await upload(acme, { ...TEXT, name });
  const { data: listed } = await api(account, "GET", `/files?space_id=${acme.id}`);
  for (const [index, { id }] of listed.entries()) await api(account, "PUT", `/files/${id}`, { body: { original_name: NAMES[index] } });
  const page = await signIn(t, key ? await spaceKey(acme, key) : account, `${acme.handle}/files`);
  const cell = (name) => page.getByRole("gridcell", { name, exact: true });
  await cell("a.txt").waitFor();
  const bar = page.getByRole("region", { name: "Selection" });
  const stored = async (query) => (await api(account, "GET", `/files?space_id=${acme.id}&${query}`)).data;
  return { acme, bar, cell, page, press, stored };
}

test("files are selected by keyboard and clicks, tagged, moved and deleted together", async (t) => {
  const { acme, bar, cell, page, press, stored } = await opened(t);
  await cell("a.txt").focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("Shift+ArrowRight");
  await bar.getByText("2 selected").waitFor();
  await cell("e.txt").click({ modifiers: ["Control"] });
  await bar.getByText("3 selected").waitFor();

  await page.keyboard.press("t");
  const tags = page.getByRole("dialog");
  await tags.getByLabel("Add tags").fill("spring, press");
  await tags.getByRole("button", { name: "Save" }).click();
  await tags.waitFor({ state: "hidden" });
  const tagged = await stored("tag=spring");
  assert.deepEqual(tagged.map((file) => file.original_name).sort(), ["a.txt", "b.txt", "e.txt"]);

  await bar.getByRole("button", { name: "Move", exact: true }).click();
  const move = page.getByRole("dialog");
  await move.getByLabel("Press 2026", { exact: true }).check();
  await move.getByRole("button", { name: "Move", exact: true }).click();
  await cell("a.txt").waitFor({ state: "detached" });
  assert.equal((await stored(`folder_id=${press.id}`)).length, 3);

  await page.getByRole("link", { name: "Press 2026" }).click();
  await cell("a.txt").click({ modifiers: ["Control"] });
  await cell("e.txt").click({ modifiers: ["Shift"] });
  await bar.getByText("3 selected").waitFor();
  await bar.getByRole("button", { name: "Delete" }).click();
  const question = page.getByRole("dialog");
  assert.ok(await question.getByRole("button", { name: "Cancel" }).evaluate(async (button) => {
    for (let frame = 0; frame < 60 && button !== document.activeElement; frame += 1) await new Promise(requestAnimationFrame);
    return button === document.activeElement;
  }));
  await question.getByRole("button", { name: "Delete" }).click();
  await page.getByText("Drop files or folders").first().waitFor();
  const left = (await api(account, "GET", `/files?space_id=${acme.id}`)).data;
  assert.deepEqual(left.map((file) => file.original_name), ["c.txt", "d.txt"]);
});

test("a file is dragged onto a folder, and a folder is created, renamed and deleted", async (t) => {
  const { acme, cell, page, press, stored } = await opened(t);
  await cell("a.txt").dragTo(page.getByRole("link", { name: "Press 2026" }));
  await cell("a.txt").waitFor({ state: "detached" });
  assert.equal((await stored(`folder_id=${press.id}`)).length, 1);

  await page.getByRole("button", { name: "New folder" }).click();
  const create = page.getByRole("dialog", { name: "New folder" });
  await create.getByLabel("Name").fill("press 2026");
  await create.getByRole("button", { name: "Create" }).click();
  await create.getByText("The name has already been taken.").waitFor();
  await create.getByLabel("Name").fill("Guests");
  await create.getByRole("button", { name: "Create" }).click();
  await page.getByRole("link", { name: "Guests" }).waitFor();

  await page.getByRole("button", { name: "Folder Guests" }).click();
  await page.getByRole("button", { name: "Rename" }).click();
  const rename = page.getByRole("dialog", { name: "Rename folder" });
  await rename.getByLabel("Name").fill("Visitors");
  await rename.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("link", { name: "Visitors" }).waitFor();

  await page.getByRole("button", { name: "Folder Visitors" }).click();
  await page.getByRole("dialog", { name: "Folder Visitors" }).getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog", { name: /^Delete folder/ }).getByRole("button", { name: "Delete" }).click();
  await page.getByRole("link", { name: "Visitors" }).waitFor({ state: "detached" });
  const folders = (await api(account, "GET", `/folders?space_id=${acme.id}`)).data;
  assert.deepEqual(folders.map(({ name }) => name), ["Press 2026"]);
});

test("a folder is deleted with everything in it, after a question that names it", async (t) => {
  const { acme, cell, page, press } = await opened(t);
  const file = await upload(acme, { ...TEXT, name: "inside.txt" }, { folder_id: press.id });
  await upload(acme, { ...TEXT, name: "deep.txt" }, { folder_id: press.id, folder_path: "2025" });
  await page.getByRole("button", { name: "Folder Press 2026" }).click();
  await page.getByRole("dialog", { name: "Folder Press 2026" }).getByRole("button", { name: "Delete…" }).click();
  const question = page.getByRole("dialog", { name: "Delete folder “Press 2026” with everything in it?" });
  await question.getByText("1 file and 1 folder directly in it, and all that is in those, will be gone").waitFor();
  await page.waitForFunction(() => document.activeElement.textContent === "Cancel");
  await question.getByRole("button", { name: "Delete everything" }).click();
  await page.getByRole("link", { name: "Press 2026" }).waitFor({ state: "detached" });
  await cell("a.txt").waitFor();
  await api(account, "GET", `/folders/${press.id}`, { status: 404 });
  await api(account, "GET", `/files/${file.id}`, { status: 404 });
});

test("files are found by name and type, and the place stays in the address", async (t) => {
  const { cell, page, stored } = await opened(t);
  await page.keyboard.press("/");
  await page.keyboard.type("B.t");
  await cell("a.txt").waitFor({ state: "detached" });
  await cell("b.txt").waitFor();
  await page.reload();
  await cell("b.txt").waitFor();
  await page.getByLabel("Name starts with").fill("nothing");
  await page.getByText("Nothing found").waitFor();
  await page.getByRole("button", { name: "Clear" }).first().click();
  await cell("a.txt").waitFor();
  await page.getByLabel("Type").selectOption("image");
  await cell("a.txt").waitFor({ state: "detached" });
  await page.getByLabel("Type").selectOption("text");
  await cell("a.txt").waitFor();
  await page.getByLabel("Order").selectOption("asc");
  // Files of one moment have any order, which is the reverse here.
  const [oldest] = await stored("order=asc");
  await page.getByRole("gridcell").first().and(cell(oldest.original_name)).waitFor();
});

test("files are found by tag and date, and what is no date is ignored", async (t) => {
  const { acme, cell, page, stored } = await opened(t);
  const [file] = await stored("search=c.txt");
  await api(account, "PUT", `/files/${file.id}`, { body: { tags: ["spring"] } });
  const tag = page.getByRole("textbox", { name: "Tag", exact: true });
  await tag.fill("spring");
  await tag.press("Enter");
  await cell("a.txt").waitFor({ state: "detached" });
  await cell("c.txt").waitFor();
  await tag.fill("");
  await tag.press("Enter");
  await cell("a.txt").waitFor();

  await page.getByRole("button", { name: "Date" }).click();
  await page.getByLabel("To", { exact: true }).fill("2026-01-31");
  await page.getByText("Nothing found").waitFor();
  await page.getByLabel("To", { exact: true }).fill("");
  await page.getByLabel("From", { exact: true }).fill("2026-01-31");
  await cell("a.txt").waitFor();
  await page.evaluate((hash) => (location.hash = hash), `#/${acme.handle}/files?from=2026-99-99&to=soon`);
  await page.getByRole("button", { name: "Date", exact: true }).waitFor();
  await cell("a.txt").waitFor();
});

test("files for which the service is too busy are repeated, and failures are named", async (t) => {
  const { bar, cell, page, stored } = await opened(t);
  const failed = (error) => ({ error: { errors: {}, retry_after: null, ...error } });
  const busy = failed({ message: "The service is busy.", retry_after: 1, status: 503 });
  const locked = failed({ message: "The file is locked.", status: 422 });
  const respond = (result) => (route) =>
    route.fulfill({ json: { data: route.request().postDataJSON().ids.map((id) => ({ id, ...result })) } });
  await page.route("**/files/batch", respond(busy), { times: 1 });
  await cell("a.txt").click({ modifiers: ["Control"] });
  await bar.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await cell("a.txt").waitFor({ state: "detached" });
  assert.equal((await stored("search=a.txt")).length, 0);

  await page.route("**/files/batch", respond(locked), { times: 1 });
  await cell("b.txt").click({ modifiers: ["Control"] });
  await bar.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog", { name: "1 file not deleted" }).getByText("The file is locked.").waitFor();
  await page.goBack();
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

test("a viewer sees files and cannot change them", async (t) => {
  const { bar, cell, page } = await opened(t, "viewer");
  await cell("a.txt").click({ modifiers: ["Control"] });
  for (const name of ["Delete", "Move", "Tag"]) assert.ok(await bar.getByRole("button", { name, exact: true }).isDisabled(), name);
  assert.ok(await page.getByRole("button", { name: "Upload", exact: true }).isDisabled());
});

test("the rows of a list of 100,000 files are reached by keyboard, with as many elements as fit on the screen", async (t) => {
  const acme = await tenant();
  const TOTAL = 100_000;
  const PAGE = 100;
  const MAX_CELLS = 400;
  const MIN_ROWS = 300;
  const record = (index) => ({
    id: `01J${String(index).padStart(23, "0")}`, original_name: `photo-${index}.txt`, extension: "txt", mime_type: "text/plain", resource_type: "text",
    size: 1000, type: "upload", status: "active", url: null, thumbnails: [], tags: [], folder_id: null, storage_meta: {},
    processing: { status: "completed", error: null }, created_at: "2026-11-01T00:00:00.000Z", access_control: { requires_auth: false, source: "space" },
  });
  const page = await signIn(t, account);
  await page.route("**/api/v1/files?*", (route) => {
    const start = Number(new URL(route.request().url()).searchParams.get("cursor") ?? 0);
    const data = Array.from({ length: PAGE }, (_, index) => record(start + index));
    const next_cursor = start + PAGE < TOTAL ? `${start + PAGE}` : null;
    return route.fulfill({ json: { data, path: "/api/v1/files", per_page: PAGE, next_cursor, prev_cursor: null } });
  });
  await page.evaluate((hash) => (location.hash = hash), `#/${acme.handle}/files`);
  await page.getByRole("gridcell", { name: "photo-0.txt" }).focus();

  // Each step reaches the end of what is loaded, which loads more.
  const lastRow = () => Math.max(...Array.from(document.querySelectorAll("[role=row]"), (row) => Number(row.ariaRowIndex)));
  for (let row = 0; row < MIN_ROWS; row = await page.evaluate(lastRow)) {
    await page.keyboard.press("End");
    await eventually(page, async () => (await page.evaluate(lastRow)) > row);
    assert.ok((await page.getByRole("gridcell").count()) < MAX_CELLS);
  }
});
