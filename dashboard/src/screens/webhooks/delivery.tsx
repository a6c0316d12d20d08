// Details of a webhook message: its attempts and its body.

import { redeliverWebhook, type WebhookAttempt } from "larder/api";
import { useEffect } from "preact/hooks";

import { client } from "../../api.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { attempt } from "../../parts/errors.ts";
import { time } from "../../parts/format.ts";
import { toast } from "../../parts/status.tsx";
import { ScrollTable } from "../../parts/table.tsx";
import { href } from "../../router.ts";
import type { Log, LoggedMessage } from "./log-store.ts";
import { indented, Status } from "./words.tsx";

interface DeliveryProps {
  log: Log;
  message: LoggedMessage;
  /** Called when attempts begin again. */
  onSent: () => void;
  onClose: () => void;
}

/** The dialog of a message. */
export function Delivery({ log, message, onSent, onClose }: DeliveryProps) {
  const { id, event, file_id, payload } = message;
  useEffect(() => void attempt(() => log.refreshOne(id)), [id]);
  const send = async () => {
    await redeliverWebhook({ client, path: { id: log.id, deliveryId: id }, throwOnError: true });
    toast("The webhook is sent again.");
    onSent();
    await log.refreshOne(id);
  };

  return (
    <Dialog title={event} onClose={onClose}>
      <div class="delivery">
        <p>
          <Status message={message} />
        </p>
        <dl class="values">
          <dt>File</dt>
          <dd>
            <a href={href({ screen: "files", query: { file: file_id } })}>
              <bdi>{log.names.value.get(file_id) || file_id}</bdi>
            </a>
          </dd>
          <dt>To</dt>
          <dd class="mono">{message.url}</dd>
          <dt>
            <code>webhook-id</code>
          </dt>
          <dd class="mono">{id}</dd>
        </dl>
        <Attempts attempts={message.attempts} />
        <h3>Body</h3>
        <pre tabIndex={0}>{payload === undefined ? "…" : indented(payload)}</pre>
        <div class="actions">
          <button type="button" onClick={onClose}>
            Close
          </button>
          <ActionButton class="primary" action={send}>
            Send again
          </ActionButton>
        </div>
      </div>
    </Dialog>
  );
}

/** The last attempts, the newest first. */
function Attempts({ attempts }: { attempts: readonly WebhookAttempt[] }) {
  if (attempts.length === 0) return <p>There was no attempt yet.</p>;
  return (
    <ScrollTable label="Attempts" heads={["Attempt", "Time", "Took", "Response"]}>
      {attempts.toReversed().map((one) => (
        <tr key={one.number}>
          <td>{one.number}</td>
          <td>{time(one.at)}</td>
          <td>{one.duration_ms} ms</td>
          <td>
            {one.status_code ?? one.error ?? "none"}
            {one.response_excerpt && <pre>{one.response_excerpt}</pre>}
          </td>
        </tr>
      ))}
    </ScrollTable>
  );
}
