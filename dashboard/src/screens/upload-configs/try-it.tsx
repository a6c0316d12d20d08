// Uploads one file with a saved config, to see what the config does with it.
//
// - The file is stored like any other. A config that requires signed URLs gets one first.

import { useSignal, type Signal } from "@preact/signals";
import { upload, uploadSigned, type AnonymousFile, type FileRecord, type LarderError, type Progress } from "larder";
import { generateSignedUploadUrl, type UploadConfig } from "larder/api";
import { useRef } from "preact/hooks";

import { BASE_URL, client, dataOf, errorOf, UNAUTHORIZED } from "../../api.ts";
import { textOf } from "../../parts/errors.ts";
import { useFileDrop } from "../../parts/file-drop.ts";
import { bytes } from "../../parts/format.ts";
import { announce } from "../../parts/status.tsx";
import { endSession, key } from "../../session.ts";

type Stored = FileRecord | AnonymousFile;

export function TryIt({ config, handle }: { config: UploadConfig; handle: string }) {
  const input = useRef<HTMLInputElement>(null);
  const trial = useTrial(config, handle);
  const { progress, stored, error } = trial;
  const start = (files: FileList | null | undefined) => {
    const file = files?.[0];
    if (file) void trial.run(file);
  };

  const { isOver, listeners } = useFileDrop(({ files }) => start(files));

  return (
    <section class="card" aria-labelledby="try-it">
      <h2 id="try-it">Try it</h2>
      <div class={isOver ? "try-zone over" : "try-zone"} {...listeners}>
        <p class="hint">Drop a file, or</p>
        <button type="button" onClick={() => input.current?.click()}>
          Choose a file
        </button>
        <input
          ref={input}
          hidden
          type="file"
          aria-label="File to try"
          onChange={(event) => {
            start(event.currentTarget.files);
            // The same file can be chosen again.
            event.currentTarget.value = "";
          }}
        />
      </div>
      <p class="hint">It is uploaded with the config as it is saved, and stays in the space.</p>
      {progress.value && <progress aria-label="Upload" max={progress.value.total} value={progress.value.sent} />}
      {stored.value && <Result file={stored.value} />}
      {error.value && (
        <div class="problem" role="alert">
          <b>Rejected</b>
          <p>{textOf(error.value)}</p>
        </div>
      )}
    </section>
  );
}

interface Trial {
  progress: Signal<Progress | null>;
  stored: Signal<Stored | null>;
  error: Signal<LarderError | null>;
  run: (file: File) => Promise<void>;
}

function useTrial(config: UploadConfig, handle: string): Trial {
  const progress = useSignal<Progress | null>(null);
  const stored = useSignal<Stored | null>(null);
  const error = useSignal<LarderError | null>(null);
  const run = async (file: File) => {
    if (progress.value) return;
    stored.value = null;
    error.value = null;
    progress.value = { sent: 0, total: file.size };

    try {
      stored.value = await send(config, handle, file, (sent) => (progress.value = sent));
      announce("The file was accepted.");
    } catch (cause) {
      error.value = errorOf(cause);
      if (error.value.status === UNAUTHORIZED) endSession("This key was revoked, has expired, or is not valid.");
    }
    progress.value = null;
  };
  return { progress, stored, error, run };
}

async function send(
  config: UploadConfig,
  handle: string,
  file: File,
  onProgress: (progress: Progress) => void,
): Promise<Stored> {
  const caller = { baseUrl: BASE_URL, key: () => key.value };
  if (!config.is_signed) return upload(caller, file, { space: handle, uploadConfig: config.id, onProgress });
  const body = { upload_config_id: config.id };
  const { url } = await dataOf(generateSignedUploadUrl({ client, body, throwOnError: true }));
  return uploadSigned(caller, file, { signedUrl: url, onProgress });
}

function Result({ file }: { file: Stored }) {
  const { original_name, name, mime_type, size, type, url } = file;
  const canOpen = url && type !== "authenticated";
  return (
    <div class="result">
      <b>
        Accepted: <bdi>{original_name}</bdi>
      </b>
      <small>
        {mime_type} · {bytes(size)} · stored as <code>{name}</code>
      </small>
      {canOpen && (
        <a href={url} target="_blank" rel="noreferrer">
          Open
        </a>
      )}
    </div>
  );
}
