// Lists the files that were dropped on a page, with those of folders.
//
// - A browser empties a `DataTransfer` when its event handler returns, so its entries are taken before the
//   first file is requested.
// - No file is lost: a folder is read until it is empty, and what cannot be read is an error.

export interface DroppedFile {
  file: File;
  /** Names of the folders and the file: `holiday/beach/1.jpg`. */
  path: string;
}

/** Returns the files in the order of the folders. Call it in the handler of the event. */
export function filesOf(dropped: DataTransfer): AsyncGenerator<DroppedFile> {
  const sources: (FileSystemEntry | File)[] = [];
  for (const item of dropped.items) {
    const source = item.webkitGetAsEntry() ?? item.getAsFile();
    if (source) sources.push(source);
  }
  return walk(sources);
}

async function* walk(sources: Iterable<FileSystemEntry | File>): AsyncGenerator<DroppedFile> {
  for (const source of sources) {
    if (source instanceof Blob) {
      yield { file: source, path: source.name };
    } else if (source.isFile) {
      const file = await promise<File>((...to) => (source as FileSystemFileEntry).file(...to));
      yield { file, path: source.fullPath.slice(1) };
    } else {
      const reader = (source as FileSystemDirectoryEntry).createReader();
      // A call returns some of the entries, and none at the end.
      const read = () => promise<FileSystemEntry[]>((...to) => reader.readEntries(...to));
      for (let some = await read(); some.length > 0; some = await read()) yield* walk(some);
    }
  }
}

function promise<T>(call: (resolve: (value: T) => void, reject: (error: Error) => void) => void): Promise<T> {
  return new Promise(call);
}
