// What can be done with files: move, tag, copy their URLs, delete.

import { signal, useSignal } from "@preact/signals";
import { getFileUrls } from "larder/api";

import { bodyOf, client } from "../../api.ts";
import { copy } from "../../parts/copy.tsx";
import { ask, FormDialog } from "../../parts/dialog.tsx";
import { attempt } from "../../parts/errors.ts";
import { ROOT } from "../../parts/folder-data.ts";
import { FolderPicker } from "../../parts/folder-picker.tsx";
import { TextField } from "../../parts/form.tsx";
import { plural } from "../../parts/format.ts";
import { needs } from "../../parts/roles.ts";
import { toast } from "../../parts/status.tsx";
import { trashDays } from "../../state.ts";
import { startBatch } from "./batch.tsx";
import type { FileList } from "./list.ts";
import { closeFile, reloads, useReset, type Model } from "./model.ts";
import type { Names } from "./selection.ts";

interface Asked {
  what: "move" | "tag";
  files: Names;
}

/** Ids of a request for URLs. */
const URL_CHUNK = 100;
/** Maximum number of tags that are offered to be removed. */
const MAX_OFFERED_TAGS = 20;

const RESTORATION = { change: { operation: "restore" }, doing: "Restoring", done: "restored" } as const;

/** The dialog that is open. */
const asked = signal<Asked | null>(null);

/** Opens the dialog to move or to tag files. */
export function askTo(what: Asked["what"], files: Names): void {
  const reason = needs("user");
  if (reason) toast(reason, { isError: true });
  else if (files.size > 0) asked.value = { what, files };
}

/** Returns a file's name, or the number of files. */
function label(files: Names): string {
  const [name = ""] = files.values();
  return files.size === 1 ? `“${name}”` : plural(files.size, "file");
}

/** What happens after a batch: the focus returns to the files if nothing else has it, once the dialog is closed. */
function endOf({ selection, grid }: Model) {
  return (left: Names) => {
    selection.replace(left);
    setTimeout(() => {
      if (document.activeElement === document.body) grid.current?.focus();
    });
  };
}

/** Moves files to a folder. */
export function move(model: Model, files: Names, folder: string): Promise<void> {
  const { list, filters } = model;
  return startBatch(files, {
    change: { operation: "update", folder_id: folder },
    doing: "Moving",
    done: "moved",
    onDone: (ids) => filters.isEverywhere || folder === filters.folder || list.remove(ids),
    onEnd: endOf(model),
  });
}

/** Moves files that were dropped on a folder. */
export function moveDropped(model: Model, files: Names, folder: string): void {
  void attempt(() => move(model, files, folder));
}

/** Asks whether to delete files, and does it: to the trash if the space has one, for good if they are there. */
export function askToDelete(model: Model, files: Names, openId: string | undefined): void {
  const reason = needs("user");
  if (reason) return toast(reason, { isError: true });
  if (files.size === 0) return;
  const onDone = (ids: ReadonlySet<string>) => {
    if (openId && ids.has(openId)) closeFile();
    model.list.remove(ids);
  };
  const { isTrash } = model.filters;
  const days = isTrash ? 0 : trashDays.value;
  const run = () =>
    startBatch(files, {
      change: { operation: "delete", ...(isTrash && { permanent: true }) },
      doing: "Deleting",
      done: days > 0 ? "moved to the trash" : "deleted",
      onDone,
      onEnd: endOf(model),
      ...(days > 0 && { undo }),
    });
  const [verb, urls] = files.size === 1 ? ["moves", "its URL"] : ["move", "their URLs"];
  const kept = `${label(files)} ${verb} to the trash for ${plural(days, "day")}. Meanwhile, ${urls} will not work.`;
  const gone = `${label(files)} will be gone, and ${urls} will stop working.`;
  const final = `${label(files)} cannot be restored afterwards.`;
  const now = isTrash ? " now" : "";
  ask({
    title: `Delete ${label(files)}${now}?`,
    text: isTrash ? final : days > 0 ? kept : gone,
    action: `Delete${now}`,
    run,
  });
}

/** Restores files that a message offers to restore, wherever the page is by now. */
function undo(files: Names): void {
  const onEnd = () => void (reloads.value += 1);
  void attempt(() => startBatch(files, { ...RESTORATION, onDone: () => {}, onEnd }));
}

/** Restores files from the trash. */
export function restore(model: Model, files: Names): void {
  const reason = needs("user");
  if (reason) return toast(reason, { isError: true });
  if (files.size === 0) return;
  const onDone = (ids: ReadonlySet<string>) => model.list.remove(ids);
  void attempt(() => startBatch(files, { ...RESTORATION, onDone, onEnd: endOf(model) }));
}

/** Copies the URLs of files, one per line. */
export function copyUrls({ list }: Model, files: Names): Promise<void> {
  return attempt(() => copy(urlsOf(list, files), "URLs copied."));
}

/** Returns the URLs of files as lines. Pending files have none. */
async function urlsOf(list: FileList, files: Names): Promise<string> {
  const known = new Map(list.items.filter(({ id }) => files.has(id)).map(({ id, url }) => [id, url]));
  const unknown = [...files.keys()].filter((id) => !known.has(id));
  for (let start = 0; start < unknown.length; start += URL_CHUNK) {
    const body = { file_ids: unknown.slice(start, start + URL_CHUNK) };
    const { data } = await bodyOf(getFileUrls({ client, body, throwOnError: true }));
    for (const { id, url } of data) known.set(id, url);
  }
  // Signatures of the list expire within the hour.
  const urls = [...files.keys()].flatMap((id) => known.get(id)?.split("?")[0] ?? []);
  if (urls.length === 0) throw new Error("There is no URL yet: the file is pending.");
  return urls.join("\n");
}

/** The place of the dialogs of `askTo`. */
export function ActionDialogs({ model }: { model: Model }) {
  useReset(asked);
  if (!asked.value) return null;
  const { what, files } = asked.value;
  const close = () => (asked.value = null);
  const View = what === "move" ? MoveDialog : TagDialog;
  return <View model={model} files={files} onClose={close} />;
}

interface DialogProps {
  model: Model;
  files: Names;
  onClose: () => void;
}

function MoveDialog({ model, files, onClose }: DialogProps) {
  const folder = useSignal(model.filters.isEverywhere ? ROOT : model.filters.folder);
  return (
    <FormDialog
      title={`Move ${label(files)}`}
      submit="Move"
      onSubmit={() => move(model, files, folder.value)}
      onClose={onClose}
    >
      <FolderPicker value={folder} />
    </FormDialog>
  );
}

/** Returns the tags of a text that separates them by commas. */
function tagsOf(text: string): string[] {
  return [...new Set(text.split(",").map((tag) => tag.trim()).filter(Boolean))];
}

function TagDialog({ model, files, onClose }: DialogProps) {
  const { list } = model;
  const added = useSignal("");
  const removed = useSignal("");
  const present = new Set(list.items.filter(({ id }) => files.has(id)).flatMap(({ tags }) => tags));
  const offered = [...present].filter((tag) => !tagsOf(removed.value).includes(tag)).slice(0, MAX_OFFERED_TAGS);

  const save = async () => {
    const [add, remove] = [tagsOf(added.value), tagsOf(removed.value)];
    if (add.length + remove.length === 0) return;
    await startBatch(files, {
      change: { operation: "update", add_tags: add, remove_tags: remove },
      doing: "Tagging",
      done: "tagged",
      onDone: (ids) => list.tag(ids, add, remove),
      // The files stay selected, for example to move them next.
      onEnd: () => endOf(model)(files),
    });
  };
  return (
    <FormDialog title={`Tag ${label(files)}`} submit="Save" onSubmit={save} onClose={onClose}>
      <TextField name="add_tags" label="Add tags" value={added} hint="Separated by commas." autofocus />
      <TextField name="remove_tags" label="Remove tags" value={removed} />
      {offered.length > 0 && (
        <div class="offered-tags" role="group" aria-label="Tags to remove">
          {offered.map((tag) => (
            <button
              key={tag}
              type="button"
              class="small"
              aria-label={`Remove ${tag}`}
              onClick={() => (removed.value = [...tagsOf(removed.value), tag].join(", "))}
            >
              <bdi>{tag}</bdi> ✕
            </button>
          ))}
        </div>
      )}
    </FormDialog>
  );
}
