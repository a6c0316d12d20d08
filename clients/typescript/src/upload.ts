// Uploads one file: as a form up to 4 MiB, else by a presigned URL of storage.
//
// - One `Idempotency-Key` identifies a logical upload, so that repeated requests store one file. It is random
//   and cannot be guessed: without an API key, it alone protects the stored response.
// - If the pending file or its URL is gone, the upload starts again with a new key, a bounded number of
//   times. Other responses to a confirmation are final: the file violates the rules of the upload config, or
//   its name is taken.
// - After an abort, nothing further is sent, except that a pending file is deleted if the caller has an API
//   key. Otherwise the service would activate it later if all of its bytes had arrived.
// - Generated code is used for its types only.

import {
  CONFLICT,
  FORBIDDEN,
  IDEMPOTENCY_KEY_WORDS,
  MAX_FORM_BYTES,
  MAX_RESTARTS,
  NOT_FOUND,
} from "./bounds.js";
import { bodyAs, LarderError } from "./errors.js";
import type { AnonymousFile, FileRecord, PresignedUpload } from "./generated/types.gen.js";
import { request, type Call, type ClientOptions, type Key } from "./request.js";
import type { Reply } from "./transfer.js";

const OCTET_STREAM = "application/octet-stream";

export interface UploadTarget {
  /** Handle of the space. */
  space?: string;
  /** Id or name. Default: the active upload config of the space. */
  uploadConfig?: string;
  /** Id of a folder, or `root`. */
  folderId?: string;
  /** Path of a folder below `folderId`, or below the root. Missing folders are created for admins. */
  folderPath?: string;
  /** Reference of your own, to find the file by. */
  ref?: string;
  /** Replaces the name of the file. */
  name?: string;
  /**
   * Identifies the upload: another one with this key within 24 hours returns its file instead of storing it
   * again. 1 to 253 printable ASCII characters that cannot be guessed. Default: random.
   */
  idempotencyKey?: string;
}

export interface Progress {
  /** Bytes that were sent. Falls if a request is repeated. */
  sent: number;
  total: number;
}

export interface UploadOptions extends UploadTarget {
  /** Aborts the upload, which then rejects with the reason of the signal. */
  signal?: AbortSignal;
  /** Called while bytes are sent where `XMLHttpRequest` exists, and with all bytes at the end. */
  onProgress?: (p: Progress) => void;
}

/** The folder that only the holder of an API key selects. */
type FolderFields = "folderId" | "folderPath";

export interface OwnUploadOptions extends UploadOptions {
  space: string;
  /** Id of a file whose bytes these replace. It keeps its URL, name, folder and reference. */
  replaces?: string;
}

/** Uploads a file with an API key. */
export function upload(o: ClientOptions, file: Blob | File, u: OwnUploadOptions): Promise<FileRecord> {
  const fields = { space: u.space, upload_config: u.uploadConfig, replaces: u.replaces };
  return store(o, file, u, `${baseOf(o)}/upload`, fields, o.key);
}

/** Uploads a file with a signed URL, which selects the space, the upload config and the folder. */
export function uploadSigned(
  o: ClientOptions,
  file: Blob | File,
  u: Omit<UploadOptions, FolderFields> & { signedUrl: string },
): Promise<AnonymousFile> {
  return store(o, file, u, u.signedUrl);
}

/** Uploads a file from a page that the upload config allows. */
export function uploadUnsigned(
  o: ClientOptions,
  file: Blob | File,
  u: Omit<UploadOptions, FolderFields> & { space: string; uploadConfig: string },
): Promise<AnonymousFile> {
  return store(o, file, u, `${baseOf(o)}/upload/unsigned/${u.space}/${u.uploadConfig}`);
}

/** Uploads a file by the route of a URL, with fields that only this route has. */
async function store<T>(
  o: ClientOptions,
  file: Blob,
  u: UploadOptions,
  formUrl: string,
  ownFields: Record<string, string | undefined> = {},
  key?: Key,
): Promise<T> {
  const { signal, onProgress, ref, folderPath, folderId = folderPath && "root" } = u;
  const { idempotencyKey = randomKey() } = u;
  const { name = (file as Partial<File>).name ?? "file" } = u;
  const { size: total, type } = file;
  const { replaces } = ownFields;
  const fields = { ...ownFields, folder_id: folderId, folder_path: folderPath, ref };

  const send = (call: Partial<Call> & { url: string }) =>
    request(o, { method: "POST", signal, key, ...call });
  // A form has more bytes than its file.
  const onSent = onProgress && ((sent: number) => onProgress({ sent: Math.min(sent, total), total }));

  const identify = (restart = 0) => ({ "idempotency-key": `${idempotencyKey}-${restart}` });

  function sendForm(): Promise<Reply> {
    const body = new FormData();
    body.set("file", file, name);
    if (replaces) return send({ method: "PUT", url: `${baseOf(o)}/files/${replaces}/content`, body, onSent });
    for (const [field, value] of Object.entries(fields)) if (value) body.set(field, value);
    return send({ url: formUrl, headers: identify(), body, onSent });
  }

  async function sendPresigned(restart = 0): Promise<Reply> {
    let pending: PresignedUpload | undefined;
    /** Status with which a step responds if the pending file or its URL is gone. */
    let gone = CONFLICT;
    try {
      const json = { ...fields, filename: name, content_type: type || OCTET_STREAM, size: total };
      const presignUrl = formUrl.replace(/\?|$/, "/presign$&");
      pending = bodyAs<PresignedUpload>(await send({ url: presignUrl, headers: identify(restart), json }));

      gone = FORBIDDEN;
      const { upload_url: url, file_id, confirm_token } = pending;
      const headers = pending.headers as Record<string, string>;
      await send({ method: "PUT", url, key: undefined, headers, body: file, onSent });

      gone = NOT_FOUND;
      // Without a key, the token is the credential. With one, there is none.
      return await send({ url: `${baseOf(o)}/upload/confirm/${file_id}`, json: { confirm_token } });
    } catch (error) {
      if (signal?.aborted && pending && key) {
        // Not awaited: the caller learns of the abort at once.
        request(o, { method: "DELETE", url: `${baseOf(o)}/files/${pending.file_id}`, key }).catch(() => {});
      }
      const isGone = error instanceof LarderError && error.status === gone;
      if (restart < MAX_RESTARTS && isGone) return sendPresigned(restart + 1);
      throw error;
    }
  }

  const reply = await (total > MAX_FORM_BYTES ? sendPresigned() : sendForm());
  onSent?.(total);
  return bodyAs<{ data: T }>(reply).data;
}

const baseOf = ({ baseUrl }: ClientOptions) => baseUrl.replace(/\/$/, "");

/** Returns an `Idempotency-Key`. Pages without HTTPS have no `crypto.randomUUID`. */
export function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(IDEMPOTENCY_KEY_WORDS)).join("-");
}
