// Folders of a space.

import { getFolder, listFolders, pages, type Folder, type FolderSummary } from "larder/api";

import { bodyOf, client, dataOf } from "../api.ts";

/** Id that stands for the root of a space. */
export const ROOT = "root";

const PAGE_LIMIT = 100;

const names = new Intl.Collator("en", { numeric: true });

/** Returns all folders directly in a folder, by name. */
export async function foldersIn(spaceId: string, parent: string, signal?: AbortSignal): Promise<FolderSummary[]> {
  const options = { client, throwOnError: true as const, ...(signal && { signal }) };
  const all = { space_id: spaceId, parent_id: parent, limit: PAGE_LIMIT };
  const page = (cursor?: string) => bodyOf(listFolders({ ...options, query: { ...all, ...(cursor && { cursor }) } }));
  const folders = await Array.fromAsync(pages(page));
  return folders.sort((one, other) => names.compare(one.name, other.name));
}

/** Returns a folder with the folders above it. */
export function folderOf(id: string, signal: AbortSignal): Promise<Folder> {
  return dataOf(getFolder({ client, path: { id }, signal, throwOnError: true }));
}
