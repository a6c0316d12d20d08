// The bar of filters, the order and the view. All of them are in the address.

import { getSpaceUsage } from "larder/api";

import { client, dataOf } from "../../api.ts";
import type { Options } from "../../parts/form.tsx";
import { Icon, type IconName } from "../../parts/icons.tsx";
import { useLoad } from "../../parts/load.tsx";
import { setQuery } from "../../router.ts";
import { space, trashDays } from "../../state.ts";
import { isFiltered, NO_FILTERS, type Filters } from "./filters.ts";
import { Menu } from "./menu.tsx";

const TYPES: Options = [
  ["", "Type"],
  ["image", "Images"],
  ["video", "Videos"],
  ["audio", "Audio"],
  ["text", "Text"],
  ["document", "Documents"],
  ["archive", "Archives"],
  ["other", "Other"],
];
const DELIVERIES: Options = [
  ["", "Delivery"],
  ["upload", "Public"],
  ["private", "Private"],
  ["authenticated", "Authenticated"],
];
const ORDERS: Options = [
  ["", "Newest first"],
  ["asc", "Oldest first"],
];
const VIEWS: readonly (readonly [view: string, label: string, icon: IconName])[] = [
  ["grid", "Grid", "grid"],
  ["table", "Table", "table"],
];
const VIEW_STORAGE = "larder.files.view";

/** Returns the view of the address, else the one that was used last. */
export function isTableView(view: string | undefined): boolean {
  return (view ?? localStorage.getItem(VIEW_STORAGE)) === "table";
}

export function Bar({ filters, isTable }: { filters: Filters; isTable: boolean }) {
  const { type, delivery, tag, order, search, isEverywhere, isTrash } = filters;
  const isActive = isFiltered(filters);
  return (
    <div class="files-bar">
      <div class="filter-chips" role="group" aria-label="Filters">
        <Choice label="Type" value={type} options={TYPES} onChange={(value) => setQuery({ type: value })} />
        <Choice
          label="Delivery"
          value={delivery}
          options={DELIVERIES}
          onChange={(value) => setQuery({ delivery: value })}
        />
        <TagFilter tag={tag} />
        <DateFilter filters={filters} />
        <Trash isTrash={isTrash} />
        {isActive && (
          <>
            {!isTrash && (
              <button
                class={isEverywhere ? "filter-chip on" : "filter-chip"}
                aria-pressed={isEverywhere}
                onClick={() => setQuery({ all: isEverywhere ? undefined : "1" })}
              >
                All folders
              </button>
            )}
            <button class="filter-chip plain" onClick={() => setQuery(NO_FILTERS)}>
              Clear
            </button>
          </>
        )}
      </div>
      <div class="filter-chips">
        {search ? (
          <small>By name</small>
        ) : (
          <Choice
            label="Order"
            value={order === "asc" ? order : ""}
            options={ORDERS}
            onChange={(value) => setQuery({ order: value })}
          />
        )}
        <div class="files-views" role="group" aria-label="View" hidden={isTrash}>
          {VIEWS.map(([view, label, icon]) => (
            <button
              key={view}
              aria-label={label}
              aria-pressed={(view === "table") === isTable}
              onClick={() => {
                localStorage.setItem(VIEW_STORAGE, view);
                setQuery({ view });
              }}
            >
              <Icon name={icon} />
            </button>
          ))}
        </div>
      </div>
    </div>
  );
}

/** Shows the trash instead of the files, or the files again. It is there if the space has a trash, or files in it. */
function Trash({ isTrash }: { isTrash: boolean }) {
  const path = { id: space.value?.id ?? "" };
  const load = async (signal: AbortSignal) => {
    if (trashDays.value > 0) return true;
    const { trashed } = await dataOf(getSpaceUsage({ client, path, signal, throwOnError: true }));
    return trashed.files > 0;
  };
  const hasTrash = useLoad(load, [trashDays.value]).data.value;
  if (!isTrash && !hasTrash) return null;
  return (
    <button
      class={isTrash ? "filter-chip on" : "filter-chip"}
      aria-pressed={isTrash}
      onClick={() => setQuery({ trash: isTrash ? undefined : "1", file: undefined }, true)}
    >
      Trash
    </button>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  options: Options;
  onChange: (value: string) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <select
      class={value ? "filter-chip on" : "filter-chip"}
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      {options.map(([key, text]) => (
        <option key={key} value={key}>
          {text}
        </option>
      ))}
    </select>
  );
}

function TagFilter({ tag }: { tag: string }) {
  return (
    <input
      class={tag ? "filter-chip on" : "filter-chip"}
      aria-label="Tag"
      placeholder="Tag"
      value={tag}
      onChange={(event) => setQuery({ tag: event.currentTarget.value.trim() })}
    />
  );
}

function DateFilter({ filters: { from, to } }: { filters: Filters }) {
  const isOn = Boolean(from || to);
  const text = isOn ? `Date: ${from || "…"} to ${to || "…"}` : "Date";
  return (
    <Menu label={text} class={isOn ? "filter-chip on" : "filter-chip"} button={text}>
      {() => (
        <>
          <label>
            From
            <input
              type="date"
              value={from}
              max={to}
              onChange={(event) => setQuery({ from: event.currentTarget.value })}
            />
          </label>
          <label>
            To
            <input
              type="date"
              value={to}
              min={from}
              onChange={(event) => setQuery({ to: event.currentTarget.value })}
            />
          </label>
        </>
      )}
    </Menu>
  );
}
