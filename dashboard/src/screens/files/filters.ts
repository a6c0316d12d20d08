// What the list of files shows, as the query of the address has it, and as requests and new files are filtered by it.
//
// - Days of the address are those of the reader's time zone, both inclusive. The API takes times, the second exclusive.
//   What is no day is ignored.
// - A search sorts by name, so that it has no order.

import type { FileRecord, ListFilesData } from "larder/api";

import { ROOT } from "../../parts/folder-data.ts";
import type { Query } from "../../router.ts";

export type ListQuery = NonNullable<ListFilesData["query"]>;

export interface Filters {
  /** Id of a folder, or `root`. */
  folder: string;
  /** Start of the name. */
  search: string;
  /** Resource type. */
  type: string;
  /** Delivery type. */
  delivery: string;
  tag: string;
  /** First and last day: `2026-11-28`. */
  from: string;
  to: string;
  order: string;
  /** Whether files of all folders are shown, as always in the trash. */
  isEverywhere: boolean;
  /** Whether deleted files are shown instead of the others. */
  isTrash: boolean;
}

const DEFAULT_ORDER = "desc";

/** Returns the filters of an address. */
export function filtersOf({ folder, search, type, delivery, tag, from, to, order, all, trash }: Query): Filters {
  const filters = {
    folder: folder ?? ROOT,
    search: search ?? "",
    type: type ?? "",
    delivery: delivery ?? "",
    tag: tag ?? "",
    from: dayOf(from),
    to: dayOf(to),
    order: order ?? DEFAULT_ORDER,
    isEverywhere: false,
    isTrash: Boolean(trash),
  };
  return { ...filters, isEverywhere: filters.isTrash || (Boolean(all) && isFiltered(filters)) };
}

/** Returns a text if it is a day. */
function dayOf(text = ""): string {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : "";
}

/** Whether some files of the folder may not be shown. */
export function isFiltered({ search, type, delivery, tag, from, to }: Filters): boolean {
  return Boolean(search || type || delivery || tag || from || to);
}

/** Changes of the address that end all filters. */
export const NO_FILTERS = {
  search: undefined,
  type: undefined,
  delivery: undefined,
  tag: undefined,
  from: undefined,
  to: undefined,
  all: undefined,
};

/** Returns the filters as parameters of a list. Types are those of the address, for the service to validate. */
export function parametersOf(filters: Filters): ListQuery {
  const { folder, search, type, delivery, tag, from, to, order, isEverywhere, isTrash } = filters;
  const [after, before] = timesOf(filters);
  return {
    ...(isTrash && { status: "trashed" }),
    ...(!isEverywhere && { folder_id: folder }),
    ...(search ? { search } : { order: order as NonNullable<ListQuery["order"]> }),
    ...(type && { resource_type: type as NonNullable<ListQuery["resource_type"]> }),
    ...(delivery && { type: delivery as NonNullable<ListQuery["type"]> }),
    ...(tag && { tag }),
    ...(from && { created_from: after.toISOString() }),
    ...(to && { created_to: before.toISOString() }),
  };
}

/** Returns the first moment, and the one after the last. */
function timesOf({ from, to }: Filters): [Date, Date] {
  const before = new Date(`${to || "9999-12-30"}T00:00`);
  before.setDate(before.getDate() + 1);
  return [new Date(`${from || "0001-01-01"}T00:00`), before];
}

/** Whether a list with these filters contains a file. */
export function matches(filters: Filters, file: FileRecord): boolean {
  const { folder, search, type, delivery, tag, isEverywhere, isTrash } = filters;
  const [after, before] = timesOf(filters);
  const created = new Date(file.created_at);
  return (
    (file.status === "trashed") === isTrash &&
    (isEverywhere || (file.folder_id ?? ROOT) === folder) &&
    file.original_name.toLowerCase().startsWith(search.toLowerCase()) &&
    (!type || file.resource_type === type) &&
    (!delivery || file.type === delivery) &&
    (!tag || file.tags.includes(tag)) &&
    created >= after &&
    created < before
  );
}

/** Returns the filters in words, for a list without files. */
export function wordsOf({ search, type, delivery, tag, from, to }: Filters): string {
  const parts = [
    search && `name starts with “${search}”`,
    type && `type ${type}`,
    delivery && `delivery ${delivery}`,
    tag && `tag “${tag}”`,
    from && `from ${from}`,
    to && `to ${to}`,
  ];
  return parts.filter(Boolean).join(", ");
}
