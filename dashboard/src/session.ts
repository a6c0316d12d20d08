// The key of the session.
//
// - It is kept in `sessionStorage`, so that it ends with the tab.
// - A key in the fragment (`/#key=…`) signs in on loopback hosts only: elsewhere a link could sign a visitor in to
//   the account of another person. It is removed from the address at once.

import { signal } from "@preact/signals";

const STORAGE_NAME = "larder.key";
const LINK = /^#key=(sk_[0-9A-Za-z]+)$/;
const LOOPBACK_HOSTS = ["127.0.0.1", "localhost", "[::1]"];

/** Whether this page is served by a local stack, which has more than the API. */
export const isLocal = LOOPBACK_HOSTS.includes(location.hostname);

/** The key of the session, or an empty string. */
export const key = signal(sessionStorage.getItem(STORAGE_NAME) ?? "");
/** Why the last session ended, for the page to sign in. */
export const ended = signal("");

/** Signs in with the key in the address, if there is one. */
export function signInByLink(): void {
  const [, secret] = LINK.exec(location.hash) ?? [];
  if (!secret) return;
  history.replaceState(null, "", location.pathname);
  if (isLocal) startSession(secret);
}

/** Signs in with a key. */
export function startSession(secret: string): void {
  sessionStorage.setItem(STORAGE_NAME, secret);
  ended.value = "";
  key.value = secret;
}

/** Signs out. The address stays, so that the next session continues there. */
export function endSession(reason = ""): void {
  if (!key.value) return;
  sessionStorage.removeItem(STORAGE_NAME);
  ended.value = reason;
  key.value = "";
}
