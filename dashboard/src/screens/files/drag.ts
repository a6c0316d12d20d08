// Files that are dragged: those of the list, onto folders, and those of the computer, onto anything.
//
// - Everything that drags also has a button.

import { signal } from "@preact/signals";
import { useState } from "preact/hooks";

import { plural } from "../../parts/format.ts";
import { toast } from "../../parts/status.tsx";
import { can } from "../../state.ts";
import { addDropped } from "../tray/tray.tsx";
import type { Model } from "./model.ts";
import { targetsOfDrag, type Names } from "./selection.ts";

/** Files of the list that are being dragged. */
export const dragged = signal<Names | null>(null);
/** Whether files of the computer are over the page. */
export const areFilesOver = signal(false);

/** Begins to drag a file, and the other selected ones if it is selected. */
export function startDrag(event: DragEvent, model: Model, index: number): void {
  const { dataTransfer } = event;
  const names = targetsOfDrag(model.selection, model.list.items[index]);
  if (!dataTransfer || !names || !can("user")) return event.preventDefault();
  dragged.value = names;
  dataTransfer.effectAllowed = "move";
  dataTransfer.setData("text/plain", [...names.values()].join("\n"));

  const label = document.createElement("div");
  label.className = "drag-label";
  label.textContent = plural(names.size, "file");
  document.body.append(label);
  dataTransfer.setDragImage(label, 0, 0);
  setTimeout(() => label.remove());
  addEventListener("dragend", () => (dragged.value = null), { once: true });
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") ?? false;
}

/** Uploads what was dropped, if the caller may. */
export function uploadDropped({ dataTransfer }: DragEvent, folder: string): void {
  if (!dataTransfer) return;
  if (can("user")) addDropped(dataTransfer, folder);
  else toast("Uploads need the role user.", { isError: true });
}

/** Returns what makes an element a target for files: its state and its listeners. */
export function useDrop(folder: string, onMove: (files: Names, folder: string) => void) {
  const [isOver, setOver] = useState(false);
  const listeners = {
    onDragOver: (event: DragEvent) => {
      if (!dragged.value && !hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      event.stopPropagation();
      setOver(false);
      if (dragged.value) onMove(dragged.value, folder);
      else uploadDropped(event, folder);
      areFilesOver.value = false;
    },
  };
  return { isOver, listeners };
}

/** Accepts files of the computer on the whole page until the returned function is called. */
export function acceptDrops(onDrop: (event: DragEvent) => void): () => void {
  const controller = new AbortController();
  const listen = (type: "dragover" | "dragleave" | "drop", listener: (event: DragEvent) => void) =>
    addEventListener(type, listener, { signal: controller.signal });

  listen("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    areFilesOver.value = true;
  });
  listen("dragleave", ({ relatedTarget }) => {
    if (relatedTarget === null) areFilesOver.value = false;
  });
  listen("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    areFilesOver.value = false;
    onDrop(event);
  });
  return () => controller.abort();
}
