// Shared by the tests: a scripted service behind `fetch`, and timers that do not wait.

/** Size of a file that is sent as a form, and of one that is sent to storage. */
export const SMALL = 3;
export const LARGE = 5 * 2 ** 20;

export const BASE = "https://api.example/api/v1";
export const RECORD = { id: "01F", name: "stored.bin" };
const PENDING = {
  file_id: "01F",
  upload_url: "https://storage.example/staged?X-Amz-Signature=secret",
  headers: { "content-type": "text/plain" },
  confirm_token: "token",
};

export const fileOf = (bytes, name = "a.txt") => new File([new Uint8Array(bytes)], name, { type: "text/plain" });

export const json = (status, body, headers = {}) => new Response(JSON.stringify(body), { status, headers });
export const failure = (status, errors = {}, headers = {}) => json(status, { message: "No.", errors }, headers);

/** Names the step of an upload that a request belongs to. */
export function stepOf(method, url) {
  if (url.endsWith("/content")) return "form";
  if (method === "PUT" || method === "DELETE") return method.toLowerCase();
  return /presign|confirm/.exec(url)?.[0] ?? "form";
}

/**
 * Returns a `fetch` that responds with success, except where the script of a step has a response, an error to
 * throw, or a function to call. `calls` are the requests so far.
 */
export function service(script = {}) {
  const calls = [];
  const success = {
    form: () => json(201, { data: RECORD }),
    presign: () => json(201, PENDING),
    put: () => new Response(""),
    confirm: () => json(200, { data: RECORD }),
    delete: () => new Response(null, { status: 204 }),
  };
  const fetch = async (url, { method, headers, body, signal }) => {
    const step = stepOf(method, url);
    calls.push({ step, url, headers, body });
    signal?.throwIfAborted();
    let next = script[step]?.shift();
    if (typeof next === "function") next = next();
    if (next instanceof Error) throw next;
    return next ?? success[step]();
  };
  return { calls, fetch, steps: () => calls.map(({ step }) => step) };
}

/** Lets every timer fire at once, and removes the randomness of backoff. Returns the delays in milliseconds. */
export function instantTimers(t) {
  const delays = [];
  t.mock.method(Math, "random", () => 0);
  t.mock.method(globalThis, "setTimeout", (f, ms) => {
    delays.push(ms);
    queueMicrotask(f);
  });
  return delays;
}

/** Waits until all callbacks have run that are ready. */
export const settle = () => new Promise((resolve) => setImmediate(resolve));
