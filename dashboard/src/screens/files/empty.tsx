// What is shown in place of files: how to get some, or what was searched.

import { BASE_URL } from "../../api.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { ROOT } from "../../parts/folder-data.ts";
import { plural } from "../../parts/format.ts";
import { Empty } from "../../parts/load.tsx";
import { needs } from "../../parts/roles.ts";
import { setQuery } from "../../router.ts";
import { space, trashDays } from "../../state.ts";
import { isFiltered, NO_FILTERS, wordsOf, type Filters } from "./filters.ts";
import { hrefOf } from "./folders.tsx";

/** Shown instead of a list without files. */
export function NoFiles({ filters, onChoose }: { filters: Filters; onChoose: () => void }) {
  if (isFiltered(filters)) return <NothingFound filters={filters} />;
  return filters.isTrash ? <EmptyTrash /> : <DropZone folder={filters.folder} onChoose={onChoose} />;
}

function EmptyTrash() {
  const days = trashDays.value;
  return (
    <Empty title="The trash is empty">
      {days > 0
        ? `Deleted files stay here for ${plural(days, "day")}, and can be restored.`
        : "Deletions in this space are final. Its settings have the days in the trash."}
    </Empty>
  );
}

/** Shown instead of a folder that does not exist. */
export function NoFolder() {
  return (
    <div class="page">
      <Empty title="This folder does not exist">
        <p>It may have been deleted.</p>
        <a href={hrefOf(ROOT)}>All files</a>
      </Empty>
    </div>
  );
}

function NothingFound({ filters }: { filters: Filters }) {
  const where = filters.isTrash ? "in the trash" : filters.isEverywhere ? "in any folder" : "in this folder";
  return (
    <Empty title={`Nothing found ${where}`}>
      <p>
        Searched for: <bdi>{wordsOf(filters)}</bdi>.
      </p>
      <div class="actions start">
        {!filters.isEverywhere && <button onClick={() => setQuery({ all: "1" })}>Search all folders</button>}
        <button onClick={() => setQuery(NO_FILTERS)}>Clear</button>
      </div>
    </Empty>
  );
}

function DropZone({ folder, onChoose }: { folder: string; onChoose: () => void }) {
  if (needs("user")) return <Empty title="No files yet">Files are uploaded by keys with the role user.</Empty>;
  const lines = [
    `curl ${BASE_URL}/upload`,
    '-H "Authorization: Bearer $LARDER_API_KEY"',
    `-F space=${space.value?.handle}`,
    ...(folder === ROOT ? [] : [`-F folder_id=${folder}`]),
    "-F 'files[]=@photo.jpg'",
  ];
  const code = lines.join(" \\\n  ");
  return (
    <div class="files-empty">
      <h2>Drop files or folders</h2>
      <p>
        or <button onClick={onChoose}>Choose files</button>
      </p>
      <p class="hint">The same from a terminal, with an API key in $LARDER_API_KEY:</p>
      <pre tabIndex={0}>{code}</pre>
      <CopyButton text={code} />
    </div>
  );
}
