// Adds files and dropped folders to the uploads, in chunks, so that thousands of them do not freeze the page.
//
// - The space is that of the moment of the drop: a later switch of the space redirects nothing.
// - Folders keep their path below the folder of the drop.

import type { DroppedFile } from "larder";

import { space } from "../../state.ts";
import { filesOfDrop } from "./dropped.ts";
import { add, reading } from "./uploads.ts";

/** Files that are added without a break. */
const CHUNK_FILES = 200;

/** Changes when everything is cancelled, which also ends the reading of folders. */
let round = 0;

/** Ends the reading of folders. Files that were found stay added. */
export function stopReading(): void {
  round += 1;
}

/** Uploads files into a folder of the current space. */
export function addFiles(files: Iterable<File>, folderId: string | undefined): void {
  // Copied at once: the list of a chooser is emptied when the chooser is reset.
  const all = Array.from(files, (file) => ({ file, path: file.webkitRelativePath || file.name }));
  void addAll(all, folderId);
}

/** Uploads what was dropped into a folder, with the folders that were dropped. */
export function addDropped(dropped: DataTransfer, folderId: string | undefined): void {
  void addAll(filesOfDrop(dropped), folderId);
}

async function addAll(
  files: Iterable<DroppedFile> | AsyncIterable<DroppedFile>,
  folderId: string | undefined,
): Promise<void> {
  const handle = space.value?.handle;
  if (!handle) return;
  const started = round;
  let added = 0;
  let chunk: DroppedFile[] = [];

  const flush = () => {
    for (const [folder, group] of byFolder(chunk)) {
      const place = { ...(folderId && { folderId }), ...(folder && { folderPath: folder }) };
      add(group, { space: handle, ...place });
    }
    added += chunk.length;
    reading.value += chunk.length;
    chunk = [];
  };

  for await (const each of files) {
    if (round !== started) break;
    if (chunk.push(each) < CHUNK_FILES) continue;
    flush();
    await nextTask();
  }
  if (round === started) flush();
  reading.value -= added;
}

/** Groups files by the path of their folder, which is an empty text for those that were dropped by themselves. */
function byFolder(files: readonly DroppedFile[]): Map<string, File[]> {
  const groups = new Map<string, File[]>();
  for (const { file, path } of files) {
    const folder = folderOf(path);
    const group = groups.get(folder);
    if (group) group.push(file);
    else groups.set(folder, [file]);
  }
  return groups;
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
