// How a file goes, and how it comes back from the trash.

import { useSignal } from "@preact/signals";
import { deleteFile, restoreFile, type FileRecord } from "larder/api";

import { client, dataOf } from "../../api.ts";
import { ask } from "../../parts/dialog.tsx";
import { attempt, textOf } from "../../parts/errors.ts";
import { date, plural } from "../../parts/format.ts";
import { toast } from "../../parts/status.tsx";
import { trashDays } from "../../state.ts";
import { reloads } from "../files/model.ts";
import { Facts } from "./facts.tsx";
import { whyFixed } from "./rights.ts";

interface RemovalProps {
  record: FileRecord;
  onDeleted: (id: string) => void;
}

function restored({ id }: FileRecord): Promise<FileRecord> {
  return dataOf(restoreFile({ client, path: { id }, throwOnError: true }));
}

/** Says what a deletion does to a file that the space keeps for some days, or does not keep. */
function consequenceOf(isTrashed: boolean, days: number): string {
  if (isTrashed) return "cannot be restored afterwards.";
  const kept = days > 0 ? `The trash keeps it for ${plural(days, "day")}.` : "It cannot be restored.";
  return `disappears at once, also from pages that show it. ${kept}`;
}

/** Deletes a file after a question: to the trash if it is active and the space has one. */
export function DeleteButton({ record, onDeleted }: RemovalProps) {
  const { id, original_name: name, status } = record;
  const reason = whyFixed(record);
  const isTrashed = status === "trashed";
  const days = status === "active" ? trashDays.value : 0;
  const now = isTrashed ? " now" : "";

  const undo = () =>
    attempt(async () => {
      await restored(record);
      reloads.value += 1;
      toast(`${name} was restored.`);
    });
  const remove = async () => {
    const query = isTrashed ? { permanent: true } : {};
    await deleteFile({ client, path: { id }, query, throwOnError: true });
    if (days > 0) toast(`${name} was moved to the trash.`, { action: { label: "Undo", run: undo } });
    else toast(`${name} was deleted.`);
    onDeleted(id);
  };
  const askToDelete = () =>
    ask({
      title: `Delete this file${now}?`,
      text: (
        <>
          <bdi class="strong">{name}</bdi> {consequenceOf(isTrashed, days)}
        </>
      ),
      action: `Delete${now}`,
      run: remove,
    });
  return (
    <button class="danger" disabled={Boolean(reason)} title={reason} onClick={askToDelete}>
      {isTrashed ? "Delete now…" : "Delete"}
    </button>
  );
}

/** What the panel shows of a file in the trash, which can be restored or deleted, and nothing else. */
export function Trashed({ record, onChanged, onDeleted }: RemovalProps & { onChanged: (record: FileRecord) => void }) {
  const failure = useSignal("");
  const isBusy = useSignal(false);
  const reason = whyFixed(record);
  const restore = async () => {
    if (isBusy.value) return;
    isBusy.value = true;
    failure.value = "";
    try {
      onChanged(await restored(record));
      toast(`${record.original_name} was restored.`);
    } catch (cause) {
      failure.value = textOf(cause);
    }
    isBusy.value = false;
  };
  return (
    <div class="panel-body">
      <p>
        This file is in the trash{record.purge_at && `, which keeps it until ${date(record.purge_at)}`}. Its URL does not
        work.
      </p>
      {failure.value && (
        <p class="problem" role="alert">
          {failure.value}
        </p>
      )}
      <div class="actions start">
        <button class="primary" disabled={Boolean(reason)} title={reason} aria-busy={isBusy.value} onClick={restore}>
          Restore
        </button>
        <DeleteButton record={record} onDeleted={onDeleted} />
      </div>
      <Facts record={record} />
    </div>
  );
}
