// The selected files of a list.
//
// - They are ids with names, as files that are not loaded can be selected too.
// - A range extends from the file that was selected last without one.

import { signal } from "@preact/signals";

import type { Item } from "./list.ts";

export type Names = ReadonlyMap<string, string>;

export class Selection {
  readonly names = signal<Names>(new Map());
  /** Whether all files that were loaded were selected at once, and nothing has changed the selection since. */
  isAll = false;
  #anchor = 0;

  get size(): number {
    return this.names.value.size;
  }

  /** Selects a file, or ends its selection. */
  toggle(items: readonly Item[], index: number): void {
    const item = items[index];
    if (!item) return;
    this.#anchor = index;
    const names = new Map(this.names.value);
    if (!names.delete(item.id)) names.set(item.id, item.name);
    this.replace(names);
  }

  /** Selects the files from the anchor to an index, and no others. */
  extend(items: readonly Item[], index: number): void {
    const [start, end] = [this.#anchor, index].sort((one, other) => one - other) as [number, number];
    this.set(items.slice(start, end + 1));
  }

  /** Begins the next range. */
  anchor(index: number): void {
    this.#anchor = index;
  }

  /** Selects all files that are loaded. */
  all(items: readonly Item[]): void {
    this.set(items);
    this.isAll = true;
  }

  /** Selects these files, and no others. */
  set(items: readonly Item[]): void {
    this.replace(new Map(items.map(({ id, name }) => [id, name])));
  }

  replace(names: Names): void {
    this.isAll = false;
    this.names.value = names;
  }

  clear(): void {
    if (this.size > 0) this.replace(new Map());
  }
}

/** Returns the files that are dragged with a file: all selected ones if it is one of them. */
export function targetsOfDrag({ names }: Selection, item: Item | undefined): Names | null {
  if (!item) return null;
  return names.value.has(item.id) ? names.value : new Map([[item.id, item.name]]);
}
