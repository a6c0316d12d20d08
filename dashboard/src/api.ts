// Requests of the dashboard: the generated client with the key of the session.
//
// - Every failure is a `LarderError`. A 401 ends the session, unless that has another key by now.
// - The service handles no request that it answers with 429, so it is repeated after the time that the response
//   states, and `busyUntil` says so. Reads are repeated once after a 503.
// - A creation whose response is lost may have happened. The same one again has the same idempotency key, so that the
//   service returns the first. Routes that create nothing ignore the key.
// - `isOnline` is false from a lost connection until a response arrives or the browser is online again.

import { signal } from "@preact/signals";
import { LarderError } from "larder";
import { createClient, createConfig } from "larder/api";

import { endSession, key } from "./session.ts";
import { MS_PER_S } from "./units.ts";

/** Base URL of the API, which serves the dashboard too. */
export const BASE_URL = `${location.origin}/api/v1`;

export const UNAUTHORIZED = 401;
const TOO_MANY_REQUESTS = 429;
const UNAVAILABLE = 503;
/** Maximum number of repetitions of a request. */
const MAX_REPETITIONS = 4;
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

/** Returns the error of a request that got no response. */
export function connectionLost(cause: unknown): LarderError {
  isOnline.value = false;
  return new LarderError("The server cannot be reached.", 0, cause);
}

async function patientFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const creation = request.method === "POST" ? request.url + (await request.clone().text()) : "";
  if (creation) request.headers.set("idempotency-key", keyOfCreation(creation));
  const isOfSession = () => request.headers.get("authorization") === `Bearer ${key.value}`;

  for (let attempt = 0; ; attempt += 1) {
    const response = await fetch(request.clone());
    isOnline.value = true;
    if (response.ok) unanswered.delete(creation);
    if (response.status === UNAUTHORIZED && isOfSession()) endSession("This key was revoked, has expired, or is not valid.");

    const wait = Number(response.headers.get("retry-after") ?? 1);
    const isRead = request.method === "GET" && attempt === 0;
    const canRepeat = response.status === TOO_MANY_REQUESTS || (response.status === UNAVAILABLE && isRead);
    if (!canRepeat || attempt === MAX_REPETITIONS || !(wait <= MAX_WAIT_S)) return response;
    await pause(wait * MS_PER_S, request.signal);
    if (!isOfSession()) return response;
  }
}

/** Idempotency keys of creations that did not succeed, by URL and body. */
const unanswered = new Map<string, string>();

function keyOfCreation(creation: string): string {
  const known = unanswered.get(creation) ?? crypto.randomUUID();
  unanswered.set(creation, known);
  return known;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const until = Date.now() + ms;
  busyUntil.value = Math.max(busyUntil.value, until);
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      const abort = () => (clearTimeout(timer), reject(signal.reason));
      signal.addEventListener("abort", abort, { once: true });
    });
  } finally {
    if (busyUntil.value <= until) busyUntil.value = 0;
  }
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
  if (cause instanceof LarderError) return cause;
  return new LarderError(cause instanceof Error ? cause.message : String(cause), 0, cause);
}
