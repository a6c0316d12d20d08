// The files as a grid of pictures or as a table, of which only the visible rows exist.
//
// - Both are a `grid` of WAI-ARIA with one cell in the order of the Tab key.
// - Geometry depends on the size of the box only, never on the files. Scrolling renders when other rows are visible.
// - The next page is requested a few screens before the end of what is loaded.

import { useSignal, type Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

import { announce } from "../../parts/status.tsx";
import { askToDelete, restore } from "./actions.tsx";
import { Cell, TableRow } from "./cell.tsx";
import { startDrag } from "./drag.ts";
import { openFile, type Model } from "./model.ts";
import { boxHeight, scrollTo, windowOf, type Rows, type Window } from "./window.ts";

/** Minimum width of a cell, and the space between cells, in pixels. */
const MIN_CELL_PX = 150;
const GAP_PX = 12;
const MIN_COLUMNS = 2;
/** Height of the name and the details below a picture, with the space to the next row. */
const TEXT_PX = 60;
const TABLE_ROW_PX = 48;
/** Screens before the end of what is loaded at which the next page is requested. */
const AHEAD_SCREENS = 4;
/** Rows of empty boxes while the first page and while further pages are loaded. */
const FIRST_BOX_ROWS = 3;
const BOX_ROWS = 1;
const TABLE_COLUMNS = ["Name", "Type", "Size", "Created", "Tags", "Access"];
const TRASH_COLUMNS = ["Name", "Type", "Size", "Actions"];

interface Layout {
  columns: number;
  row: number;
  picture: number;
  viewport: number;
  /** Position of the rows in the scrolled area. */
  top: number;
}

interface GridProps {
  model: Model;
  /** The element that scrolls. */
  scroller: RefObject<HTMLElement | null>;
  openId: string | undefined;
}

export function Grid({ model, scroller, openId }: GridProps) {
  const { list, selection, active, isTable, filters } = model;
  const box = useRef<HTMLDivElement>(null);
  const layout = useLayout(scroller, box, isTable);
  const { columns, row: height, picture, viewport } = layout.value;
  const version = list.version.value;
  const rows: Rows = { count: Math.ceil(sizeOf(model, columns) / columns), height };
  const view = useWindow(model, scroller, layout, rows);
  const focus = useFocus(model, scroller, box, layout, rows);
  model.grid.current = { columns, pageRows: Math.max(1, Math.floor(viewport / height) - 1), focus };

  const act = (event: MouseEvent) => {
    const index = indexOf(event);
    const item = list.items[index];
    if (!item) return;
    active.value = index;
    const names = new Map([[item.id, item.name]]);
    const action = event.target instanceof Element && event.target.closest("button")?.name;
    if (action) return action === "restore" ? restore(model, names) : askToDelete(model, names, openId);
    const isMark = event.target instanceof Element && event.target.closest(".file-mark");
    if (event.shiftKey) selection.extend(list.items, index);
    else if (isMark || event.ctrlKey || event.metaKey) selection.toggle(list.items, index);
    else {
      selection.anchor(index);
      return openFile(item.id, Boolean(openId));
    }
    announce(`${selection.size} selected`);
  };
  const follow = (event: FocusEvent) => {
    const index = indexOf(event);
    if (index >= 0) active.value = index;
  };

  const headers = isTable ? 1 : 0;
  return (
    <div
      role="grid"
      class={filters.isTrash ? "file-table trash" : isTable ? "file-table" : undefined}
      aria-label="Files"
      aria-multiselectable="true"
      aria-busy={version === 0}
      aria-rowcount={list.isComplete.value ? rows.count + headers : -1}
      style={{ "--columns": columns, "--picture": `${picture}px`, "--row": `${height}px` }}
      onClick={act}
      onFocusIn={follow}
      onDragStart={(event) => startDrag(event, model, indexOf(event))}
    >
      {isTable && <TableHead columns={filters.isTrash ? TRASH_COLUMNS : TABLE_COLUMNS} />}
      <div role="rowgroup" ref={box} class="file-rows" style={{ height: `${boxHeight(rows)}px` }}>
        <div role="presentation" style={{ transform: `translateY(${view.value.top}px)` }}>
          <VisibleRows model={model} version={version} view={view.value} columns={columns} openId={openId} />
        </div>
      </div>
    </div>
  );
}

/** Returns the number of files with the empty boxes of those that are being loaded. */
function sizeOf({ list }: Model, columns: number): number {
  const { length } = list.items;
  if (list.isComplete.value || list.error.value) return length;
  const boxRows = length === 0 ? FIRST_BOX_ROWS : BOX_ROWS;
  return Math.ceil(length / columns) * columns + boxRows * columns;
}

function indexOf({ target }: Event): number {
  const element = target instanceof Element ? target.closest<HTMLElement>("[data-index]") : null;
  return Number(element?.dataset["index"] ?? -1);
}

function TableHead({ columns }: { columns: readonly string[] }) {
  return (
    <div role="rowgroup" class="table-head">
      <div role="row" aria-rowindex={1} class="file-row">
        {columns.map((name) => (
          <div key={name} role="columnheader">
            {name}
          </div>
        ))}
      </div>
    </div>
  );
}

interface VisibleProps {
  model: Model;
  /** Changes with the files. */
  version: number;
  view: Window;
  columns: number;
  openId: string | undefined;
}

function VisibleRows({ model, view: { first, end }, columns, openId }: VisibleProps) {
  const { list, selection, active, isTable } = model;
  const selected = selection.names.value;
  const isActiveShown = active.value >= first * columns && active.value < end * columns;
  const inTabOrder = isActiveShown ? active.value : first * columns;

  const propsOf = (index: number) => {
    const item = list.items[index];
    const { id = "" } = item ?? {};
    return item && { item, index, isSelected: selected.has(id), isOpen: id === openId, isActive: index === inTabOrder };
  };
  const rows = Array.from({ length: Math.max(0, end - first) }, (_, offset) => first + offset);
  if (isTable) {
    return rows.map((row) => {
      const props = propsOf(row);
      if (props) return <TableRow key={row} row={row + 2} {...props} />;
      return <div key={row} role="presentation" class="file-row file-box" />;
    });
  }
  return rows.map((row) => (
    <div key={row} role="row" aria-rowindex={row + 1} class="file-cells">
      {Array.from({ length: columns }, (_, column) => {
        const props = propsOf(row * columns + column);
        if (props) return <Cell key={props.item.id} {...props} />;
        const isLoading = !list.isComplete.value && !list.error.value;
        return <div key={column} role="gridcell" class={isLoading ? "file-box" : ""} />;
      })}
    </div>
  ));
}

/** Measures the grid when its size or what is above it changes. */
function useLayout(
  scroller: RefObject<HTMLElement | null>,
  box: RefObject<HTMLElement | null>,
  isTable: boolean,
): Signal<Layout> {
  const layout = useSignal<Layout>({ columns: MIN_COLUMNS, row: TABLE_ROW_PX, picture: 0, viewport: 0, top: 0 });
  useLayoutEffect(() => {
    const measure = () => {
      if (!scroller.current || !box.current) return;
      const width = box.current.clientWidth;
      const most = Math.floor((width + GAP_PX) / (MIN_CELL_PX + GAP_PX));
      const columns = isTable ? 1 : Math.max(MIN_COLUMNS, most);
      const picture = Math.round((((width + GAP_PX) / columns - GAP_PX) * 3) / 4);
      const row = isTable ? TABLE_ROW_PX : picture + TEXT_PX;
      const next = { columns, row, picture, viewport: scroller.current.clientHeight, top: box.current.offsetTop };
      if (JSON.stringify(next) !== JSON.stringify(layout.value)) layout.value = next;
    };
    measure();
    const observer = new ResizeObserver(measure);
    const content = scroller.current?.firstElementChild;
    for (const element of [scroller.current, content]) if (element) observer.observe(element);
    return () => observer.disconnect();
  }, [isTable]);
  return layout;
}

/** Follows the scroll position, and loads what is needed next. */
function useWindow(
  model: Model,
  scroller: RefObject<HTMLElement | null>,
  layout: Signal<Layout>,
  rows: Rows,
): Signal<Window> {
  const { list } = model;
  const view = useSignal<Window>({ first: 0, end: 0, top: 0 });
  const update = () => {
    const { viewport, top, columns } = layout.value;
    const next = windowOf(rows, viewport, (scroller.current?.scrollTop ?? 0) - top);
    const { first, end, top: before } = view.peek();
    if (next.first !== first || next.end !== end || next.top !== before) view.value = next;
    const ahead = (AHEAD_SCREENS * viewport) / rows.height;
    if ((next.end + ahead) * columns > list.items.length && !list.error.peek()) void list.more();
  };
  // The listener stays, and calls the function of the last rendering.
  const latest = useRef(update);
  latest.current = update;
  useLayoutEffect(update);
  useEffect(() => {
    const scrolled = () => latest.current();
    scroller.current?.addEventListener("scroll", scrolled, { passive: true });
    return () => scroller.current?.removeEventListener("scroll", scrolled);
  }, []);
  return view;
}

/**
 * Returns a function that scrolls to the active cell and focuses it once it exists. The cell keeps the focus when it
 * moves to another row, because files are added before it or the number of columns changes.
 */
function useFocus(
  { list, active, isTable }: Model,
  scroller: RefObject<HTMLElement | null>,
  box: RefObject<HTMLElement | null>,
  layout: Signal<Layout>,
  rows: Rows,
): () => void {
  const isWanted = useSignal(false);
  // Read here, so that each change renders.
  const of = `[data-index="${active.value}"]`;
  const isDue = isWanted.value || Boolean(box.current?.contains(document.activeElement));
  useLayoutEffect(() => {
    const cell = isDue && box.current?.querySelector<HTMLElement>(`${of}[tabindex], ${of} > [tabindex]`);
    if (!cell) return;
    isWanted.value = false;
    // A button of its row keeps the focus.
    if (!box.current?.querySelector(of)?.contains(document.activeElement)) cell.focus({ preventScroll: true });
  });

  return () => {
    const { viewport, top, columns } = layout.value;
    const { current: area } = scroller;
    if (!area || list.items.length === 0) return;
    active.value = Math.min(active.value, list.items.length - 1);
    const row = Math.floor(active.value / columns);
    const scrolled = area.scrollTop - top;
    const wanted = scrollTo(rows, viewport, scrolled, row, isTable ? TABLE_ROW_PX : 0);
    if (wanted !== scrolled) area.scrollTop = wanted + top;
    isWanted.value = true;
  };
}
