// Uploads one file with the key of the session, however long that takes.
//
// - An upload belongs to the key with which it began. If the session ends, it stops, and begins again when a person
//   continues with another key. One whose bytes are sent is waited for, because the service may have stored it, and
//   would store it again for another key.
// - Without a connection it waits for one. The client has repeated its requests before.
// - A file that cannot be read is reported as such, because a browser reports it as a lost connection.

import { computed, effect, signal as state } from "@preact/signals";
import { LarderError, upload, type FileRecord, type OwnUploadOptions, type Progress } from "larder";
import { getAccount } from "larder/api";

import { BASE_URL, client, errorOf, isOnline, UNAUTHORIZED } from "../../api.ts";
import { endSession, key } from "../../session.ts";
import { assertRead } from "./dropped.ts";

const NO_RESPONSE = 0;

/** Who paused the uploads. */
export const pausedBy = state<"" | "person" | "session">("");
/** Whether uploads can be sent. */
export const isRunning = computed(() => !pausedBy.value && isOnline.value && key.value !== "");

/** Uploads a file to the space that the options name. */
export async function send(file: File, options: Partial<OwnUploadOptions>): Promise<FileRecord> {
  assertRead(file);
  const { space = "", signal } = options;
  let isSent = false;
  const onProgress = (progress: Progress) => {
    isSent = progress.sent >= progress.total;
    options.onProgress?.(progress);
  };

  for (;;) {
    const secret = key.value;
    const session = sessionOf(secret, signal, () => isSent);
    try {
      const own = { space, signal: session.signal, onProgress };
      return await upload({ baseUrl: BASE_URL, key: secret }, file, { ...options, ...own });
    } catch (cause) {
      signal?.throwIfAborted();
      const error = errorOf(cause);
      if (error.status === UNAUTHORIZED && key.value === secret) {
        endSession("This key was revoked or has expired. Your uploads wait until you sign in.");
      }
      if (key.value === secret) await assertTemporary(error, file);

      onProgress({ sent: 0, total: file.size });
      await running(signal);
    } finally {
      session.end();
    }
  }
}

/** Returns a signal that aborts with the upload, and when the session gets another key before all bytes are sent. */
function sessionOf(secret: string, signal: AbortSignal | undefined, isSent: () => boolean) {
  const controller = new AbortController();
  const end = effect(() => {
    if (key.value !== secret && !isSent()) controller.abort();
  });
  return { signal: AbortSignal.any([controller.signal, ...(signal ? [signal] : [])]), end };
}

/** Fails with the error unless the connection is lost. */
async function assertTemporary(error: LarderError, file: File): Promise<void> {
  if (error.status !== NO_RESPONSE) throw error;
  await assertReadable(file);
  if (await isReachable()) throw error;
}

async function assertReadable(file: File): Promise<void> {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch (cause) {
    const text = "The file cannot be read. It was changed, moved or deleted after it was added.";
    throw new LarderError(text, NO_RESPONSE, cause);
  }
}

/** Returns whether the service responds, and updates `isOnline` by it. */
export async function isReachable(): Promise<boolean> {
  await getAccount({ client, throwOnError: true }).catch(() => {});
  return isOnline.value;
}

/** Waits until uploads can be sent, or fails with the signal. */
async function running(signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const waiting = new AbortController();
  let end = () => {};
  try {
    await new Promise<void>((resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason), { signal: waiting.signal });
      end = effect(() => {
        if (isRunning.value) resolve();
      });
    });
  } finally {
    end();
    waiting.abort();
  }
}
