// The webhooks that were sent about a file, each with what became of it.

import { listWebhookDeliveries, type FileRecord, type WebhookMessage } from "larder/api";

import { client, dataOf } from "../../api.ts";
import { ago, plural, time } from "../../parts/format.ts";
import { Show, useLoad } from "../../parts/load.tsx";
import { href } from "../../router.ts";
import { STATE_CLASSES } from "../webhooks/words.tsx";

const MAX_MESSAGES = 20;

/** Lists the webhooks about a file. Needs the role admin. */
export function Attempts({ record: { id, space_id } }: { record: FileRecord }) {
  const query = { file_id: id, limit: MAX_MESSAGES };
  const loaded = useLoad(
    (signal) => dataOf(listWebhookDeliveries({ client, path: { id: space_id }, query, signal, throwOnError: true })),
    [id],
  );
  return (
    <section class="facts">
      <h3>Webhooks about it</h3>
      <Show of={loaded}>
        {(messages) => (
          <>
            {messages.length === 0 && <p class="hint">None in the last 30 days.</p>}
            <ul class="attempts">
              {messages.map((message) => (
                <Message key={message.id} message={message} />
              ))}
            </ul>
            {messages.length > 0 && <a href={href({ screen: "webhooks" })}>All webhooks</a>}
          </>
        )}
      </Show>
    </section>
  );
}

function Message({ message: { event, status, created_at, attempts } }: { message: WebhookMessage }) {
  const last = attempts.at(-1);
  const result = last && (last.error ?? `status ${last.status_code}`);
  return (
    <li>
      <code>{event}</code> <span class={STATE_CLASSES[status]}>{status}</span>
      <small title={time(created_at)}>
        {ago(created_at)} · {plural(last?.number ?? 0, "attempt")}
        {result && ` · ${result}`}
      </small>
    </li>
  );
}
