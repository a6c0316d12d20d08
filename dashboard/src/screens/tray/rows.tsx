// The files of the tray that are not stored, failed ones first. Only those in view are elements.
//
// - All rows have the same height, so that their place follows from their number.
// - A row disappears by its own buttons, so the list takes the focus.

import { useSignal } from "@preact/signals";
import type { LarderError } from "larder";
import { useRef } from "preact/hooks";

import { textOf } from "../../parts/errors.ts";
import { bytes, plural } from "../../parts/format.ts";
import { Icon } from "../../parts/icons.tsx";
import { PERCENT, SECONDS_PER_MINUTE } from "../../units.ts";
import type { Item } from "./totals.ts";
import { cancel, lists, remove, retry, totals } from "./uploads.ts";

/** Height of a row, as in the styles. */
const ROW_PX = 60;
/** Maximum number of rows in view. */
const MAX_VISIBLE_ROWS = 5;
const TOO_MANY_REQUESTS = 429;

/** Returns why an upload failed, and when it can be repeated. */
function reasonOf(error: LarderError | undefined): string {
  if (!error) return "";
  const minutes = Math.ceil(error.retryAfter / SECONDS_PER_MINUTE);
  const wait = error.status === TOO_MANY_REQUESTS && minutes > 0 ? ` Try again in ${plural(minutes, "minute")}.` : "";
  return `${textOf(error)}${wait}`;
}

/** Returns the items from a number on, in the order of the lists. */
function itemsFrom(first: number, length: number): Item[] {
  const items: Item[] = [];
  let skip = first;
  for (const list of Object.values(lists)) {
    if (skip >= list.size) {
      skip -= list.size;
      continue;
    }
    for (const item of list.values()) {
      if (skip > 0) skip -= 1;
      else if (items.push(item) === length) return items;
    }
  }
  return items;
}

/** Lists the files that are not stored, a few rows of them at a time. */
export function Rows() {
  const element = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  // The lists change together with the totals.
  const size = totals.value && Object.values(lists).reduce((sum, list) => sum + list.size, 0);
  if (size === 0) return null;

  const visible = Math.min(size, MAX_VISIBLE_ROWS);
  const first = Math.max(0, Math.min(Math.floor(top.value / ROW_PX), size - visible - 1));
  return (
    <div
      ref={element}
      class="tray-rows"
      role="group"
      aria-label="Files"
      tabIndex={0}
      style={{ height: `${visible * ROW_PX}px` }}
      onScroll={(event) => (top.value = event.currentTarget.scrollTop)}
    >
      <ul style={{ height: `${size * ROW_PX}px` }}>
        {itemsFrom(first, visible + 1).map((item, index) => (
          <li
            key={item.id}
            aria-setsize={size}
            aria-posinset={first + index + 1}
            style={{ transform: `translateY(${(first + index) * ROW_PX}px)` }}
          >
            <Row item={item} onDone={() => element.current?.focus()} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Row({ item, onDone }: { item: Item; onDone: () => void }) {
  const { id, file, state } = item;
  const isOver = state === "failed" || state === "cancelled";
  const act = (action: (id: string) => void) => () => {
    action(id);
    onDone();
  };
  return (
    <>
      <div class="tray-file">
        <bdi title={file.name}>{file.name}</bdi>
        <Progress item={item} />
      </div>
      {isOver && (
        <button class="small" aria-label={`Retry ${file.name}`} onClick={act(retry)}>
          Retry
        </button>
      )}
      <button
        class="plain"
        aria-label={`${isOver ? "Remove" : "Cancel"} ${file.name}`}
        title={isOver ? "Remove" : "Cancel"}
        onClick={act(isOver ? remove : cancel)}
      >
        <Icon name="close" />
      </button>
    </>
  );
}

function Progress({ item: { file, state, sent, error } }: { item: Item }) {
  if (state === "failed") {
    const reason = reasonOf(error);
    return (
      <small class="tray-reason" title={reason}>
        {reason}
      </small>
    );
  }
  if (state === "cancelled") {
    // The service may store what it has received.
    return <small>{sent < file.size ? "Cancelled" : "Cancelled, but may be stored already"}</small>;
  }
  if (state === "waiting") return <small>Waiting · {bytes(file.size)}</small>;

  return <Sent sent={sent} total={file.size} name={file.name} />;
}

/** How much of a file is sent. */
export function Sent({ sent, total, name }: { sent: number; total: number; name: string }) {
  const percent = Math.floor((sent / Math.max(1, total)) * PERCENT);
  return (
    <span class="tray-progress">
      <progress max={PERCENT} value={percent} aria-label={`Progress of ${name}`} />
      <small>{sent >= total ? "Storing" : `${percent} %`}</small>
    </span>
  );
}
