// Webhooks that the receiver of the local stack got.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { time } from "../../parts/format.ts";
import { usePoll } from "../../parts/poll.ts";
import { Section } from "../../parts/section.tsx";
import { indented } from "./words.tsx";

interface ReceivedWebhook {
  /** Number of the request since the start of the stack, from 1. */
  number: number;
  received_at: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

interface Received {
  last: number;
  webhooks: ReceivedWebhook[];
}

/** Path of the receiver on the origin of a local stack. */
export const RECEIVER_PATH = "/demo/webhooks";
const POLL_MS = 2000;
/** Maximum number of webhooks on the page, as many as the receiver keeps. */
const MAX_WEBHOOKS = 100;

/** The section of received webhooks. */
export function ReceivedSection() {
  const received = useSignal<Received>({ last: 0, webhooks: [] });
  const load = async () => {
    const { last, webhooks } = received.value;
    const response = await fetch(`${RECEIVER_PATH}/received?after=${last}`);
    if (!response.ok) return;
    const newer = (await response.json()) as Received;
    // The receiver counts from 1 again after a start of the stack.
    const older = newer.last < last ? [] : webhooks;
    const all = [...newer.webhooks, ...older].slice(0, MAX_WEBHOOKS);
    received.value = { last: newer.last, webhooks: all };
  };
  // A failure shows in nothing: the next request follows soon.
  useEffect(() => void load().catch(() => {}), []);
  usePoll(load, POLL_MS);

  const { webhooks } = received.value;
  return (
    <Section title="What arrived here" hint="The receiver of this local stack keeps the last 100 webhooks, of all spaces, until the stack stops.">
      {webhooks.length === 0 && <p>Nothing arrived yet.</p>}
      <ul class="received">
        {webhooks.map((webhook) => (
          <li key={webhook.number}>
            <Arrived webhook={webhook} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Arrived({ webhook }: { webhook: ReceivedWebhook }) {
  const { event, name } = summaryOf(webhook.body);
  return (
    <details>
      <summary>
        <b>{event}</b> <bdi>{name}</bdi> <small>{time(webhook.received_at)}</small>
      </summary>
      <dl class="values">
        {Object.entries(webhook.headers).map(([header, value]) => [
          <dt key={header} class="mono">
            {header}
          </dt>,
          <dd key={`${header} value`} class="mono">
            {value}
          </dd>,
        ])}
      </dl>
      <pre tabIndex={0}>{indented(webhook.body)}</pre>
    </details>
  );
}

/** Returns the event of a body and the name of its file. Anyone can send anything to the receiver. */
function summaryOf(body: string): { event: string; name: string } {
  try {
    const { event, file } = JSON.parse(body) as { event?: unknown; file?: { original_name?: unknown } };
    return { event: String(event ?? "unknown"), name: String(file?.original_name ?? "") };
  } catch {
    return { event: "not JSON", name: "" };
  }
}
