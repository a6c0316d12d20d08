// Folders whose settings differ from those of the space.

import { useSignal } from "@preact/signals";
import {
  listFolders,
  pages,
  resetFolderAccessControl,
  resetFolderSecurity,
  type FolderSummary,
  type SettingSource,
  type TransformationPolicy,
} from "larder/api";

import { bodyOf, client } from "../../api.ts";
import { ask } from "../../parts/dialog.tsx";
import { count } from "../../parts/format.ts";
import { Show, useLoad } from "../../parts/load.tsx";
import { Locked, Section } from "../../parts/section.tsx";
import { toast } from "../../parts/status.tsx";
import { ScrollTable } from "../../parts/table.tsx";
import { href } from "../../router.ts";
import { FolderDialog } from "./folder-dialog.tsx";
import { isException, ownOf } from "./own.ts";

const PAGE_LIMIT = 100;
/** Maximum number of folders that are looked at: one request for each page of them. */
const MAX_FOLDERS = 2000;

const HEADS = ["Folder", "Access", "Sizes and formats", "Watermark", "Change"];
const POLICY_NAMES: Readonly<Record<TransformationPolicy, string>> = { any: "Any", signed: "Signed", named: "Named" };

interface Editing {
  title: string;
  folders: readonly [FolderSummary, ...FolderSummary[]];
}

export function Exceptions({ spaceId, handle }: { spaceId: string; handle: string }) {
  const loaded = useLoad((signal) => loadFolders(spaceId, signal), [spaceId]);
  const editing = useSignal<Editing | null>(null);
  return (
    <Section title="Folders that differ" hint="What a folder sets applies to its files and to the folders in it.">
      <Show of={loaded}>
        {(folders) => (
          <List
            folders={folders}
            onEdit={(asked) => (editing.value = asked)}
            onChanged={loaded.reload}
          />
        )}
      </Show>
      {editing.value && (
        <FolderDialog
          {...editing.value}
          handle={handle}
          onChanged={loaded.reload}
          onClose={() => (editing.value = null)}
        />
      )}
    </Section>
  );
}

/** Loads the folders of a space, ordered by their paths. */
async function loadFolders(space_id: string, signal: AbortSignal): Promise<FolderSummary[]> {
  const list = (cursor?: string) => {
    const query = { space_id, limit: PAGE_LIMIT, ...(cursor && { cursor }) };
    return bodyOf(listFolders({ client, query, signal, throwOnError: true }));
  };
  const folders: FolderSummary[] = [];
  for await (const folder of pages(list)) {
    folders.push(folder);
    if (folders.length === MAX_FOLDERS) break;
  }
  return folders.sort((a, b) => pathOf(a).localeCompare(pathOf(b)));
}

function pathOf(folder: FolderSummary): string {
  return folder.path ?? folder.name;
}

interface ListProps {
  folders: readonly FolderSummary[];
  onEdit: (asked: Editing) => void;
  onChanged: () => void;
}

function List({ folders, onEdit, onChanged }: ListProps) {
  const exceptions = folders.filter(isException);
  const [first, ...others] = folders.filter((folder) => !isException(folder));
  const paths = new Map(folders.map((folder) => [folder.id, pathOf(folder)]));
  return (
    <Locked role="admin">
      {exceptions.length > 0 ? (
        <Table exceptions={exceptions} paths={paths} onEdit={onEdit} onChanged={onChanged} />
      ) : (
        <p>{folders.length > 0 ? "All folders are as the space." : "There are no folders yet."}</p>
      )}
      {folders.length === MAX_FOLDERS && <p class="hint">Only the newest {count(MAX_FOLDERS)} folders are listed here.</p>}
      {first && (
        <div class="actions start">
          <button type="button" onClick={() => onEdit({ title: "Add an exception", folders: [first, ...others] })}>
            Add an exception
          </button>
        </div>
      )}
    </Locked>
  );
}

interface TableProps extends Omit<ListProps, "folders"> {
  exceptions: readonly FolderSummary[];
  paths: ReadonlyMap<string, string>;
}

function Table({ exceptions, paths, onEdit, onChanged }: TableProps) {
  return (
    <ScrollTable label="Folders that differ" class="exceptions" heads={HEADS}>
      {exceptions.map((folder) => (
        <Row key={folder.id} folder={folder} paths={paths} onEdit={onEdit} onChanged={onChanged} />
      ))}
    </ScrollTable>
  );
}

type RowProps = Omit<TableProps, "exceptions"> & { folder: FolderSummary };

function Row({ folder, paths, onEdit, onChanged }: RowProps) {
  const { id, access_control, security } = folder;
  const { watermark, transformations, sources } = security;
  const path = pathOf(folder);
  const from = (source: SettingSource) => (source.inherited_from === id ? "" : originOf(source, paths));

  return (
    <tr aria-label={path}>
      <th scope="row" class="name">
        <a href={href({ screen: "files", query: { folder: id } })}>
          <bdi>{path}</bdi>
        </a>
      </th>
      <Setting text={access_control.requires_auth ? "Signed URL or key" : "Public"} from={from(access_control)} />
      <Setting text={POLICY_NAMES[transformations]} from={from(sources.transformations)} />
      <Setting text={watermark.enabled ? watermark.position : "None"} from={from(sources.watermark)} />
      <td>
        <div class="buttons">
          <button
            type="button"
            class="small"
            onClick={() => onEdit({ title: `Settings of ${path}`, folders: [folder] })}
          >
            Edit
          </button>
          <button type="button" class="small" onClick={() => askReset(folder, onChanged)}>
            Reset
          </button>
        </div>
      </td>
    </tr>
  );
}

/** A setting, with its origin unless it is the folder's own. */
function Setting({ text, from }: { text: string; from: string }) {
  if (!from) return <td>{text}</td>;
  return (
    <td class="inherited">
      {text} <small>from {from}</small>
    </td>
  );
}

function originOf({ source, inherited_from }: SettingSource, paths: ReadonlyMap<string, string>): string {
  return source === "space" ? "the space" : (paths.get(inherited_from) ?? "a folder above");
}

function askReset(folder: FolderSummary, onChanged: () => void): void {
  const path = { id: folder.id };
  const own = ownOf(folder);
  const run = async () => {
    if (own.watermark || own.transformations) await resetFolderSecurity({ client, path, throwOnError: true });
    if (own.access !== null) await resetFolderAccessControl({ client, path, throwOnError: true });
    onChanged();
    toast("The folder inherits its settings.");
  };
  ask({
    title: `Reset ${pathOf(folder)}?`,
    text: "The folder then has the settings of the folders above it, or of the space. Files in it may become public.",
    action: "Reset",
    run,
  });
}
