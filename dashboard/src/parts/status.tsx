// Messages that appear by themselves: toasts, and one live region for screen readers.

import { signal } from "@preact/signals";

import { Icon } from "./icons.tsx";

interface Toast {
  id: number;
  text: string;
  isError: boolean;
  action: Action | undefined;
}

/** What a message offers to do. It reports its own failure. */
interface Action {
  label: string;
  run: () => void;
}

const TOAST_MS = 6000;
/** The time to decide about an action. */
const ACTION_MS = 15_000;
const MAX_TOASTS = 4;

const toasts = signal<readonly Toast[]>([]);
const announcement = signal("");
let lastId = 0;

/** Tells screen readers what happened. */
export function announce(text: string): void {
  // The same text again is only announced if the region changes.
  announcement.value = announcement.value === text ? `${text}\u00a0` : text;
}

/** Shows a message for some seconds; an error until it is closed. */
export function toast(text: string, { isError = false, action }: { isError?: boolean; action?: Action } = {}): void {
  const id = (lastId += 1);
  toasts.value = [...toasts.value, { id, text, isError, action }].slice(-MAX_TOASTS);
  announce(text);
  if (!isError) setTimeout(() => close(id), action ? ACTION_MS : TOAST_MS);
}

function close(id: number): void {
  toasts.value = toasts.value.filter((candidate) => candidate.id !== id);
}

/** Shows the messages of `toast`, and has the live region of `announce`. */
export function Messages() {
  return (
    <>
      <div class="visually-hidden" role="status" aria-live="polite">
        {announcement}
      </div>
      <section class="toasts" aria-label="Messages">
        {toasts.value.map(({ id, text, isError, action }) => (
          <div key={id} class={isError ? "toast error" : "toast"}>
            <span>{text}</span>
            {action && (
              <button
                class="small"
                onClick={() => {
                  close(id);
                  action.run();
                }}
              >
                {action.label}
              </button>
            )}
            <button class="plain" aria-label="Close message" onClick={() => close(id)}>
              <Icon name="close" />
            </button>
          </div>
        ))}
      </section>
    </>
  );
}
