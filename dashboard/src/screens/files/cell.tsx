// A file in the grid and in the table.
//
// - A cell is named by its content, the name of the file. What else it shows is hidden, and its description says it.
// - Events are those of the grid, which finds the file by `data-index`.

import { placeholder } from "larder";

import { bytes, date } from "../../parts/format.ts";
import type { Item } from "./list.ts";

interface CellProps {
  item: Item;
  index: number;
  isSelected: boolean;
  isOpen: boolean;
  /** Whether it is the one in the order of the Tab key. */
  isActive: boolean;
}

/** Size of the blurred image in pixels: it has no details to show in more. */
const BLUR = { width: 8, height: 6 };

const blurs = new WeakMap<Item, string>();

/** Returns the blurred image of a file as a CSS value. It is drawn once. */
function blurOf(item: Item): string {
  let blur = blurs.get(item);
  if (blur === undefined) {
    try {
      blur = item.blurhash && `url(${placeholder(item.blurhash, BLUR)})`;
    } catch {
      blur = "";
    }
    blurs.set(item, blur);
  }
  return blur;
}

/** Returns the type and the size of a file: `JPG · 2.7 MB`. */
function detailsOf({ extension, size }: Item): string {
  return `${extension.toUpperCase()} · ${bytes(size)}`;
}

function descriptionOf(item: Item): string {
  return [detailsOf(item), item.state, item.protection].filter(Boolean).join(", ");
}

export function Cell({ item, index, isSelected, isOpen, isActive }: CellProps) {
  return (
    <div
      role="gridcell"
      class={isOpen ? "file-cell open" : "file-cell"}
      aria-description={descriptionOf(item)}
      aria-selected={isSelected}
      tabIndex={isActive ? 0 : -1}
      data-index={index}
      draggable
    >
      <Picture item={item} />
      <Mark isSelected={isSelected} />
      <Badges item={item} isHidden />
      <b dir="auto">{item.name}</b>
      <small aria-hidden="true">{detailsOf(item)}</small>
    </div>
  );
}

export function TableRow({ item, index, isSelected, isOpen, isActive, row }: CellProps & { row: number }) {
  return (
    <div
      role="row"
      class={isOpen ? "file-row open" : "file-row"}
      aria-rowindex={row}
      aria-selected={isSelected}
      data-index={index}
      draggable
    >
      <div role="gridcell" class="file-name" tabIndex={isActive ? 0 : -1}>
        <Mark isSelected={isSelected} />
        <Picture item={item} />
        <b dir="auto">{item.name}</b>
      </div>
      <div role="gridcell">{item.extension.toUpperCase()}</div>
      <div role="gridcell" class="number">
        {bytes(item.size)}
      </div>
      <div role="gridcell">{date(item.createdAt)}</div>
      <div role="gridcell" dir="auto">
        {item.tags.join(", ")}
      </div>
      <div role="gridcell">
        <Badges item={item} />
      </div>
    </div>
  );
}

function Picture({ item }: { item: Item }) {
  const blur = blurOf(item);
  return (
    <div class="file-picture" style={{ backgroundImage: blur || undefined }}>
      {item.thumbnail && (
        <img
          key={item.thumbnail}
          src={item.thumbnail}
          alt=""
          draggable={false}
          decoding="async"
          onError={(event) => (event.currentTarget.hidden = true)}
        />
      )}
      {!blur && <span aria-hidden="true">{item.extension.toUpperCase()}</span>}
    </div>
  );
}

/** A mark for the pointer, which assistive technology reads as the state of the cell. The keyboard selects by Space. */
function Mark({ isSelected }: { isSelected: boolean }) {
  return (
    <span class={isSelected ? "file-mark on" : "file-mark"} aria-hidden="true">
      <svg class="icon" viewBox="0 0 24 24">
        <path d="m5 13 4.5 4.5L19 7" />
      </svg>
    </span>
  );
}

/** `isHidden`: whether a description has the same text. */
function Badges({ item: { state, protection }, isHidden = false }: { item: Item; isHidden?: boolean }) {
  if (!state && !protection) return null;
  return (
    <span class="file-badges" aria-hidden={isHidden || undefined}>
      {state && <span class={state === "failed" ? "badge danger" : "badge warn"}>{state}</span>}
      {protection && <span class="badge">{protection}</span>}
    </span>
  );
}
