// What the tray counts, kept up to date by differences, so that a change of one file takes constant time.
//
// - Bytes are those of files that are stored, being sent, or waiting. Failed and cancelled files have none.
// - Cancelled files do not count as files.

import type { QueueItem } from "larder";

import { MINUTES_PER_HOUR, MS_PER_S, SECONDS_PER_MINUTE } from "../../units.ts";

export type Item = QueueItem<string>;

export interface Totals {
  files: number;
  /** Files that are stored. */
  stored: number;
  failed: number;
  cancelled: number;
  bytes: number;
  sentBytes: number;
}

export const NOTHING: Totals = { files: 0, stored: 0, failed: 0, cancelled: 0, bytes: 0, sentBytes: 0 };

/** Returns totals with an item added, or with one removed (`sign` -1). */
export function counted(totals: Totals, { state, file, sent }: Item, sign: 1 | -1): Totals {
  const isCancelled = state === "cancelled";
  const isFailed = state === "failed";
  const hasBytes = !isCancelled && !isFailed;
  return {
    files: totals.files + (isCancelled ? 0 : sign),
    stored: totals.stored + (state === "stored" ? sign : 0),
    failed: totals.failed + (isFailed ? sign : 0),
    cancelled: totals.cancelled + (isCancelled ? sign : 0),
    bytes: totals.bytes + (hasBytes ? sign * file.size : 0),
    sentBytes: totals.sentBytes + (hasBytes ? sign * sent : 0),
  };
}

/** Returns the number of files that are waiting or being sent. */
export function activeOf({ files, stored, failed }: Totals): number {
  return files - stored - failed;
}

const SAMPLE_MS = 1000;
/** Weight of the newest sample of the rate. */
const WEIGHT = 0.15;
/** Samples before the rate is trusted. */
const MIN_SAMPLES = 4;

/** Estimates how long the rest takes. */
export class Estimate {
  #at = 0;
  #bytes = 0;
  #samples = 0;
  /** Bytes per second. */
  #rate = 0;

  /** Forgets the rate, after a pause. */
  reset(): void {
    this.#at = 0;
    this.#samples = 0;
  }

  /** Takes the bytes that were sent until now into account. */
  sample(bytes: number, now: number): void {
    const elapsed = now - this.#at;
    if (elapsed < SAMPLE_MS) return;
    if (this.#at) {
      const rate = (Math.max(0, bytes - this.#bytes) * MS_PER_S) / elapsed;
      this.#samples += 1;
      this.#rate += (rate - this.#rate) * Math.max(WEIGHT, 1 / this.#samples);
    }
    this.#at = now;
    this.#bytes = bytes;
  }

  /** Returns the time for the bytes that remain, or an empty text if it is unknown. */
  left(bytes: number): string {
    if (this.#samples < MIN_SAMPLES || this.#rate <= 0) return "";
    const seconds = bytes / this.#rate;
    const minutes = seconds / SECONDS_PER_MINUTE;
    if (minutes < 1) return `${Math.max(1, Math.ceil(seconds))} s left`;
    if (minutes < MINUTES_PER_HOUR) return `${Math.ceil(minutes)} min left`;
    return `${(minutes / MINUTES_PER_HOUR).toFixed(1)} h left`;
  }
}
