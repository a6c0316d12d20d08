// Queues of uploads, and the files of a drop.

import assert from "node:assert/strict";
import test from "node:test";

import { createQueue, filesOf, LarderError } from "../dist/index.js";
import { fileOf, RECORD, settle } from "./harness.mjs";

const MANY = 10_000;

/** Returns a queue whose uploads end when the test ends them. Its timer fires when the test calls `notify`. */
function manualQueue(t, options) {
  const timers = [];
  t.mock.method(globalThis, "setTimeout", (f) => timers.push(f));
  const uploads = [];
  const send = (file, u) => new Promise((resolve, reject) => uploads.push({ file, u, resolve, reject }));
  const queue = createQueue(send, options);
  return { queue, uploads, notify: () => timers.splice(0).forEach((f) => f()) };
}
const states = (queue) => queue.items.map(({ state }) => state);
const some = (count) => Array.from({ length: count }, (_, index) => fileOf(1, `${index}`));

test("at most three files are sent at a time, in their order, with their target", async (t) => {
  const { queue, uploads } = manualQueue(t);
  queue.add(some(5), { folderId: "01D" });
  assert.deepEqual(states(queue), ["sending", "sending", "sending", "waiting", "waiting"]);
  assert.equal(uploads[0].u.folderId, "01D");
  uploads[1].resolve(RECORD);
  await settle();
  assert.deepEqual(states(queue), ["sending", "stored", "sending", "sending", "waiting"]);
  assert.deepEqual(uploads.map(({ file }) => file.name), ["0", "1", "2", "3"]);
  assert.equal(queue.items[1].record, RECORD);
});

test("items are snapshots, and subscribers get those that changed, once", async (t) => {
  const { queue, uploads, notify } = manualQueue(t, { concurrency: 1 });
  const notified = [];
  const unsubscribe = queue.subscribe((changed) => notified.push(changed));
  queue.add(some(2));
  const before = queue.items;
  notify();
  for (const sent of [1, 2, 3]) uploads[0].u.onProgress({ sent, total: 3 });
  notify();
  assert.deepEqual(notified.map((changed) => changed.map(({ id, sent }) => [id, sent])), [[["1", 0], ["2", 0]], [["1", 3]]]);
  assert.equal(before[0].sent, 0);
  assert.equal(queue.items[1], before[1]);
  assert.equal(queue.items, queue.items);
  unsubscribe();
  uploads[0].resolve(RECORD);
  await settle();
  notify();
  assert.equal(notified.length, 2);
});

test("a paused queue starts nothing, and resumes", async (t) => {
  const { queue, uploads } = manualQueue(t, { concurrency: 1 });
  queue.add(some(2));
  queue.pause();
  uploads[0].resolve(RECORD);
  await settle();
  assert.deepEqual(states(queue), ["stored", "waiting"]);
  queue.resume();
  assert.deepEqual(states(queue), ["stored", "sending"]);
});

test("cancel aborts an upload, whose result changes nothing, and frees its place", async (t) => {
  const { queue, uploads } = manualQueue(t, { concurrency: 1 });
  queue.add(some(3));
  queue.cancel("1");
  queue.cancel("2");
  queue.cancel("unknown");
  assert.ok(uploads[0].u.signal.aborted);
  uploads[0].u.onProgress({ sent: 1, total: 1 });
  uploads[0].reject(uploads[0].u.signal.reason);
  await settle();
  assert.deepEqual(states(queue), ["cancelled", "cancelled", "sending"]);
  queue.cancel();
  assert.deepEqual(states(queue), ["cancelled", "cancelled", "cancelled"]);
});

test("retry sends failed files again, and a cancelled one if it is named", async (t) => {
  const { queue, uploads } = manualQueue(t);
  queue.add(some(3));
  const error = new LarderError("No.", 503);
  uploads[0].reject(error);
  uploads[1].reject(new TypeError("Oops."));
  queue.cancel("3");
  await settle();
  assert.deepEqual(states(queue), ["failed", "failed", "cancelled"]);
  assert.equal(queue.items[0].error, error);
  assert.ok(queue.items[1].error instanceof LarderError);

  queue.retry();
  assert.deepEqual(states(queue), ["sending", "sending", "cancelled"]);
  assert.equal("error" in queue.items[0], false);
  for (const { resolve } of uploads.slice(-2)) resolve(RECORD);
  queue.retry("3");
  await settle();
  assert.deepEqual(states(queue), ["stored", "stored", "sending"]);
});

test("ten thousand files are added, sent and cancelled with few notifications", async () => {
  let notifications = 0;
  const stored = createQueue(async () => RECORD);
  const done = new Promise((resolve) => {
    stored.subscribe(() => {
      notifications += 1;
      if (stored.items.every(({ state }) => state === "stored")) resolve();
    });
  });
  stored.add(some(MANY));
  await done;

  const cancelled = createQueue(() => new Promise(() => {}));
  cancelled.add(some(MANY));
  for (const { id } of cancelled.items) cancelled.cancel(id);
  assert.ok(cancelled.items.every(({ state }) => state === "cancelled"));
  assert.ok(notifications < MANY / 10, `${notifications}`);
});

test("a repeated item has the key of its first upload, and another item another key", async (t) => {
  const { queue, uploads } = manualQueue(t);
  queue.add(some(2));
  uploads[0].reject(new LarderError("The connection was lost.", 0));
  await settle();
  queue.retry();
  const [first, other, again] = uploads.map(({ u }) => u.idempotencyKey);
  assert.equal(again, first);
  assert.notEqual(other, first);
});

/** Returns entries as browsers do: at most 100 per call of `readEntries`. */
function entryOf(tree, name, parent = "") {
  const fullPath = `${parent}/${name}`;
  if (tree instanceof File) return { isFile: true, isDirectory: false, fullPath, file: (resolve) => resolve(tree) };
  const children = Object.entries(tree).map(([child, subtree]) => entryOf(subtree, child, fullPath));
  const readEntries = (resolve) => resolve(children.splice(0, 100));
  return { isFile: false, isDirectory: true, fullPath, createReader: () => ({ readEntries }) };
}
const itemOf = (entry, file = null) => ({ kind: "file", webkitGetAsEntry: () => entry, getAsFile: () => file });
const filled = (count) => Object.fromEntries(some(count).map((file) => [file.name, file]));

async function pathsOf(dropped) {
  const paths = [];
  for await (const { path } of dropped) paths.push(path);
  return paths;
}

test("all files of nested folders are listed, of more than one batch", async () => {
  const tree = { ...filled(250), inner: { ...filled(101), empty: {} } };
  const items = [itemOf(entryOf(tree, "outer")), itemOf(entryOf(fileOf(1), "b.txt")), itemOf(null, null)];
  const paths = await pathsOf(filesOf({ items, files: [] }));
  assert.equal(new Set(paths).size, 250 + 101 + 1);
  assert.ok(paths.includes("outer/inner/100") && paths.includes("b.txt"));
});

test("the entries are taken before the event handler returns", async () => {
  const items = [itemOf(entryOf(fileOf(1), "a.txt"))];
  const files = filesOf({ items, files: [] });
  items.length = 0;
  assert.deepEqual(await pathsOf(files), ["a.txt"]);
});

test("an item without an entry is listed as its file", async () => {
  const file = fileOf(1, "plain.txt");
  assert.deepEqual(await pathsOf(filesOf({ items: [itemOf(null, file)] })), ["plain.txt"]);
});

test("a folder that cannot be read is an error", async () => {
  const createReader = () => ({ readEntries: (_, reject) => reject(new Error("denied")) });
  const items = [itemOf({ isFile: false, isDirectory: true, fullPath: "/x", createReader })];
  await assert.rejects(pathsOf(filesOf({ items, files: [] })), /denied/);
});
