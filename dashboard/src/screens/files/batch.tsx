// Changes of many files: requests of 100, one after the other, with progress and the failures by name.
//
// - The promise of a batch settles with its first request, so that a dialog shows what is wrong with all of them.
// - Files that could not be changed stay selected, to try again.

import { signal } from "@preact/signals";
import { batchFiles, type BatchFilesRequest, type PartError } from "larder/api";

import { client, dataOf, errorOf } from "../../api.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { count, plural } from "../../parts/format.ts";
import { toast } from "../../parts/status.tsx";
import type { Names } from "./selection.ts";

export interface Work {
  change: Omit<BatchFilesRequest, "ids">;
  /** What is being done, and what was done: `Deleting`, `deleted`. */
  doing: string;
  done: string;
  /** Called with the files of each request that were changed. */
  onDone: (ids: ReadonlySet<string>) => void;
  /** Called at the end with the files that were not changed. */
  onEnd: (left: Names) => void;
}

interface Failure {
  name: string;
  reason: string;
}

const CHUNK = 100;
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
  const controller = new AbortController();

  const step = async (start: number) => {
    const text = `${work.doing} ${count(start)} of ${count(ids.length)}`;
    progress.value = { text, stop: () => controller.abort() };
    const body = { ...work.change, ids: ids.slice(start, start + CHUNK) };
    const results = await dataOf(batchFiles({ client, body, throwOnError: true }));
    const changed = new Set(results.filter(({ error }) => !error).map(({ id }) => id));
    for (const { id, error } of results) {
      if (error) failed.push({ name: files.get(id) ?? id, reason: reasonOf(error) });
      else left.delete(id);
    }
    work.onDone(changed);
  };
  const rest = async () => {
    try {
      for (let start = CHUNK; start < ids.length && !controller.signal.aborted; start += CHUNK) await step(start);
    } catch (cause) {
      toast(`${plural(left.size, "file")} not ${work.done}: ${errorOf(cause).message}`, { isError: true });
    }
    progress.value = null;
    report(ids.length - left.size, failed, work);
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

function reasonOf({ message, errors }: PartError): string {
  return Object.values(errors ?? {}).flat().join(" ") || message;
}

function report(changed: number, failed: readonly Failure[], { done }: Work): void {
  if (changed > 0) toast(`${plural(changed, "file")} ${done}.`);
  if (failed.length > 0) failures.value = { title: `${plural(failed.length, "file")} not ${done}`, list: failed };
}

/** Lists the files that a batch could not change. */
export function BatchFailures() {
  if (!failures.value) return null;
  const { title, list } = failures.value;
  const close = () => (failures.value = null);
  return (
    <Dialog title={title} onClose={close}>
      <ul class="failures" tabIndex={0} aria-label="Files">
        {list.slice(0, MAX_LISTED).map(({ name, reason }, index) => (
          <li key={index}>
            <b dir="auto">{name}</b>
            <small>{reason}</small>
          </li>
        ))}
        {list.length > MAX_LISTED && <li>And {count(list.length - MAX_LISTED)} more.</li>}
      </ul>
      <div class="actions">
        <button class="primary" autofocus onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
