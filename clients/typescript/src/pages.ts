// Iterates over all items of a list, page by page.
//
// - A page without items does not end the list. Only `next_cursor` does.

export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

/** Returns the items of all pages. `list` requests the page of a cursor, or the first page. */
export async function* pages<T>(list: (cursor?: string) => Promise<Page<T>>): AsyncGenerator<T, void> {
  let cursor: string | undefined;
  do {
    const page: Page<T> = await list(cursor);
    yield* page.data;
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
}
