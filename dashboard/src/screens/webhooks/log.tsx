// The delivery log as a table.
//
// - While a message waits for an attempt that is due soon, the log is requested again, a bounded number of times
//   after each action.

import { useSignal } from "@preact/signals";
import type { WebhookMessage } from "larder/api";
import { useEffect, useMemo, useRef } from "preact/hooks";

import { attempt } from "../../parts/errors.ts";
import { ago, plural, time } from "../../parts/format.ts";
import { Empty, Show, useLoad } from "../../parts/load.tsx";
import { usePoll } from "../../parts/poll.ts";
import { Section } from "../../parts/section.tsx";
import { ScrollTable } from "../../parts/table.tsx";
import { Delivery } from "./delivery.tsx";
import { createLog, type Log as Store, type LoggedMessage } from "./log-store.ts";
import { Status } from "./words.tsx";

const POLL_MS = 1500;
const MAX_POLLS = 40;
/** A message whose next attempt is later is not waited for. */
const SOON_MS = 60_000;

/** The section of the log. */
export function Log({ id }: { id: string }) {
  const log = useMemo(() => createLog(id), [id]);
  const polls = useSignal(0);
  const openId = useSignal("");
  /** A message that is sent again, until its next attempt: the service begins after its response. */
  const sentAgain = useSignal<LoggedMessage | null>(null);
  const loaded = useLoad(async () => (await log.refresh(), true), [id]);

  const opened = log.messages.value.find((message) => message.id === openId.value);
  const isWaiting = log.messages.value.some((message) => isDueSoon(message) || isBefore(message, sentAgain.value));
  const poll = async () => {
    polls.value += 1;
    // A failure shows in the next one, or when the caller reloads.
    await Promise.allSettled([log.refresh(), openId.value && log.refreshOne(openId.value)]);
  };
  usePoll(poll, POLL_MS, isWaiting && polls.value < MAX_POLLS);
  const reload = () => {
    polls.value = 0;
    return attempt(log.refresh);
  };

  return (
    <Section title="Log" hint="Messages of the last 30 days. A failed attempt is repeated after 5 s, 5 min, 30 min, 2 h, 5 h and 10 h.">
      <div class="actions start">
        <button type="button" onClick={reload}>
          Refresh
        </button>
      </div>
      <Show of={loaded}>{() => <Messages log={log} onOpen={(chosen) => (openId.value = chosen)} />}</Show>
      {opened && (
        <Delivery
          log={log}
          message={opened}
          onSent={() => {
            polls.value = 0;
            sentAgain.value = opened;
          }}
          onClose={() => (openId.value = "")}
        />
      )}
    </Section>
  );
}

/** Whether a message has no further attempt since it was sent again. */
function isBefore({ id, attempts }: WebhookMessage, sent: LoggedMessage | null): boolean {
  return id === sent?.id && attempts.at(-1)?.number === sent.attempts.at(-1)?.number;
}

function isDueSoon({ status, next_attempt_at }: WebhookMessage): boolean {
  const due = next_attempt_at ? Date.parse(next_attempt_at) : 0;
  return status === "pending" && due < Date.now() + SOON_MS;
}

function Messages({ log, onOpen }: { log: Store; onOpen: (id: string) => void }) {
  const messages = log.messages.value;
  if (messages.length === 0) {
    return (
      <Empty title="Nothing was sent yet">
        <p>After an upload, its message and the response of your receiver appear here.</p>
      </Empty>
    );
  }
  return (
    <>
      <ScrollTable label="Messages" class="log" heads={["Event", "File", "State", "Attempts", "Created"]}>
        {messages.map((message) => (
          <Row key={message.id} message={message} name={log.names.value.get(message.file_id)} onOpen={onOpen} />
        ))}
      </ScrollTable>
      {log.cursor.value && <More key={log.cursor.value} onMore={log.more} />}
    </>
  );
}

interface RowProps {
  message: LoggedMessage;
  name: string | undefined;
  onOpen: (id: string) => void;
}

function Row({ message, name, onOpen }: RowProps) {
  const { id, file_id, attempts, created_at } = message;
  const number = attempts.at(-1)?.number ?? 0;
  const file = name || file_id;
  return (
    <tr
      onClick={(event) => {
        // The focus returns to the row after the dialog.
        event.currentTarget.querySelector("button")?.focus();
        onOpen(id);
      }}
    >
      <td>
        <button type="button" class="link" aria-label={`${message.event}, ${file}`}>
          {message.event}
        </button>
      </td>
      <td class="name">
        <bdi class={name ? undefined : "mono"}>{file}</bdi>
      </td>
      <td>
        <Status message={message} />
      </td>
      <td title={plural(number, "attempt")}>{number}</td>
      <td title={time(created_at)}>{ago(created_at)}</td>
    </tr>
  );
}

/** Loads older messages when it becomes visible, and when it is pressed. */
function More({ onMore }: { onMore: () => Promise<void> }) {
  const button = useRef<HTMLButtonElement>(null);
  const isBusy = useSignal(false);
  const load = async () => {
    if (isBusy.value) return;
    isBusy.value = true;
    await attempt(onMore);
    isBusy.value = false;
  };

  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && void load());
    if (button.current) observer.observe(button.current);
    return () => observer.disconnect();
  }, []);
  return (
    <button ref={button} type="button" aria-busy={isBusy.value} onClick={load}>
      Show older
    </button>
  );
}
