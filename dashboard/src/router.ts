// The place in the dashboard: `#/HANDLE/SCREEN?QUERY` in the address.
//
// - A place without a known screen is that of files. A place without a handle is that of the default space.
// - Changes of the query replace the entry of the history, unless they open something.
// - An address with a key signs in, and is no place.

import { signal } from "@preact/signals";

import { signInByLink } from "./session.ts";

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

interface Place {
  handle: string;
  screen: Screen;
  query: Query;
}

signInByLink();
/** The fragment that is `place`. Another one in the address is about to arrive by an event. */
let arrived = location.hash;
export const place = signal(parse(arrived));
addEventListener("hashchange", arrive);

function arrive(): void {
  signInByLink();
  arrived = location.hash;
  place.value = parse(arrived);
}

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

/** Goes to a place instead of the current one, without a step in the history, unless another one is about to arrive. */
export function replace(to: Partial<Place>): void {
  if (location.hash !== arrived) return;
  history.replaceState(null, "", href(to));
  arrive();
}

/** Changes parts of the query; `undefined` removes one. `isStep` makes the browser's back button return. */
export function setQuery(changes: Record<string, string | undefined>, isStep = false): void {
  const entries = Object.entries({ ...place.value.query, ...changes });
  const query = Object.fromEntries(entries.filter((entry): entry is [string, string] => Boolean(entry[1])));
  return isStep ? go({ query }) : replace({ query });
}
