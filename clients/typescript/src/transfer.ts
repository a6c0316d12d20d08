// Sends one HTTP request and reads its response as text.
//
// - `XMLHttpRequest` is used where it exists and progress is observed, because `fetch` does not report it.
// - A response of any status resolves. No response rejects with a `LarderError` of status 0.
// - An abort rejects with the reason of the signal, and closes the connection.
// - No error of the browser is passed on: it can contain the URL or a header.

import { connectionLost } from "./errors.js";

export interface Transfer {
  method: "POST" | "PUT" | "DELETE";
  url: string;
  headers: Record<string, string>;
  body?: Blob | FormData | string | undefined;
  signal?: AbortSignal | undefined;
  /** Called with the number of bytes of the body that were sent, by `XMLHttpRequest` only. */
  onSent?: ((bytes: number) => void) | undefined;
  fetch?: typeof fetch | undefined;
}

export interface Reply {
  status: number;
  header: (name: string) => string | null;
  text: string;
}

export async function transfer(t: Transfer): Promise<Reply> {
  try {
    t.signal?.throwIfAborted();
    return await (globalThis.XMLHttpRequest && t.onSent && !t.fetch ? sendByXhr(t) : sendByFetch(t));
  } catch (error) {
    t.signal?.throwIfAborted();
    throw connectionLost(error as Error & { cause?: { code?: string } });
  }
}

async function sendByFetch(t: Transfer): Promise<Reply> {
  const { method, headers, body = null, signal = null, fetch: send = fetch } = t;
  // A page that is being closed still deletes its pending file: only deletions have no body.
  const response = await send(t.url, { method, headers, body, signal, keepalive: !body });
  const text = await response.text();
  return { status: response.status, header: (name) => response.headers.get(name), text };
}

function sendByXhr({ method, url, headers, body, signal, onSent }: Transfer): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    const abort = () => {
      xhr.abort();
      reject();
    };
    signal?.addEventListener("abort", abort);

    xhr.open(method, url);
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = ({ loaded }) => onSent?.(loaded);

    xhr.onload = () => {
      resolve({ status: xhr.status, header: (name) => xhr.getResponseHeader(name), text: xhr.responseText });
    };
    xhr.onerror = reject;
    xhr.onloadend = () => signal?.removeEventListener("abort", abort);

    xhr.send(body);
  });
}
