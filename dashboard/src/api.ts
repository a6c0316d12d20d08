// Requests of the dashboard: the generated client with the key of the session.
//
// - Every failure is a `LarderError`. A 401 ends the session.
// - The service handles no request that it answers with 429, so it is repeated after the time that the response
//   states, and `busyUntil` says so. Reads are repeated once after a 503.
// - `isOnline` is false from a lost connection until a response arrives or the browser is online again.

import { signal } from "@preact/signals";
import { LarderError } from "larder";
import { createClient, createConfig } from "larder/api";

import { endSession, key } from "./session.ts";

/** Base URL of the API, which serves the dashboard too. */
export const BASE_URL = `${location.origin}/api/v1`;

const UNAUTHORIZED = 401;
const TOO_MANY_REQUESTS = 429;
const UNAVAILABLE = 503;
/** Maximum number of repetitions of a request. */
const MAX_REPETITIONS = 4;
const MS_PER_S = 1000;
/** A 429 of the hourly cap of an upload config is reported instead of waited for. */
const MAX_WAIT_S = 65;

/** Time until which requests wait, in milliseconds. 0 if none waits. */
export const busyUntil = signal(0);
export const isOnline = signal(navigator.onLine);
addEventListener("online", () => (isOnline.value = true));
addEventListener("offline", () => (isOnline.value = false));

export const client = createClient(
  createConfig({ baseUrl: BASE_URL, auth: () => key.value, fetch: patientFetch, throwOnError: true }),
);

client.interceptors.error.use((body, response) => {
  // An aborted request has a reason instead of a response.
  if (!response) return body instanceof DOMException ? body : connectionLost(body);
  const { message, errors } = (body ?? {}) as { message?: string; errors?: Record<string, string[]> };
  const header = (name: string) => response.headers.get(name) ?? "";
  return new LarderError(
    message ?? `Status ${response.status}`,
    response.status,
    null,
    errors ?? {},
    header("x-request-id"),
    Number(header("retry-after")) || 0,
  );
});

function connectionLost(cause: unknown): LarderError {
  isOnline.value = false;
  return new LarderError("The server cannot be reached.", 0, cause);
}

async function patientFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  for (let attempt = 0; ; attempt += 1) {
    const response = await fetch(request.clone());
    isOnline.value = true;
    if (response.status === UNAUTHORIZED) endSession("This key was revoked, has expired, or is not valid.");

    const wait = Number(response.headers.get("retry-after") ?? 1);
    const isRead = request.method === "GET" && attempt === 0;
    const canRepeat = response.status === TOO_MANY_REQUESTS || (response.status === UNAVAILABLE && isRead);
    if (!canRepeat || attempt === MAX_REPETITIONS || !(wait <= MAX_WAIT_S)) return response;
    await pause(wait * MS_PER_S, request.signal);
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const until = Date.now() + ms;
  busyUntil.value = Math.max(busyUntil.value, until);
  await new Promise<void>((resolve, reject) => {
    setTimeout(resolve, ms);
    signal.addEventListener("abort", () => reject(signal.reason));
  });
  if (busyUntil.value <= until) busyUntil.value = 0;
}

/** Returns what the successful response of a call has in `data`. */
export async function dataOf<T>(call: Promise<{ data: { data: T } }>): Promise<T> {
  return (await call).data.data;
}

/** Returns the body of the successful response of a call. */
export async function bodyOf<T>(call: Promise<{ data: T }>): Promise<T> {
  return (await call).data;
}

/** Returns an error as a `LarderError`, whatever was thrown. */
export function errorOf(cause: unknown): LarderError {
  return cause instanceof LarderError ? cause : new LarderError(String(cause), 0, cause);
}
