// Webhooks of the current space: where they go, how they are signed, and what was sent.

import { useSignal } from "@preact/signals";
import { getWebhookSecret, rotateWebhookSecret } from "larder/api";

import { client, dataOf } from "../../api.ts";
import { Form, TextField } from "../../parts/form.tsx";
import { needs } from "../../parts/roles.ts";
import { Locked, Section } from "../../parts/section.tsx";
import { toast } from "../../parts/status.tsx";
import { href } from "../../router.ts";
import { isLocal } from "../../session.ts";
import { can, space } from "../../state.ts";
import { saveSpace } from "../settings/save-space.ts";
import { SecretSection } from "../settings/secret.tsx";
import { Log } from "./log.tsx";
import { ReceivedSection, RECEIVER_PATH } from "./received.tsx";

/** The screen of webhooks. */
export function Webhooks() {
  const current = space.value;
  if (!current) return null;
  const path = { id: current.id };

  return (
    <main class="page webhooks">
      <header>
        <h1>Webhooks</h1>
      </header>
      <div class="pair">
        <Endpoint url={current.webhook_url ?? ""} />
        <SecretSection
          title="Webhook secret"
          hint="Your receiver verifies the header webhook-signature with it, as Standard Webhooks describes."
          consequence="For 24 hours, webhooks are signed with both secrets, so that your receiver can change to the new one."
          load={() => dataOf(getWebhookSecret({ client, path, throwOnError: true }))}
          rotate={() => dataOf(rotateWebhookSecret({ client, path, throwOnError: true }))}
        />
      </div>
      {isLocal && <ReceivedSection />}
      {can("admin") ? (
        <Log id={current.id} />
      ) : (
        <Section title="Log" hint={needs("admin")} />
      )}
    </main>
  );
}

function Endpoint({ url }: { url: string }) {
  const value = useSignal(url);
  const save = async () => {
    await saveSpace({ webhook_url: value.value || null });
    toast(value.value ? "Webhooks go to this URL." : "Webhooks are off.");
  };
  return (
    <Section title="Endpoint">
      <Form onSubmit={save}>
        <Locked role="owner">
          <TextField
            name="webhook_url"
            label="URL"
            type="url"
            value={value}
            placeholder="https://example.com/webhooks"
            hint="It responds with a 2xx status within 5 seconds. Empty: nothing is sent."
          />
          <div class="actions start">
            <button class="primary">Save</button>
            {isLocal && (
              <button type="button" onClick={() => (value.value = location.origin + RECEIVER_PATH)}>
                Use the local receiver
              </button>
            )}
          </div>
        </Locked>
      </Form>
      <p class="hint">
        <code>file.uploaded</code> is sent for each upload. Other events, and another URL, are chosen for each of
        the <a href={href({ screen: "upload-configs" })}>Upload configs</a>.
      </p>
    </Section>
  );
}
