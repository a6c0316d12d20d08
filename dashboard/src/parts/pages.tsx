// Lists that are loaded page by page.
//
// - Further pages are added to the loaded data, whose `next_cursor` is that of the last page.

import { useSignal } from "@preact/signals";
import type { Page } from "larder/api";
import { useRef } from "preact/hooks";

import { attempt } from "./errors.ts";
import type { Loaded } from "./load.tsx";
import { announce } from "./status.tsx";

/** Requests the page of a cursor, or the first page. */
export type ListPage<T> = (cursor?: string) => Promise<Page<T>>;

/** A button that loads the next page. At the end of the list, a sentence takes its place and its focus. */
export function More<T>({ of, list }: { of: Loaded<Page<T>>; list: ListPage<T> }) {
  const isBusy = useSignal(false);
  const end = useRef<HTMLParagraphElement>(null);
  const page = of.data.value;
  const hasMore = useRef(false);

  const load = async (before: Page<T>, cursor: string) => {
    if (isBusy.value) return;
    isBusy.value = true;
    await attempt(async () => {
      const { data, next_cursor } = await list(cursor);
      // The list may have been loaded again in the meantime.
      if (of.data.value === before) of.set({ data: [...before.data, ...data], next_cursor });
      announce(`${data.length} more.`);
      if (!next_cursor) setTimeout(() => end.current?.focus());
    });
    isBusy.value = false;
  };

  const cursor = page?.next_cursor;
  if (page && cursor) {
    hasMore.current = true;
    return (
      <button aria-busy={isBusy.value} onClick={() => load(page, cursor)}>
        {isBusy.value ? "Loading…" : "Load more"}
      </button>
    );
  }
  return hasMore.current ? (
    <p class="hint" ref={end} tabIndex={-1}>
      All {page?.data.length} are shown.
    </p>
  ) : null;
}
