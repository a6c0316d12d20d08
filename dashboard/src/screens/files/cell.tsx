// A file in the grid and in the table.
//
// - A cell is named by its content, the name of the file. What else it shows is hidden, and its description says it.
// - Events are those of the grid, which finds the file by `data-index`.
// - A cell renders again only if its properties change. Its parts are functions instead of components: scrolling
//   creates many of them.

import { placeholder } from "larder";
import { Component, type ComponentChild } from "preact";

import { bytes, date } from "../../parts/format.ts";
import { unless } from "../../parts/roles.ts";
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
const BLUR = { width: 4, height: 3 };

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

/** Renders again if a property changes. */
abstract class Memo<T extends object> extends Component<T> {
  override shouldComponentUpdate(next: T): boolean {
    return Object.entries(next).some(([name, value]) => value !== (this.props as Record<string, unknown>)[name]);
  }
}

/** A file in the grid. */
export class Cell extends Memo<CellProps> {
  override render({ item, index, isSelected, isOpen, isActive }: CellProps): ComponentChild {
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
        {pictureOf(item)}
        {markOf(isSelected)}
        {badgesOf(item, true)}
        <b dir="auto">{item.name}</b>
        <small aria-hidden="true">{detailsOf(item)}</small>
      </div>
    );
  }
}

/** A file in the table. */
export class TableRow extends Memo<CellProps & { row: number }> {
  override render({ item, index, isSelected, isOpen, isActive, row }: CellProps & { row: number }): ComponentChild {
    return (
      <div
        role="row"
        class={isOpen ? "file-row open" : "file-row"}
        aria-rowindex={row}
        aria-selected={isSelected}
        data-index={index}
        draggable
      >
        <div role="gridcell" class="file-name" tabIndex={isActive ? 0 : -1} aria-description={keptOf(item)}>
          {markOf(isSelected)}
          {pictureOf(item)}
          <div>
            <b dir="auto">{item.name}</b>
            {item.purgeAt && <small aria-hidden="true">{keptOf(item)}</small>}
          </div>
        </div>
        <div role="gridcell">{item.extension.toUpperCase()}</div>
        <div role="gridcell" class="number">
          {bytes(item.size)}
        </div>
        {item.purgeAt ? (
          actionsOf(item, isActive)
        ) : (
          <>
            <div role="gridcell">{date(item.createdAt)}</div>
            <div role="gridcell" dir="auto">
              {item.tags.join(", ")}
            </div>
            <div role="gridcell">{badgesOf(item)}</div>
          </>
        )}
      </div>
    );
  }
}

/** Says until when the trash keeps a file. */
function keptOf({ purgeAt }: Item): string | undefined {
  return purgeAt ? `Kept until ${date(purgeAt)}` : undefined;
}

/** What can be done with a file of the trash. The grid finds the action by the name of the button. */
function actionsOf({ name }: Item, isActive: boolean) {
  const button = { ...unless("user"), class: "small", tabIndex: isActive ? 0 : -1 };
  return (
    <div role="gridcell" class="file-actions">
      <button {...button} name="restore" aria-label={`Restore ${name}`}>
        Restore
      </button>
      <button {...button} name="delete" aria-label={`Delete now: ${name}`}>
        Delete now…
      </button>
    </div>
  );
}

function pictureOf(item: Item) {
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
function markOf(isSelected: boolean) {
  return <span class={isSelected ? "file-mark on" : "file-mark"} aria-hidden="true" />;
}

/** `isHidden`: whether a description has the same text. */
function badgesOf({ state, protection }: Item, isHidden = false) {
  if (!state && !protection) return null;
  return (
    <span class="file-badges" aria-hidden={isHidden || undefined}>
      {state && <span class={state === "failed" ? "badge" : "badge warn"}>{state === "failed" ? "no preview" : state}</span>}
      {protection && <span class="badge">{protection}</span>}
    </span>
  );
}
