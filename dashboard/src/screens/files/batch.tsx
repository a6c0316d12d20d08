// Changes of many files: requests of 100, one after the other, with progress and the failures by name.
//
// - The promise of a batch settles with its first request, so that a dialog shows what is wrong with all of them.
// - Files that could not be changed stay selected, to try again. What the service was too busy for is repeated once.
// - A batch ends with its session: another key does not continue it.

import { signal } from "@preact/signals";
import { batchFiles, type BatchFilesRequest, type BatchResult, type PartError } from "larder/api";

import { client, dataOf } from "../../api.ts";
import { Notice } from "../../parts/dialog.tsx";
import { textOf } from "../../parts/errors.ts";
import { count, plural } from "../../parts/format.ts";
import { toast } from "../../parts/status.tsx";
import { key } from "../../session.ts";
import { MS_PER_S } from "../../units.ts";
import { useReset } from "./model.ts";
import type { Names } from "./selection.ts";

interface Work {
  change: Omit<BatchFilesRequest, "ids">;
  /** What is being done, and what was done: `Deleting`, `deleted`. */
  doing: string;
  done: string;
  /** Called with the files of each request that were changed. */
  onDone: (ids: ReadonlySet<string>) => void;
  /** Called at the end with the files that were not changed. */
  onEnd: (left: Names) => void;
  /** Offered at the end for the files that were changed. */
  undo?: (changed: Names) => void;
}

interface Failure {
  name: string;
  reason: string;
}

const CHUNK = 100;
/** Maximum time until files are repeated for which the service was too busy. */
const MAX_WAIT_S = 30;
/** Maximum number of failures that are listed. */
const MAX_LISTED = 200;

/** The batch that is running. */
export const progress = signal<{ text: string; stop: () => void } | null>(null);

const failures = signal<{ title: string; list: readonly Failure[] } | null>(null);

/** Begins to change files. Resolves after the first request, and fails if that one does. */
export async function startBatch(files: Names, work: Work): Promise<void> {
  if (progress.value) throw new Error("Another change is still running.");
  const ids = [...files.keys()];
  const left = new Map(files);
  const failed: Failure[] = [];
  const secret = key.value;
  let isStopped = false;

  const step = async (start: number) => {
    const text = `${work.doing} ${count(start)} of ${count(ids.length)}`;
    progress.value = { text, stop: () => (isStopped = true) };
    const results = await change(ids.slice(start, start + CHUNK), work);
    const changed = new Set(results.filter(({ error }) => !error).map(({ id }) => id));
    for (const { id, error } of results) {
      if (error) failed.push({ name: files.get(id) ?? id, reason: reasonOf(error) });
      else left.delete(id);
    }
    work.onDone(changed);
  };
  const rest = async () => {
    try {
      const isRunning = () => !isStopped && key.value === secret;
      for (let start = CHUNK; start < ids.length && isRunning(); start += CHUNK) await step(start);
    } catch (cause) {
      toast(`${plural(left.size, "file")} not ${work.done}: ${textOf(cause)}`, { isError: true });
    }
    progress.value = null;
    if (key.value !== secret) return;
    report(new Map([...files].filter(([id]) => !left.has(id))), failed, work);
    work.onEnd(left);
  };

  try {
    await step(0);
  } catch (cause) {
    progress.value = null;
    throw cause;
  }
  void rest();
}

/** Changes files, and repeats once those for which the service was too busy, after the time that it states. */
async function change(ids: string[], work: Work): Promise<BatchResult[]> {
  const send = (some: string[]) => {
    const body = { ...work.change, ids: some };
    return dataOf(batchFiles({ client, body, throwOnError: true }));
  };
  const results = await send(ids);
  const busy = results.filter(({ error }) => error?.retry_after);
  const wait = Math.max(...busy.map(({ error }) => error?.retry_after ?? 0));
  if (busy.length === 0 || wait > MAX_WAIT_S) return results;

  await new Promise((resolve) => setTimeout(resolve, wait * MS_PER_S));
  const again = await send(busy.map(({ id }) => id)).catch(() => busy);
  return [...results.filter((result) => !busy.includes(result)), ...again];
}

function reasonOf({ message, errors }: PartError): string {
  return Object.values(errors).flat().join(" ") || message;
}

function report(changed: Names, failed: readonly Failure[], { done, undo }: Work): void {
  const options = undo && { action: { label: "Undo", run: () => undo(changed) } };
  if (changed.size > 0) toast(`${plural(changed.size, "file")} ${done}.`, options);
  if (failed.length > 0) failures.value = { title: `${plural(failed.length, "file")} not ${done}`, list: failed };
}

/** Lists the files that a batch could not change. */
export function BatchFailures() {
  useReset(failures);
  if (!failures.value) return null;
  const { title, list } = failures.value;
  const close = () => (failures.value = null);
  return (
    <Notice title={title} onClose={close}>
      <ul class="failures" tabIndex={0} aria-label="Files">
        {list.slice(0, MAX_LISTED).map(({ name, reason }, index) => (
          <li key={index}>
            <b dir="auto">{name}</b>
            <small>{reason}</small>
          </li>
        ))}
        {list.length > MAX_LISTED && <li>And {count(list.length - MAX_LISTED)} more.</li>}
      </ul>
    </Notice>
  );
}
