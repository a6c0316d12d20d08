// The local stack: its queues and addresses. Only a local stack serves them.

import { LarderError } from "larder";

import { BASE_URL } from "../../api.ts";
import { count } from "../../parts/format.ts";
import { Show, useLoad } from "../../parts/load.tsx";
import { usePoll } from "../../parts/poll.ts";
import { Section } from "../../parts/section.tsx";
import { ScrollTable } from "../../parts/table.tsx";
import { isLocal } from "../../session.ts";

interface Queue {
  name: string;
  visible: number;
  in_flight: number;
  delayed: number;
  /** Null without a dead-letter queue. */
  dead_letters: number | null;
}

const POLL_MS = 2000;
/** The CDN of a local stack listens on the port after that of the API. */
const CDN_URL = `http://${location.hostname}:${Number(location.port) + 1}`;

/** The screen of the local stack. */
export function Local() {
  if (!isLocal) return <main class="page">Only a local stack has this page.</main>;
  return (
    <main class="page local">
      <header>
        <h1>Local stack</h1>
      </header>
      <Section title="Queues" hint="Messages of the background work, counted every 2 seconds.">
        <Queues />
      </Section>
      <Section title="Addresses">
        <dl class="values">
          <dt>API</dt>
          <dd class="mono">{BASE_URL}</dd>
          <dt>CDN</dt>
          <dd class="mono">{CDN_URL}</dd>
          <dt>Data</dt>
          <dd>
            In <code>.larder</code>, or in the directory of <code>--data-dir</code>. Its <code>local.json</code> contains
            the addresses and the first key. Delete the directory to begin again.
          </dd>
        </dl>
      </Section>
    </main>
  );
}

async function listQueues(signal: AbortSignal): Promise<Queue[]> {
  const response = await fetch("/demo/queues", { signal });
  if (!response.ok) throw new LarderError(`The local stack responded with status ${response.status}.`, response.status);
  const { queues } = (await response.json()) as { queues: Queue[] };
  return queues;
}

function Queues() {
  const loaded = useLoad(listQueues, []);
  usePoll(async () => loaded.reload(), POLL_MS);
  return (
    <Show of={loaded}>
      {(queues) => (
        <ScrollTable label="Queues" heads={["Queue", "Waiting", "In work", "Delayed", "Dead letters"]}>
          {queues.map((queue) => (
            <QueueRow key={queue.name} queue={queue} />
          ))}
        </ScrollTable>
      )}
    </Show>
  );
}

function QueueRow({ queue }: { queue: Queue }) {
  const { name, visible, in_flight, delayed, dead_letters } = queue;
  return (
    <tr>
      <th scope="row" title={name}>
        {name.replace(/^.*-|Queue$/g, "")}
      </th>
      <td>{count(visible)}</td>
      <td>{count(in_flight)}</td>
      <td>{count(delayed)}</td>
      <td>{dead_letters ? <span class="badge danger">{count(dead_letters)}</span> : (dead_letters ?? "none")}</td>
    </tr>
  );
}
