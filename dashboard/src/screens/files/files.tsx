// The screen of files: a folder with its folders and files, filters, selection, uploads, and the panel of a file.
//
// - The address says what is shown. Another folder or filter is another list, without a selection.

import { useSignal } from "@preact/signals";
import type { FileRecord } from "larder/api";
import { useEffect, useMemo, useRef } from "preact/hooks";

import { folderOf, foldersIn, ROOT } from "../../parts/folder-data.ts";
import { Failure, useLoad } from "../../parts/load.tsx";
import { place, setQuery } from "../../router.ts";
import { space } from "../../state.ts";
import { FilePanel } from "../file/file-panel.tsx";
import { onStored } from "../tray/tray.tsx";
import { ActionDialogs, moveDropped } from "./actions.tsx";
import { Bar, isTableView } from "./bar.tsx";
import { BatchFailures } from "./batch.tsx";
import { acceptDrops, areFilesOver, uploadDropped } from "./drag.ts";
import { NoFiles, NoFolder } from "./empty.tsx";
import { filtersOf, isFiltered, type Filters } from "./filters.ts";
import { FolderDialogs, FolderTiles, type FolderEvents } from "./folders.tsx";
import { Grid } from "./grid.tsx";
import { Header } from "./header.tsx";
import { KeyList, press, type Keyboard } from "./keys.tsx";
import { FileList } from "./list.ts";
import { closeFile, reloads, type GridHandle, type Model } from "./model.ts";
import { SelectionBar } from "./selection-bar.tsx";
import { Selection } from "./selection.ts";

const NOT_FOUND = 404;
/** Time after which folders are loaded again that uploads may have created. */
const FOLDERS_MS = 2000;

export function Files() {
  const { query } = place.value;
  const openId = query["file"];
  const filters = filtersOf(query);
  const spaceId = space.value?.id ?? "";
  const model = useModel(spaceId, filters, filters.isTrash || isTableView(query["view"]));
  const searchField = useRef<HTMLInputElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const { folder, isGone, folders, events, reloadFolders } = useFolders(spaceId, model);
  useKeyboard({ model, openId, searchField, chooser });
  useUploads(spaceId, model, reloadFolders);

  return (
    <main class="files">
      <div class="files-main">
        <Header
          folder={folder}
          folderId={filters.folder}
          isTrash={filters.isTrash}
          search={filters.search}
          events={events}
          searchField={searchField}
          chooser={chooser}
        />
        <Bar filters={filters} isTable={model.isTable} />
        {isGone && !filters.isTrash ? (
          <NoFolder />
        ) : (
          <Content
            model={model}
            folders={folders}
            events={events}
            openId={openId}
            onChoose={() => chooser.current?.click()}
          />
        )}
        <SelectionBar model={model} openId={openId} />
        {areFilesOver.value && (
          <div class="drop-overlay">
            <b>Drop to upload to {folder ? <bdi>{folder.name}</bdi> : "Files"}</b>
          </div>
        )}
      </div>
      {openId && <Panel key={openId} id={openId} model={model} />}
      <ActionDialogs model={model} />
      <FolderDialogs onChanged={events.onChanged} />
      <BatchFailures />
      <KeyList />
    </main>
  );
}

/** Returns what identifies a list. */
function keyOf(filters: Filters): string {
  return JSON.stringify([filters, reloads.value]);
}

/** Returns the model of the list that the address has. */
function useModel(spaceId: string, filters: Filters, isTable: boolean): Model {
  const active = useSignal(0);
  const grid = useRef<GridHandle>(null);
  const key = keyOf(filters);
  const [list, selection] = useMemo(() => [new FileList(spaceId, filters), new Selection()] as const, [key]);
  useEffect(() => {
    active.value = 0;
    void list.more();
    return () => list.stop();
  }, [list]);
  return { list, filters, selection, active, isTable, grid };
}

/** Loads the current folder and the folders in it. */
function useFolders(spaceId: string, model: Model) {
  const { folder: id, isEverywhere } = model.filters;
  const current = useLoad(async (signal) => (id === ROOT ? null : folderOf(id, signal)), [id]);
  const loads = useRef(0);
  const load = async (signal: AbortSignal) => {
    loads.current += 1;
    return foldersIn(spaceId, id, signal).finally(() => (loads.current -= 1));
  };
  const folders = useLoad(load, [id]);
  const events: FolderEvents = {
    onChanged: () => {
      current.reload();
      folders.reload();
    },
    onDeleted: (deleted) => {
      if (deleted.id === id) setQuery({ folder: deleted.parent_id ?? undefined, file: undefined });
      else folders.reload();
    },
    onMove: (files, folder) => moveDropped(model, files, folder),
  };
  /** Loads the folders again, unless that is being done. Returns whether it does. */
  const reloadFolders = () => {
    if (loads.current > 0) return false;
    folders.reload();
    return true;
  };
  const isForeign = current.data.value !== null && current.data.value.space_id !== spaceId;
  const isGone = isForeign || current.error.value?.status === NOT_FOUND;
  return { folder: isForeign ? null : current.data.value, isGone, folders: isEverywhere ? null : folders, events, reloadFolders };
}

function useKeyboard(keyboard: Keyboard): void {
  const latest = useRef(keyboard);
  latest.current = keyboard;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => press(event, latest.current);
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
}

/**
 * Shows uploads as they are stored, and accepts files that are dropped anywhere. The first file of each other folder
 * may mean new folders here: they are loaded again a little later, and never while they are being loaded.
 */
function useUploads(spaceId: string, model: Model, reloadFolders: () => boolean): void {
  const latest = useRef({ model, reloadFolders });
  latest.current = { model, reloadFolders };
  useEffect(() => {
    let timer = 0;
    const seen = new Set<string>();
    const reload = () => {
      timer = latest.current.reloadFolders() ? 0 : setTimeout(reload, FOLDERS_MS);
    };
    const endDrops = acceptDrops((dropped) => uploadDropped(dropped, latest.current.model.filters.folder));
    const endStored = onStored((file) => {
      if (file.space_id !== spaceId) return;
      const { list, active, filters } = latest.current.model;
      const index = list.put(file);
      if (index >= 0 && index <= active.value && list.items.length > 1) active.value += 1;

      const { folder_id: folder } = file;
      if (!folder || folder === filters.folder || seen.has(folder)) return;
      seen.add(folder);
      timer ||= setTimeout(reload, FOLDERS_MS);
    });
    return () => {
      clearTimeout(timer);
      endDrops();
      endStored();
    };
  }, []);
}

interface ContentProps {
  model: Model;
  folders: ReturnType<typeof useFolders>["folders"];
  events: FolderEvents;
  openId: string | undefined;
  onChoose: () => void;
}

function Content({ model, folders, events, openId, onChoose }: ContentProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const { list, filters } = model;
  const isEmpty = list.version.value > 0 && list.items.length === 0 && list.isComplete.value;
  return (
    <div class="files-scroll" ref={scroller}>
      <div>
        {!isFiltered(filters) && folders?.data.value && (
          <FolderTiles key={filters.folder} folders={folders.data.value} parent={filters.folder} events={events} />
        )}
        {folders?.error.value && <Failure error={folders.error.value} retry={folders.reload} />}
        {isEmpty ? (
          <NoFiles filters={filters} onChoose={onChoose} />
        ) : (
          <Grid key={keyOf(filters)} model={model} scroller={scroller} openId={openId} />
        )}
        {list.error.value && <Failure error={list.error.value} retry={() => void list.more()} />}
      </div>
    </div>
  );
}

function Panel({ id, model }: { id: string; model: Model }) {
  const { list, selection, grid } = model;
  const close = () => {
    closeFile();
    grid.current?.focus();
  };
  const remove = () => {
    list.remove(new Set([id]));
    selection.replace(new Map([...selection.names.value].filter(([selected]) => selected !== id)));
    close();
  };
  return <FilePanel id={id} onClose={close} onChanged={(file: FileRecord) => list.put(file)} onDeleted={remove} />;
}
