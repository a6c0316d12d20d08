// Which rows of a long list are visible, in constant time.
//
// - All rows have the same height.
// - Browsers cut boxes above 11 to 18 million pixels. Above `MAX_PX` the position of the scroll bar is scaled: its
//   start is that of the rows, and its end is theirs.

/** Maximum height of the rows in pixels. */
const MAX_PX = 10_000_000;
/** Rows beyond the visible ones, on each side. */
const SPARE_ROWS = 2;

export interface Rows {
  count: number;
  /** Height of a row in pixels. */
  height: number;
}

export interface Window {
  first: number;
  /** After the last row. */
  end: number;
  /** Position of the first row in the box, in pixels. */
  top: number;
}

/** Returns the height of the box that contains the rows. */
export function boxHeight({ count, height }: Rows): number {
  return Math.min(count * height, MAX_PX);
}

/** Returns how far the rows move for a pixel of the scroll position. */
function scaleOf(rows: Rows, viewport: number): number {
  const box = boxHeight(rows);
  return box < MAX_PX ? 1 : (rows.count * rows.height - viewport) / (box - viewport);
}

/** Returns the rows to show where the box is scrolled by `scrolled` pixels, which is negative before it is reached. */
export function windowOf(rows: Rows, viewport: number, scrolled: number): Window {
  const { count, height } = rows;
  const within = Math.max(0, scrolled);
  const shown = within * scaleOf(rows, viewport);
  const first = Math.min(Math.max(0, Math.floor(shown / height) - SPARE_ROWS), count);
  const end = Math.min(count, Math.ceil((shown + viewport) / height) + SPARE_ROWS);
  return { first, end, top: first * height - shown + within };
}

/** Returns the position to which the box has to be scrolled to show a row below `covered` pixels. */
export function scrollTo(rows: Rows, viewport: number, scrolled: number, row: number, covered: number): number {
  const scale = scaleOf(rows, viewport);
  const top = row * rows.height - covered;
  const bottom = (row + 1) * rows.height - viewport;
  const shown = scrolled * scale;
  const wanted = Math.max(Math.min(shown, top), Math.min(bottom, top));
  return wanted === shown ? scrolled : wanted / scale;
}
