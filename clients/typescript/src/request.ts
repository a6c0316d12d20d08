// Sends a request, and repeats it while that can help.
//
// - Repeated are lost connections, 408, 429, 5xx, and the 409 of a request whose first attempt is in
//   progress. Every caller sends an idempotent request: by its method, or by an `Idempotency-Key`.
// - The number of repetitions and each wait are bounded. An abort ends a wait at once.

import {
  CONFLICT,
  DEFAULT_RETRIES,
  FIRST_BACKOFF_MS,
  FIRST_ERROR,
  FIRST_SERVER_ERROR,
  MAX_BACKOFF_MS,
  MAX_RETRY_AFTER_S,
  MS_PER_S,
  REQUEST_TIMEOUT,
  TOO_MANY_REQUESTS,
} from "./bounds.js";
import { errorOf, LarderError } from "./errors.js";
import { transfer, type Reply, type Transfer } from "./transfer.js";

/** An API key, or a function that returns the current one. It is called for each attempt. */
export type Key = string | (() => string | Promise<string>);

export interface ClientOptions {
  /** Base URL of the API, which ends with `/api/v1`. */
  baseUrl: string;
  /** Uploads by a signed URL, and unsigned ones, do not send it. */
  key?: Key;
  /** Replaces the global `fetch`. Then no progress is reported before the end. */
  fetch?: typeof fetch;
  /** Maximum number of repetitions of each request. Default: 4. */
  retries?: number;
}

export interface Call extends Omit<Transfer, "headers" | "fetch"> {
  headers?: Record<string, string>;
  /** Sent as a bearer token. */
  key?: Key | undefined;
  /** Sent as the body. */
  json?: object | undefined;
}

/** Returns the response of a successful request. Fails with a `LarderError` or the reason of the signal. */
export async function request(o: ClientOptions, call: Call): Promise<Reply> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await send(o, call);
    } catch (error) {
      const hasRetries = attempt < (o.retries ?? DEFAULT_RETRIES);
      if (!hasRetries || !(error instanceof LarderError) || !canRetry(error)) throw error;
      call.signal?.throwIfAborted();
      await wait(error.retryAfter * MS_PER_S + backoffMs(attempt), call.signal);
    }
  }
}

async function send(o: ClientOptions, { key, json, ...call }: Call): Promise<Reply> {
  const headers = { ...call.headers };
  if (key) headers["authorization"] = `Bearer ${typeof key === "string" ? key : await key()}`;
  if (json) {
    headers["content-type"] = "application/json";
    call.body = JSON.stringify(json);
  }

  const reply = await transfer({ ...call, headers, fetch: o.fetch });
  if (reply.status >= FIRST_ERROR) throw errorOf(reply);
  return reply;
}

function canRetry({ status, retryAfter }: LarderError): boolean {
  const isTemporary =
    status === 0 ||
    status === REQUEST_TIMEOUT ||
    status === TOO_MANY_REQUESTS ||
    status >= FIRST_SERVER_ERROR ||
    (status === CONFLICT && retryAfter > 0);
  return isTemporary && retryAfter <= MAX_RETRY_AFTER_S;
}

/** Returns a random wait before a repetition, so that clients that failed together do not return together. */
function backoffMs(attempt: number): number {
  return Math.random() * Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** attempt);
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort);
  });
}
