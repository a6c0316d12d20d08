// Uploads many files, a few at a time.
//
// - An item is an immutable snapshot: a change replaces it, so that views can compare items by identity.
// - Every operation takes constant time per file that it changes. Subscribers are notified of all changes of
//   an interval together.
// - `cancel` ends an item at once. What its upload does afterwards changes nothing.

import { DEFAULT_CONCURRENCY, NOTIFY_INTERVAL_MS } from "./bounds.js";
import { LarderError } from "./errors.js";
import type { FileRecord } from "./generated/types.gen.js";
import { randomKey, type Progress, type UploadOptions, type UploadTarget } from "./upload.js";

/** A file of a queue. `T` is what its upload returns. */
export interface QueueItem<T = FileRecord> {
  id: string;
  file: File;
  state: "waiting" | "sending" | "stored" | "failed" | "cancelled";
  /** Bytes that were sent. */
  sent: number;
  /** Set in the state `stored`. */
  record?: T;
  /** Set in the state `failed`. */
  error?: LarderError;
}

export interface Queue<T = FileRecord> {
  /** Adds files, and starts to upload them unless the queue is paused. */
  add(files: Iterable<File>, u?: UploadTarget): void;
  /** Starts no further uploads. Those that are being sent continue. */
  pause(): void;
  resume(): void;
  /** Cancels an item, or all items that are waiting or being sent. */
  cancel(id?: string): void;
  /** Uploads a failed or cancelled item again, or all failed ones. */
  retry(id?: string): void;
  /** All items in the order in which they were added. */
  readonly items: readonly QueueItem<T>[];
  /** Calls a function with the items that changed. Returns a function that ends this. */
  subscribe(f: (changed: readonly QueueItem<T>[]) => void): () => void;
}

interface Entry<T> {
  item: QueueItem<T>;
  readonly target: UploadTarget;
  /** Aborts the upload of the entry. Another object for each attempt. */
  controller?: AbortController;
}

export function createQueue<T = FileRecord>(
  send: (file: File, u: UploadOptions) => Promise<T>,
  { concurrency = DEFAULT_CONCURRENCY }: { concurrency?: number } = {},
): Queue<T> {
  const entries = new Map<string, Entry<T>>();
  const changed = new Set<Entry<T>>();
  const subscribers = new Set<(changed: readonly QueueItem<T>[]) => void>();
  let items: readonly QueueItem<T>[] | undefined;

  /** Entries to send, from `next` on. One that is no longer waiting is skipped. */
  const waiting: Entry<T>[] = [];
  let next = 0;
  let sending = 0;
  /** Number of uploads at a time. 0 while the queue is paused. */
  let limit = concurrency;

  function change(entry: Entry<T>, to: Partial<QueueItem<T>>): void {
    if (changed.size === 0) setTimeout(notify, NOTIFY_INTERVAL_MS);
    changed.add(entry);
    items = undefined;
    entry.item = { ...entry.item, ...to };
  }

  function notify(): void {
    const snapshots = snapshotsOf(changed);
    changed.clear();
    for (const subscriber of subscribers) subscriber(snapshots);
  }

  /** Adds an entry to those that wait, without the results of an earlier attempt. */
  function enqueue(entry: Entry<T>): void {
    const { id, file } = entry.item;
    entry.item = { id, file, state: "waiting", sent: 0 };
    entries.set(id, entry);
    waiting.push(entry);
    change(entry, {});
  }

  function start(): void {
    while (sending < limit && next < waiting.length) {
      const entry = waiting[next++];
      if (entry?.item.state === "waiting") void run(entry);
    }
  }

  async function run(entry: Entry<T>): Promise<void> {
    const { signal } = (entry.controller = new AbortController());
    const { file } = entry.item;
    const update = (to: Partial<QueueItem<T>>) => signal.aborted || change(entry, to);

    sending += 1;
    update({ state: "sending" });
    try {
      const onProgress = ({ sent }: Progress) => update({ sent });
      const record = await send(file, { ...entry.target, signal, onProgress });
      update({ state: "stored", sent: file.size, record });
    } catch (cause) {
      const error = cause instanceof LarderError ? cause : new LarderError(`${cause}`, 0, cause);
      update({ state: "failed", error });
    }
    sending -= 1;
    start();
  }

  /** Calls a function with the entry of an id, or with all entries, if they are in one of the states. */
  function each(id: string | undefined, states: QueueItem["state"][], f: (entry: Entry<T>) => void): void {
    for (const entry of id === undefined ? entries.values() : [entries.get(id)]) {
      if (entry && states.includes(entry.item.state)) f(entry);
    }
  }

  return {
    add(files, target = {}) {
      for (const file of files) {
        const item: QueueItem<T> = { id: `${entries.size + 1}`, file, state: "waiting", sent: 0 };
        // A repeated item is not stored twice if its first upload arrived.
        enqueue({ item, target: { ...target, idempotencyKey: randomKey() } });
      }
      start();
    },

    pause() {
      limit = 0;
    },

    resume() {
      limit = concurrency;
      start();
    },

    cancel(id) {
      each(id, ["waiting", "sending"], (entry) => {
        entry.controller?.abort();
        change(entry, { state: "cancelled" });
      });
    },

    retry(id) {
      each(id, id === undefined ? ["failed"] : ["failed", "cancelled"], enqueue);
      start();
    },

    get items() {
      return (items ??= snapshotsOf(entries.values()));
    },

    subscribe(f) {
      subscribers.add(f);
      return () => void subscribers.delete(f);
    },
  };
}

const snapshotsOf = <T>(entries: Iterable<Entry<T>>) => Array.from(entries, ({ item }) => item);
