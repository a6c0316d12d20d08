// Uploads from the page: chosen files, dropped folders, errors by name, and lost connections.

import assert from "node:assert/strict";
import test from "node:test";

import { API, api, noise, required, tenant, TEXT, throttleUploads } from "../harness.mjs";
import { eventually, signIn } from "./steps.mjs";

const account = required("LARDER_API_KEY");

/** Drops a folder of folders, and a file that cannot be read: a browser creates such entries only for a real drop. */
function dropFolders([folders, filesEach]) {
  const file = (path, index) => ({
    isFile: true, isDirectory: false, fullPath: `${path}/${index}.txt`, name: `${index}.txt`,
    file: (resolve) => resolve(new File([`${path} ${index}`], `${index}.txt`, { type: "text/plain" })),
  });
  const directory = (path, children) => ({
    isFile: false, isDirectory: true, fullPath: path, name: path.split("/").at(-1),
    createReader: () => {
      const batches = [children.slice(0, 100), children.slice(100), []];
      return { readEntries: (resolve) => resolve(batches.shift()) };
    },
  });
  const locked = { ...file("/album", "locked"), file: (_, reject) => reject(new DOMException("", "NotReadableError")) };
  const inner = Array.from({ length: folders }, (_, index) => {
    const path = `/album/day-${index}`;
    return directory(path, Array.from({ length: filesEach }, (_, number) => file(path, number)));
  });
  const transfer = {
    types: ["Files"], files: [], dropEffect: "copy", effectAllowed: "all",
    items: [{ kind: "file", webkitGetAsEntry: () => directory("/album", [locked, ...inner]), getAsFile: () => null }],
  };
  for (const type of ["dragenter", "dragover", "drop"]) {
    const event = new Event(type, { bubbles: true, cancelable: true });
    Object.defineProperty(event, "dataTransfer", { value: transfer });
    (document.querySelector(".empty") ?? document.querySelector("main")).dispatchEvent(event);
  }
}

test("chosen files are stored, and a rejected one is named with the reason", async (t) => {
  const acme = await tenant();
  const page = await signIn(t, account, `${acme.handle}/files`);
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Upload", exact: true }).click();
  const program = { name: "menu.exe", mimeType: "application/x-msdownload", buffer: Buffer.from("MZ\0\0") };
  await (await chooser).setFiles([TEXT, program]);

  await page.getByRole("gridcell", { name: TEXT.name }).waitFor();
  const tray = page.getByRole("region", { name: "Uploads" });
  await tray.getByText("menu.exe").first().waitFor();
  await tray.getByText("must not be an executable file").first().waitFor();
  const { data } = await api(account, "GET", `/files?space_id=${acme.id}`);
  assert.deepEqual(data.map((file) => file.original_name), [TEXT.name]);
});

test("a dropped folder of folders is stored with its folders, and what cannot be read is named", async (t) => {
  const acme = await tenant();
  const [folders, filesEach] = [3, 12];
  const page = await signIn(t, account, `${acme.handle}/files`);
  await page.getByText("Drop files or folders").first().waitFor();
  await page.evaluate(dropFolders, [folders, filesEach]);

  const tray = page.getByRole("region", { name: "Uploads" });
  await tray.getByText(new RegExp(`${folders * filesEach}`)).first().waitFor();
  await eventually(page, async () => (await api(account, "GET", `/spaces/${acme.id}/usage`)).data.files === folders * filesEach);
  await tray.getByText("locked.txt").waitFor();
  await tray.getByText("It cannot be read.").waitFor();
  // A tile of the new folder appears while uploads go on elsewhere.
  await page.getByRole("link", { name: "album" }).waitFor();
  const { data: paths } = await api(account, "GET", `/folders?space_id=${acme.id}`);
  assert.deepEqual(paths.map(({ path }) => path).sort(), ["album/", "album/day-0/", "album/day-1/", "album/day-2/"]);
});

test("an upload waits while the connection is lost, and begins again by itself", async (t) => {
  const acme = await tenant();
  const page = await signIn(t, account, `${acme.handle}/files`);
  await throttleUploads(page);
  const file = noise("noise.bin", 2_000_000);
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Upload", exact: true }).click();
  await (await chooser).setFiles([file]);

  const tray = page.getByRole("region", { name: "Uploads" });
  await tray.getByText(/^[1-9]\d? %/).waitFor();
  await page.context().setOffline(true);
  await tray.getByText("Offline, 0 of 1").waitFor();
  await page.getByText("You are offline.").waitFor();
  await page.context().setOffline(false);
  await page.getByRole("gridcell", { name: file.name }).waitFor();
  assert.equal((await api(account, "GET", `/files?space_id=${acme.id}`)).data.length, 1);
});

test("a failed upload names its reason, and is repeated", async (t) => {
  const acme = await tenant();
  const page = await signIn(t, account, `${acme.handle}/files`);
  const upload = `${API}/upload`;
  await page.route(upload, (route) => route.fulfill({ status: 422, json: { message: "The given data was invalid.", errors: { file: ["Not today."] } } }), { times: 1 });
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Upload", exact: true }).click();
  await (await chooser).setFiles([TEXT]);

  const tray = page.getByRole("region", { name: "Uploads" });
  await tray.getByText("Not today.").waitFor();
  await tray.getByRole("button", { name: /^Retry/ }).first().click();
  await page.getByRole("gridcell", { name: TEXT.name }).waitFor();
});
