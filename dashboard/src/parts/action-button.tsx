// Buttons that send a request.

import { useSignal } from "@preact/signals";
import type { ButtonHTMLAttributes } from "preact";

import { attempt } from "./errors.ts";

type ActionProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "action" | "onClick"> & { action: () => Promise<void> };

/** A button whose action runs once at a time. A failure appears as a message. */
export function ActionButton({ action, ...button }: ActionProps) {
  const isBusy = useSignal(false);
  const run = async () => {
    if (isBusy.value) return;
    isBusy.value = true;
    await attempt(action);
    isBusy.value = false;
  };
  return <button type="button" {...button} aria-busy={isBusy.value} onClick={run} />;
}
