// Folders: tiles above the files, their menu, and the dialogs to create, rename, move and delete one.

import { signal, useSignal } from "@preact/signals";
import {
  createFolder,
  deleteFolder,
  listFiles,
  listFolders,
  updateFolder,
  type FolderSummary,
  type Page,
} from "larder/api";

import { bodyOf, client, dataOf } from "../../api.ts";
import { ask, FormDialog } from "../../parts/dialog.tsx";
import { attempt } from "../../parts/errors.ts";
import { ROOT } from "../../parts/folder-data.ts";
import { FolderPicker } from "../../parts/folder-picker.tsx";
import { TextField } from "../../parts/form.tsx";
import { count, plural } from "../../parts/format.ts";
import { Icon } from "../../parts/icons.tsx";
import { unless } from "../../parts/roles.ts";
import { toast } from "../../parts/status.tsx";
import { href, place } from "../../router.ts";
import { space, trashDays } from "../../state.ts";
import { useDrop } from "./drag.ts";
import { Menu } from "./menu.tsx";
import { useReset } from "./model.ts";
import type { Names } from "./selection.ts";

/** What the dialogs change. */
type FolderRef = Pick<FolderSummary, "id" | "name" | "parent_id">;

export interface FolderEvents {
  /** Called after a folder was created or changed. */
  onChanged: () => void;
  onDeleted: (folder: FolderRef) => void;
  onMove: (files: Names, folder: string) => void;
}

/** Tiles that are shown at first. */
const FIRST_TILES = 12;
/** Maximum number of files, and of folders, that are counted in a folder: one page. */
const COUNTED = 100;

/** The dialog that is open. */
const asked = signal<{ what: "create" | "rename" | "move"; folder: FolderRef } | null>(null);

/** Returns the address of a folder. The order and the view stay, filters do not. */
export function hrefOf(folder: string): string {
  const { order, view } = place.value.query;
  return href({ query: { ...(folder !== ROOT && { folder }), ...(order && { order }), ...(view && { view }) } });
}

interface TilesProps {
  folders: readonly FolderSummary[];
  /** Id of the folder that contains them, or `root`. */
  parent: string;
  events: FolderEvents;
}

export function FolderTiles({ folders, parent, events }: TilesProps) {
  const areAllShown = useSignal(false);
  const shown = areAllShown.value ? folders : folders.slice(0, FIRST_TILES);
  const create = () => (asked.value = { what: "create", folder: { id: parent, name: "", parent_id: null } });
  return (
    <section aria-label="Folders">
      <ul class="folder-tiles">
        {shown.map((folder) => (
          <Tile key={folder.id} folder={folder} events={events} />
        ))}
        {shown.length < folders.length && (
          <li>
            <button class="plain" onClick={() => (areAllShown.value = true)}>
              Show all {count(folders.length)} folders
            </button>
          </li>
        )}
        <li>
          <button class="plain" {...unless("admin")} onClick={create}>
            <Icon name="plus" /> New folder
          </button>
        </li>
      </ul>
    </section>
  );
}

function Tile({ folder, events }: { folder: FolderSummary; events: FolderEvents }) {
  const { isOver, listeners } = useDrop(folder.id, events.onMove);
  return (
    <li class={isOver ? "folder-tile drop-over" : "folder-tile"} {...listeners}>
      <a href={hrefOf(folder.id)} title={folder.name} draggable={false}>
        <Icon name="folder" />
        <b dir="auto">{folder.name}</b>
      </a>
      <FolderMenu folder={folder} onDeleted={events.onDeleted} />
    </li>
  );
}

/** Asks whether to delete a folder with what is in it, and does it. */
async function askToDelete(folder: FolderRef, onDeleted: FolderEvents["onDeleted"]): Promise<void> {
  const { id, name } = folder;
  const content = await contentOf(id);
  const kept = trashDays.value > 0 ? " The trash keeps none of it." : "";
  ask({
    title: `Delete folder “${name}”${content && " with everything in it"}?`,
    text: content ? `${content} will be gone at once, and the URLs will stop working.${kept}` : "It is empty.",
    action: content ? "Delete everything" : "Delete",
    run: async () => {
      await deleteFolder({ client, path: { id }, query: content ? { force: true } : {}, throwOnError: true });
      toast(`Folder ${name} deleted.`);
      onDeleted(folder);
    },
  });
}

/** Says what is in a folder: `12 files and 3 folders directly in it, and all that is in those`. Empty: nothing is. */
async function contentOf(id: string): Promise<string> {
  const query = { space_id: space.value?.id ?? "", limit: COUNTED };
  const [files, folders] = await Promise.all([
    bodyOf(listFiles({ client, query: { ...query, folder_id: id, fields: "id" }, throwOnError: true })),
    bodyOf(listFolders({ client, query: { ...query, parent_id: id }, throwOnError: true })),
  ]);
  const counted = ({ data, next_cursor }: Page<unknown>, noun: string) =>
    data.length > 0 && `${next_cursor ? "more than " : ""}${plural(data.length, noun)}`;
  const parts = [counted(files, "file"), counted(folders, "folder")].filter(Boolean);
  if (parts.length === 0) return "";
  const text = `${parts.join(" and ")} directly in it${folders.data.length > 0 ? ", and all that is in those," : ""}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The menu of a folder. */
export function FolderMenu({ folder, onDeleted }: { folder: FolderRef; onDeleted: FolderEvents["onDeleted"] }) {
  const choices = {
    Rename: () => (asked.value = { what: "rename", folder }),
    "Move…": () => (asked.value = { what: "move", folder }),
    "Delete…": () => void attempt(() => askToDelete(folder, onDeleted)),
  };
  return (
    <Menu label={`Folder ${folder.name}`} button={<span aria-hidden="true">⋯</span>}>
      {(close) =>
        Object.entries(choices).map(([name, run]) => (
          <button
            key={name}
            type="button"
            class="plain"
            {...unless("admin")}
            onClick={() => {
              close();
              run();
            }}
          >
            {name}
          </button>
        ))
      }
    </Menu>
  );
}

/** The place of the dialogs of tiles and menus, of which one is open at a time. */
export function FolderDialogs({ onChanged }: Pick<FolderEvents, "onChanged">) {
  useReset(asked);
  if (!asked.value) return null;
  const { what, folder } = asked.value;
  const close = () => (asked.value = null);
  if (what === "move") return <MoveFolder folder={folder} onChanged={onChanged} onClose={close} />;
  return <NameFolder folder={folder} isNew={what === "create"} onChanged={onChanged} onClose={close} />;
}

interface DialogProps {
  folder: FolderRef;
  onChanged: () => void;
  onClose: () => void;
}

function NameFolder({ folder, isNew, onChanged, onClose }: DialogProps & { isNew: boolean }) {
  const name = useSignal(folder.name);
  const save = async () => {
    const fields = { name: name.value };
    if (isNew) {
      const body = { ...fields, space_id: space.value?.id ?? "", parent_id: folder.id };
      await dataOf(createFolder({ client, body, throwOnError: true }));
    } else {
      await dataOf(updateFolder({ client, path: { id: folder.id }, body: fields, throwOnError: true }));
    }
    onChanged();
  };
  return (
    <FormDialog
      title={isNew ? "New folder" : "Rename folder"}
      submit={isNew ? "Create" : "Rename"}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField name="name" label="Name" value={name} autofocus />
    </FormDialog>
  );
}

function MoveFolder({ folder, onChanged, onClose }: DialogProps) {
  const parent = useSignal(folder.parent_id ?? ROOT);
  const save = async () => {
    const body = { parent_id: parent.value };
    await dataOf(updateFolder({ client, path: { id: folder.id }, body, throwOnError: true }));
    onChanged();
  };
  return (
    <FormDialog title={`Move folder “${folder.name}”`} submit="Move" onSubmit={save} onClose={onClose}>
      <FolderPicker value={parent} except={folder.id} />
    </FormDialog>
  );
}
