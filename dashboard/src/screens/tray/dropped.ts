// Files that were dropped, with those of folders.
//
// - What cannot be read does not end the rest: it is a file too, without bytes, whose upload fails by name.

import { LarderError, type DroppedFile } from "larder";

const NO_RESPONSE = 0;

const unreadable = new WeakSet<File>();

/** Returns the files in the order of the folders. Call it in the handler of the event, which empties the transfer. */
export function filesOfDrop(dropped: DataTransfer): AsyncGenerator<DroppedFile> {
  const sources: (FileSystemEntry | File)[] = [];
  for (const item of dropped.items) {
    const source = item.webkitGetAsEntry() ?? item.getAsFile();
    if (source) sources.push(source);
  }
  return walk(sources);
}

/** Fails if a file stands for something that could not be read. */
export function assertRead(file: File): void {
  if (unreadable.has(file)) throw new LarderError("It cannot be read. Drop it again.", NO_RESPONSE);
}

async function* walk(sources: Iterable<FileSystemEntry | File>): AsyncGenerator<DroppedFile> {
  for (const source of sources) {
    if (source instanceof Blob) {
      yield { file: source, path: source.name };
      continue;
    }
    const path = source.fullPath.slice(1);
    try {
      if (source.isFile) yield { file: await fileOf(source as FileSystemFileEntry), path };
      else yield* folderOf(source as FileSystemDirectoryEntry);
    } catch {
      const file = new File([], source.name);
      unreadable.add(file);
      yield { file, path };
    }
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

async function* folderOf(entry: FileSystemDirectoryEntry): AsyncGenerator<DroppedFile> {
  const reader = entry.createReader();
  // A call returns some of the entries, and none at the end.
  const read = () => new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
  for (let some = await read(); some.length > 0; some = await read()) yield* walk(some);
}
