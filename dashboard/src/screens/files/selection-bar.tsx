// What can be done with the selected files, and how far it is done.

import { useSignal } from "@preact/signals";

import { attempt } from "../../parts/errors.ts";
import { count, plural } from "../../parts/format.ts";
import { Icon } from "../../parts/icons.tsx";
import { unless } from "../../parts/roles.ts";
import { announce, toast } from "../../parts/status.tsx";
import { askTo, askToDelete, copyUrls, restore } from "./actions.tsx";
import { progress } from "./batch.tsx";
import { isFiltered } from "./filters.ts";
import { MAX_SELECTED } from "./list.ts";
import type { Model } from "./model.ts";

export function SelectionBar({ model, openId }: { model: Model; openId: string | undefined }) {
  const { selection } = model;
  const names = selection.names.value;
  const running = progress.value;
  if (names.size === 0 && !running) return null;
  const guard = unless("user");
  const { isTrash } = model.filters;
  return (
    <section class="selection-bar" aria-label="Selection">
      {running ? (
        <>
          <b role="status">{running.text}</b>
          <button onClick={running.stop}>Stop</button>
        </>
      ) : (
        <>
          <b>{count(names.size)} selected</b>
          <SelectAll model={model} />
          {isTrash ? (
            <button {...guard} onClick={() => restore(model, names)}>
              Restore
            </button>
          ) : (
            <>
              <button {...guard} onClick={() => askTo("move", names)}>
                Move
              </button>
              <button {...guard} onClick={() => askTo("tag", names)}>
                Tag
              </button>
              <button onClick={() => copyUrls(model, names)}>Copy URLs</button>
            </>
          )}
          <button class="danger" {...guard} onClick={() => askToDelete(model, names, openId)}>
            {isTrash ? "Delete now…" : "Delete"}
          </button>
          <button
            class="plain"
            aria-label="Clear selection"
            onClick={() => {
              selection.clear();
              model.grid.current?.focus();
            }}
          >
            <Icon name="close" />
          </button>
        </>
      )}
    </section>
  );
}

/** Offers what is not loaded yet, once all that is loaded is selected. */
function SelectAll({ model: { list, filters, selection } }: { model: Model }) {
  const isBusy = useSignal(false);
  // The number of items changes with the version.
  const hasMore = list.version.value > 0 && (!list.isComplete.value || selection.size < list.items.length);
  if (!selection.isAll || !hasMore) return null;
  const selectAll = async () => {
    const names = await list.names();
    selection.replace(names);
    if (names.size === MAX_SELECTED) toast(`The first ${plural(MAX_SELECTED, "file")} are selected.`);
    else announce(`${plural(names.size, "file")} selected.`);
  };
  const select = async () => {
    isBusy.value = true;
    await attempt(selectAll);
    isBusy.value = false;
  };
  const where = isFiltered(filters) ? "that are found" : filters.isTrash ? "in the trash" : "in this folder";
  return (
    <button disabled={isBusy.value} onClick={select}>
      {isBusy.value ? "Selecting…" : `Select all ${where}`}
    </button>
  );
}
