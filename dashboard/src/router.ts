// The place in the dashboard: `#/HANDLE/SCREEN?QUERY` in the address.
//
// - A place without a known screen is that of files. A place without a handle is that of the default space.
// - Changes of the query replace the entry of the history, unless they open something.

import { signal } from "@preact/signals";

export const SCREENS = {
  files: "Files",
  "upload-configs": "Upload configs",
  access: "Access & watermark",
  keys: "API keys",
  webhooks: "Webhooks",
  settings: "Settings",
  local: "Local stack",
} as const;

export type Screen = keyof typeof SCREENS;
export type Query = Readonly<Record<string, string>>;

export interface Place {
  handle: string;
  screen: Screen;
  query: Query;
}

export const place = signal(parse(location.hash));
addEventListener("hashchange", () => (place.value = parse(location.hash)));

function parse(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#?\/?/, "").split(/\?(.*)/s);
  const [handle = "", screen = ""] = path.split("/");
  return {
    handle,
    screen: Object.hasOwn(SCREENS, screen) ? (screen as Screen) : "files",
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** Returns the address of a place. Parts that are absent are those of the current place, except the query. */
export function href(to: Partial<Place>): string {
  const { handle, screen } = { ...place.value, ...to };
  const query = new URLSearchParams(to.query).toString();
  return `#/${handle}/${screen}${query && `?${query}`}`;
}

/** Goes to a place. */
export function go(to: Partial<Place>): void {
  location.hash = href(to);
}

/** Changes parts of the query; `undefined` removes one. `isStep` makes the browser's back button return. */
export function setQuery(changes: Record<string, string | undefined>, isStep = false): void {
  const entries = Object.entries({ ...place.value.query, ...changes });
  const query = Object.fromEntries(entries.filter((entry): entry is [string, string] => Boolean(entry[1])));
  if (isStep) return go({ query });
  history.replaceState(null, "", href({ query }));
  place.value = parse(location.hash);
}
