// What the parts of the screen share: the list, its filters, the selection and the place of the keyboard.

import { signal, type Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

import { setQuery } from "../../router.ts";
import type { Filters } from "./filters.ts";
import type { FileList } from "./list.ts";
import type { Names, Selection } from "./selection.ts";

export interface Model {
  list: FileList;
  filters: Filters;
  selection: Selection;
  /** Index of the file that the keyboard is at. */
  active: Signal<number>;
  isTable: boolean;
  /** Set while the grid is shown. */
  grid: RefObject<GridHandle | null>;
}

export interface GridHandle {
  columns: number;
  /** Rows that are visible at once. */
  pageRows: number;
  /** Scrolls to the active file and focuses it. */
  focus: () => void;
}

/** Number of times that the list was asked to load again, because files came back to it from the trash. */
export const reloads = signal(0);

/** Empties the state of a dialog when the screen goes, so that it does not open on the next one. */
export function useReset<T>(state: Signal<T | null>): void {
  useEffect(() => () => void (state.value = null), []);
}

/** Opens the panel of a file. The first one is a step of the history, so that the back button closes it. */
export function openFile(id: string, isOpen: boolean): void {
  setQuery({ file: id }, !isOpen);
}

export function closeFile(): void {
  setQuery({ file: undefined });
}

/** Returns the files that an action is about: the selected ones, else the open one, else that of the keyboard. */
export function targetsOf({ list, selection, active, grid }: Model, openId: string | undefined): Names {
  if (selection.size > 0) return selection.names.value;
  const isInGrid = grid.current && document.activeElement?.closest("[role=grid]");
  const item = list.items.find(({ id }) => id === openId) ?? (isInGrid ? list.items[active.value] : undefined);
  return new Map(item ? [[item.id, item.name]] : []);
}
