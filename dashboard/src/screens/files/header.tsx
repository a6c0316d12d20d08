// The head of the screen: where one is, the search, and the upload.

import { useSignal } from "@preact/signals";
import type { Folder } from "larder/api";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { ROOT } from "../../parts/folder-data.ts";
import { Icon } from "../../parts/icons.tsx";
import { unless } from "../../parts/roles.ts";
import { setQuery } from "../../router.ts";
import { addFiles } from "../tray/tray.tsx";
import { useDrop } from "./drag.ts";
import { FolderMenu, hrefOf, type FolderEvents } from "./folders.tsx";
import type { Names } from "./selection.ts";

/** Maximum number of folders above the current one that are all shown. */
const MAX_ANCESTORS = 2;
/** Time without a key until a search begins. */
const SEARCH_MS = 250;

interface HeaderProps {
  /** The current folder. Null at the root, and until it is loaded. */
  folder: Folder | null;
  folderId: string;
  isTrash: boolean;
  search: string;
  events: FolderEvents;
  searchField: RefObject<HTMLInputElement | null>;
  chooser: RefObject<HTMLInputElement | null>;
}

export function Header({ folder, folderId, isTrash, search, events, searchField, chooser }: HeaderProps) {
  return (
    <header class="files-head">
      {isTrash ? (
        <Crumbs events={events}>
          <h1 aria-current="page">Trash</h1>
        </Crumbs>
      ) : (
        <Breadcrumb folder={folder} folderId={folderId} events={events} />
      )}
      <SearchField key={folderId} search={search} field={searchField} />
      {!isTrash && (
        <button class="primary" {...unless("user")} onClick={() => chooser.current?.click()}>
          Upload
        </button>
      )}
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          addFiles([...(currentTarget.files ?? [])], folderId);
          currentTarget.value = "";
        }}
      />
    </header>
  );
}

function Breadcrumb({ folder, folderId, events }: Pick<HeaderProps, "folder" | "folderId" | "events">) {
  if (folderId === ROOT) return <h1 class="crumbs">Files</h1>;
  return (
    <Crumbs events={events} above={folder && <Ancestors folder={folder} events={events} />}>
      {folder && (
        <>
          <h1 dir="auto" aria-current="page">
            {folder.name}
          </h1>
          <FolderMenu folder={folder} onDeleted={events.onDeleted} />
        </>
      )}
    </Crumbs>
  );
}

interface CrumbsProps {
  events: FolderEvents;
  /** What is between the root and the end. */
  above?: ComponentChildren;
  children: ComponentChildren;
}

/** The way from the root to where one is. */
function Crumbs({ events, above, children }: CrumbsProps) {
  return (
    <nav class="crumbs" aria-label="Breadcrumb">
      <ol>
        <Crumb id={ROOT} name="Files" onMove={events.onMove} />
        {above}
        {children && <li>{children}</li>}
      </ol>
    </nav>
  );
}

/** The folders above one: of a deep one only its parent, and the way there. */
function Ancestors({ folder: { ancestors }, events }: { folder: Folder; events: FolderEvents }) {
  const shown = ancestors.length > MAX_ANCESTORS ? ancestors.slice(-1) : ancestors;
  const hidden = ancestors.slice(0, ancestors.length - shown.length);
  const last = hidden.at(-1);
  return (
    <>
      {last && (
        <li>
          <a href={hrefOf(last.id)} title={hidden.map(({ name }) => name).join(" / ")} aria-label={last.name}>
            …
          </a>
        </li>
      )}
      {shown.map(({ id, name }) => <Crumb key={id} id={id} name={name} onMove={events.onMove} />)}
    </>
  );
}

function Crumb({ id, name, onMove }: { id: string; name: string; onMove: (files: Names, folder: string) => void }) {
  const { isOver, listeners } = useDrop(id, onMove);
  return (
    <li class={isOver ? "drop-over" : ""} {...listeners}>
      <a href={hrefOf(id)} draggable={false} dir="auto">
        {name}
      </a>
    </li>
  );
}

function SearchField({ search, field }: { search: string; field: RefObject<HTMLInputElement | null> }) {
  const text = useSignal(search);
  const timer = useRef(0);
  useEffect(() => {
    // What is typed is newer.
    if (!timer.current) text.value = search;
  }, [search]);
  // A search that has not begun ends with the folder.
  useEffect(() => () => clearTimeout(timer.current), []);

  const begin = () => {
    timer.current = 0;
    setQuery({ search: text.value || undefined });
  };
  const change = (value: string) => {
    text.value = value;
    clearTimeout(timer.current);
    timer.current = setTimeout(begin, SEARCH_MS);
  };
  return (
    <div class="files-search">
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        aria-label="Name starts with"
        placeholder="Name starts with…"
        value={text.value}
        onInput={(event) => change(event.currentTarget.value)}
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
  );
}
