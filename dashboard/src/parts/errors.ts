// Errors as text, for actions that have no form.

import { errorOf } from "../api.ts";
import { toast } from "./status.tsx";

const FIRST_FAULT_STATUS = 500;

/** Returns what went wrong: the reasons at the fields, or else the message. A fault of the service names its request. */
export function textOf(cause: unknown): string {
  const { message, errors, status, requestId } = errorOf(cause);
  const text = Object.values(errors).flat().join(" ") || message;
  return status >= FIRST_FAULT_STATUS && requestId ? `${text} Request ${requestId}` : text;
}

/** Runs something that a button starts. A failure appears as a message. */
export async function attempt(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (cause) {
    toast(textOf(cause), { isError: true });
  }
}
