// Numbers, sizes and times as text.

import { MS_PER_S } from "../units.ts";

const UNITS = ["B", "KB", "MB", "GB", "TB"];
const STEP = 1024;
const RELATIVE: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];
/** Times that are longer ago are dates. */
const MAX_RELATIVE_DAYS = 6;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const dates = new Intl.DateTimeFormat("en", { dateStyle: "medium" });
const times = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });
const numbers = new Intl.NumberFormat("en");

/** Returns a number of bytes in binary units, as the limits of the service are: `2.7 MB`. */
export function bytes(value: number): string {
  const power = value < STEP ? 0 : Math.min(Math.floor(Math.log2(value) / 10), UNITS.length - 1);
  const scaled = value / STEP ** power;
  return `${power > 0 && scaled < 100 ? scaled.toFixed(1) : Math.round(scaled)} ${UNITS[power]}`;
}

/** Returns a number with separators of thousands. */
export function count(value: number): string {
  return numbers.format(value);
}

/** Returns `1 file`, `2 files`. */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** Returns the day of a time. */
export function date(timestamp: string): string {
  return dates.format(new Date(timestamp));
}

/** Returns a day and a time with seconds. */
export function time(timestamp: string): string {
  return times.format(new Date(timestamp));
}

/** Returns how long ago a time is, or its date. */
export function ago(timestamp: string): string {
  const seconds = (Date.parse(timestamp) - Date.now()) / MS_PER_S;
  const [unit, length] = RELATIVE.find(([, unitLength]) => Math.abs(seconds) >= unitLength) ?? ["second", 1];
  const value = Math.trunc(seconds / length);
  if (unit === "day" && Math.abs(value) > MAX_RELATIVE_DAYS) return date(timestamp);
  return unit === "second" ? "just now" : relative.format(value, unit);
}
