// Files that are dragged: those of the list, onto folders, and those of the computer, onto anything.
//
// - Everything that drags also has a button.

import { signal } from "@preact/signals";

import { hasFiles, useFileDrop } from "../../parts/file-drop.ts";
import { plural } from "../../parts/format.ts";
import { needs } from "../../parts/roles.ts";
import { toast } from "../../parts/status.tsx";
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
  if (!dataTransfer || !names || model.filters.isTrash || needs("user")) return event.preventDefault();
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

/** Uploads what was dropped, if the caller may. */
export function uploadDropped(dropped: DataTransfer, folder: string): void {
  const reason = needs("user");
  if (reason) toast(reason, { isError: true });
  else addDropped(dropped, folder);
}

/** Returns what makes an element a target for files of the list and of the computer: its state and its listeners. */
export function useDrop(folder: string, onMove: (files: Names, folder: string) => void) {
  const take = (dropped: DataTransfer) => {
    // Files of the list may still be noted: a cell that scrolls away ends its drag without an event.
    if (dropped.types.includes("Files")) uploadDropped(dropped, folder);
    else if (dragged.value) onMove(dragged.value, folder);
    areFilesOver.value = false;
  };
  return useFileDrop(take, (event) => dragged.value !== null || hasFiles(event));
}

/** Accepts files of the computer on the whole page until the returned function is called. */
export function acceptDrops(onDrop: (dropped: DataTransfer) => void): () => void {
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
    if (!hasFiles(event) || !event.dataTransfer) return;
    event.preventDefault();
    areFilesOver.value = false;
    onDrop(event.dataTransfer);
  });
  return () => controller.abort();
}
