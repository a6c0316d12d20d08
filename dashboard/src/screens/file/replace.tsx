// The replacement of the bytes of a file: a dialog with the new file, how much of it is sent, and what is wrong.
//
// - The new file is sent as the tray of uploads sends one. Cancel ends that, and the end of the dialog too.
// - What was cancelled may have been stored already, so that the file is loaded again in each case.

import { useSignal } from "@preact/signals";
import { LarderError, type Progress } from "larder";
import type { FileRecord } from "larder/api";
import { useEffect, useRef } from "preact/hooks";

import { FormDialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/form.tsx";
import { toast } from "../../parts/status.tsx";
import { space } from "../../state.ts";
import { Sent } from "../tray/rows.tsx";
import { send } from "../tray/sending.ts";
import { noteReplaced } from "./replaced.ts";

const UNPROCESSABLE = 422;
/** The type of files of which nothing is known, which a chooser of files cannot filter by. */
const UNKNOWN_TYPE = "application/octet-stream";

interface ReplaceProps {
  record: FileRecord;
  /** The file that was dropped, if one was. */
  dropped: File | undefined;
  /** Called after the bytes were, or may have been, replaced. */
  onReplaced: () => void;
  onClose: () => void;
}

export function ReplaceDialog({ record, dropped, onReplaced, onClose }: ReplaceProps) {
  const { id, original_name: name, extension, mime_type } = record;
  const input = useRef<HTMLInputElement>(null);
  const sent = useSignal<Progress | null>(null);
  const running = useRef<AbortController>(null);
  const isOver = useRef(false);
  useEffect(() => {
    if (dropped && input.current) input.current.files = listOf(dropped);
    return () => {
      isOver.current = true;
      running.current?.abort();
    };
  }, []);

  const replace = async () => {
    const file = input.current?.files?.[0];
    if (!file) throw new LarderError("Choose a file.", UNPROCESSABLE, null, { file: ["Choose a file."] });
    running.current = new AbortController();
    const { signal } = running.current;
    const onProgress = (progress: Progress) => (sent.value = progress);
    let isCancelled = false;
    try {
      onProgress({ sent: 0, total: file.size });
      await send(file, { space: space.value?.handle ?? "", replaces: id, signal, onProgress });
    } catch (cause) {
      isCancelled = signal.aborted;
      if (!isCancelled) throw cause;
    } finally {
      sent.value = null;
    }
    noteReplaced(id);
    if (isOver.current) return;
    onReplaced();
    toast(isCancelled ? "The replacement was cancelled." : `${name} was replaced.`);
  };

  const type = extension.toUpperCase();
  return (
    <FormDialog
      title={
        <>
          Replace <bdi>{name}</bdi>
        </>
      }
      submit="Replace"
      onSubmit={replace}
      onStop={() => running.current?.abort()}
      onClose={onClose}
    >
      <p>
        The URL stays the same. A browser that has the old file shows it for up to five more minutes. The old file cannot
        be restored.
      </p>
      <Field name="file" label="New file" hint={type && `It has to be a ${type} file too, as the URL says so.`}>
        {(attributes) => (
          <input {...attributes} ref={input} type="file" accept={mime_type === UNKNOWN_TYPE ? undefined : mime_type} />
        )}
      </Field>
      {sent.value && <Sent {...sent.value} name={name} />}
    </FormDialog>
  );
}

/** Returns a list with one file, as an element takes it. */
function listOf(file: File): FileList {
  const transfer = new DataTransfer();
  transfer.items.add(file);
  return transfer.files;
}
