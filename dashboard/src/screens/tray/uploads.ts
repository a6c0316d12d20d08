// The uploads of this page, in one queue for all spaces.
//
// - The queue runs while the tray is not paused, the browser is online, and there is a session.
// - If the key ends, the tray is paused: another key never continues by itself. If a person signs out, all uploads end.
// - A notification takes constant time per file that changed. Stored files are only counted.

import { batch, computed, effect, signal, untracked } from "@preact/signals";
import { createQueue, type FileRecord, type Queue, type UploadTarget } from "larder";

import { isOnline } from "../../api.ts";
import { count, plural } from "../../parts/format.ts";
import { announce } from "../../parts/status.tsx";
import { ended, key } from "../../session.ts";
import { isReachable, isRunning, pausedBy, send } from "./sending.ts";
import { activeOf, counted, Estimate, NOTHING, type Item, type Totals } from "./totals.ts";

/** Uploads at a time: some of the six connections of a browser to a host stay free for the screens. */
const CONCURRENCY = 4;
/** Interval of the attempts to reach the service while there is no connection. */
const PROBE_INTERVAL_MS = 4000;

/** Items by state and id, in the order in which they got the state. Those of a list are shown together. */
export const lists = {
  failed: new Map<string, Item>(),
  cancelled: new Map<string, Item>(),
  sending: new Map<string, Item>(),
  waiting: new Map<string, Item>(),
} as const;

/** Replaced by each change of `lists`. */
export const totals = signal<Totals>(NOTHING);
/** Files that were found in dropped folders so far. 0 unless folders are being read. */
export const reading = signal(0);
export const isActive = computed(() => activeOf(totals.value) > 0 || reading.value > 0);
export const timeLeft = signal("");

const listeners = new Set<(record: FileRecord) => void>();
const states = new Map<string, Item>();
const estimate = new Estimate();
/** Files that were added since the last notification. */
let unseen = 0;
/** Replaced when its files are forgotten. */
let queue = newQueue();

effect(() => {
  estimate.reset();
  if (isRunning.value) queue.resume();
  else queue.pause();
});

effect(() => {
  if (key.value !== "") return;
  // Signing out ends the uploads. After the end of a key they wait for another one.
  if (!ended.peek()) untracked(forget);
  else if (isActive.peek()) pausedBy.value = "session";
});

effect(() => {
  if (isOnline.value || !isActive.value || !key.value) return;
  const timer = setInterval(isReachable, PROBE_INTERVAL_MS);
  return () => clearInterval(timer);
});

effect(() => {
  if (!isActive.value) return;
  const askBeforeLeaving = (event: Event) => event.preventDefault();
  addEventListener("beforeunload", askBeforeLeaving);
  untracked(() => announce("Uploads started."));
  return () => {
    removeEventListener("beforeunload", askBeforeLeaving);
    untracked(() => announce(summaryOf(totals.value)));
  };
});

function newQueue(): Queue<string> {
  const created = createQueue(store, { concurrency: CONCURRENCY });
  if (!isRunning.peek()) created.pause();
  created.subscribe((changed) => created === queue && apply(changed));
  return created;
}

/** Uploads a file and tells the listeners. The queue keeps the id only: thousands of records take memory. */
async function store(...upload: Parameters<typeof send>): Promise<string> {
  const record = await send(...upload);
  for (const listener of listeners) listener(record);
  return record.id;
}

/** Counts items that changed, and moves them to the list of their state. */
function apply(changed: readonly Item[]): void {
  let sum = totals.peek();
  for (const item of changed) {
    const { id, state } = item;
    const previous = states.get(id);
    if (previous) sum = counted(sum, previous, -1);
    else unseen -= 1;
    if (previous && previous.state !== state && previous.state !== "stored") lists[previous.state].delete(id);

    sum = counted(sum, item, 1);
    if (state === "stored") {
      states.delete(id);
    } else {
      states.set(id, item);
      lists[state].set(id, item);
    }
  }
  estimate.sample(sum.sentBytes, performance.now());
  batch(() => {
    totals.value = sum;
    timeLeft.value = isRunning.peek() ? estimate.left(sum.bytes - sum.sentBytes) : "";
  });
}

/** Says what became of the uploads: `9,998 files uploaded, 2 failed`. */
export function summaryOf({ stored, failed, cancelled }: Totals): string {
  const others = [failed && `${count(failed)} failed`, cancelled && `${count(cancelled)} cancelled`];
  return [`${plural(stored, "file")} uploaded`, ...others].filter(Boolean).join(", ");
}

/** Adds files. After the end of earlier uploads, the count begins again with those that failed. */
export function add(files: readonly File[], target: UploadTarget): void {
  if (unseen + activeOf(totals.peek()) + reading.peek() === 0) {
    const { failed, cancelled } = totals.peek();
    if (failed + cancelled === 0) queue = newQueue();
    totals.value = { ...NOTHING, files: failed, failed, cancelled };
    estimate.reset();
  }
  unseen += files.length;
  queue.add(files, target);
}

/** Cancels an upload, or all of them. */
export function cancel(id?: string): void {
  queue.cancel(id);
}

/** Uploads a failed or cancelled file again, or all failed ones. */
export function retry(id?: string): void {
  for (const each of id === undefined ? lists.failed.keys() : [id]) queue.retry(each);
}

/** Takes a failed or cancelled file from the list. */
export function remove(id: string): void {
  const item = states.get(id);
  if (!item) return;
  states.delete(id);
  lists.failed.delete(id);
  lists.cancelled.delete(id);
  totals.value = counted(totals.value, item, -1);
}

/** Cancels and forgets all uploads. */
function forget(): void {
  queue.cancel();
  clear();
}

/** Forgets all uploads, none of which is active. */
export function clear(): void {
  states.clear();
  for (const list of Object.values(lists)) list.clear();
  queue = newQueue();
  unseen = 0;
  pausedBy.value = "";
  totals.value = NOTHING;
}

/** Calls a function with each stored file. Returns a function that ends this. */
export function onStored(listener: (record: FileRecord) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
