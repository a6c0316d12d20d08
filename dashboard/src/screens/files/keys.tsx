// The keyboard of the screen.
//
// - Nothing happens while a field has the focus, or a dialog or a box is open.
// - Keys that buttons and tabs use belong to the grid only while it has the focus, or nothing has.

import { signal } from "@preact/signals";
import type { RefObject } from "preact";

import { Notice } from "../../parts/dialog.tsx";
import { announce } from "../../parts/status.tsx";
import { askTo, askToDelete, copyUrls, restore } from "./actions.tsx";
import { closeFile, openFile, targetsOf, useReset, type Model } from "./model.ts";

export interface Keyboard {
  model: Model;
  openId: string | undefined;
  searchField: RefObject<HTMLInputElement | null>;
  chooser: RefObject<HTMLInputElement | null>;
}

const LIST: readonly (readonly [keys: string, what: string])[] = [
  ["/", "Search"],
  ["← → ↑ ↓, Home, End, Page Up, Page Down", "Move in the list"],
  ["Enter", "Open the file"],
  ["Esc", "Close the file, then clear the selection"],
  ["Space", "Select the file, or end that"],
  ["Shift + arrow", "Select a range"],
  ["Ctrl + A", "Select all that is loaded"],
  ["u", "Upload"],
  ["c", "Copy URLs"],
  ["t", "Tag"],
  ["m", "Move"],
  ["Delete", "Delete"],
  ["r", "Restore, in the trash"],
  ["?", "Show this list"],
];

/** Whether the list of keys is open. Null: it is not. */
const isListOpen = signal<true | null>(null);

/** Does what a key is for. */
export function press(event: KeyboardEvent, keyboard: Keyboard): void {
  const { target, key, altKey } = event;
  const element = target instanceof Element ? target : document.body;
  const isTaken = element.closest("input:not([type=radio], [type=checkbox]), select, textarea, [contenteditable]");
  const isCovered = document.querySelector("dialog[open], :popover-open");
  if (event.defaultPrevented || altKey || isTaken || isCovered) return;

  const isOfGrid = element === document.body || Boolean(element.closest("[role=grid]"));
  const isControl = event.ctrlKey || event.metaKey;
  const isDone = (isOfGrid && pressInGrid(event, keyboard)) || pressAnywhere(key, isControl, keyboard);
  if (isDone) event.preventDefault();
}

/** Handles a key of the grid. Returns whether it is one. */
function pressInGrid(event: KeyboardEvent, { model, openId }: Keyboard): boolean {
  const { list, selection, active } = model;
  const { key, shiftKey } = event;
  const isControl = event.ctrlKey || event.metaKey;
  const item = list.items[active.value];
  if (!item) return false;
  if (isControl && key === "a") {
    selection.all(list.items);
    announce(`${selection.size} selected`);
    return true;
  }

  const next = nextOf(model, key);
  if (next !== undefined) {
    if (shiftKey && selection.size === 0) selection.anchor(active.value);
    active.value = next;
    if (shiftKey) selection.extend(list.items, next);
    model.grid.current?.focus();
    return true;
  }
  if (isControl || event.target === document.body || event.target instanceof HTMLButtonElement) return false;
  if (key === "Enter") openFile(item.id, Boolean(openId));
  else if (key === " ") selection.toggle(list.items, active.value);
  return key === "Enter" || key === " ";
}

/** Returns the index to which a key moves. */
function nextOf({ list, active, grid }: Model, key: string): number | undefined {
  const { columns = 1, pageRows = 1 } = grid.current ?? {};
  const last = list.items.length - 1;
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -columns,
    ArrowDown: columns,
    PageUp: -columns * pageRows,
    PageDown: columns * pageRows,
    Home: -last,
    End: last,
  };
  const step = steps[key];
  return step === undefined ? undefined : Math.min(Math.max(0, active.value + step), last);
}

/** Handles a key that works everywhere. Returns whether it is one. */
function pressAnywhere(key: string, isControl: boolean, keyboard: Keyboard): boolean {
  const { model, openId, searchField, chooser } = keyboard;
  if (isControl) return false;
  const ofTrash = {
    r: () => restore(model, targetsOf(model, openId)),
  };
  const ofOthers = {
    c: () => void copyUrls(model, targetsOf(model, openId)),
    t: () => askTo("tag", targetsOf(model, openId)),
    m: () => askTo("move", targetsOf(model, openId)),
  };
  const actions: Record<string, () => void> = {
    ...(model.filters.isTrash ? ofTrash : ofOthers),
    "/": () => searchField.current?.focus(),
    "?": () => (isListOpen.value = true),
    u: () => chooser.current?.click(),
    Delete: () => askToDelete(model, targetsOf(model, openId), openId),
    Escape: () => (openId ? closeFile() : model.selection.clear()),
  };
  const act = Object.hasOwn(actions, key) ? actions[key] : undefined;
  act?.();
  if (key === "Escape") model.grid.current?.focus();
  return Boolean(act);
}

/** The list of keys, which `?` opens. */
export function KeyList() {
  useReset(isListOpen);
  if (!isListOpen.value) return null;
  const close = () => (isListOpen.value = null);
  return (
    <Notice title="Keyboard" onClose={close}>
      <dl class="shortcuts">
        {LIST.map(([keys, what]) => (
          <div key={keys}>
            <dt>{keys}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Notice>
  );
}
