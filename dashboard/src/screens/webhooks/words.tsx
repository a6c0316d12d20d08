// States of webhook messages in words.

import type { WebhookFailure, WebhookMessage } from "larder/api";

import { time } from "../../parts/format.ts";

const FAILURES: Readonly<Record<WebhookFailure, string>> = {
  gone: "the receiver responded with 410, which ends the attempts",
  attempts_exhausted: "no attempt succeeded",
  space_disabled: "the space is disabled",
  no_url: "there is no URL to send it to",
};
/** Classes of the badges of states. */
export const STATE_CLASSES = { pending: "badge warn", delivered: "badge ok", failed: "badge danger" } as const;

/** The state of a message, and what follows or went wrong. */
export function Status({ message }: { message: WebhookMessage }) {
  const { status, failure, next_attempt_at } = message;
  return (
    <>
      <span class={STATE_CLASSES[status]}>{status}</span>{" "}
      {failure && <small>{FAILURES[failure]}</small>}
      {next_attempt_at && <small>next attempt {time(next_attempt_at)}</small>}
    </>
  );
}

/** Returns JSON with line breaks, or other text as it is. */
export function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
