// Settings of the current space.

import { useSignal } from "@preact/signals";
import { getSigningSecret, rotateSigningSecret, type SpaceSummary } from "larder/api";

import { client, dataOf } from "../../api.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { CheckField, Form, TextField } from "../../parts/form.tsx";
import { date } from "../../parts/format.ts";
import { NumberField, numberOf } from "../../parts/number-field.tsx";
import { Locked, Section } from "../../parts/section.tsx";
import { toast } from "../../parts/status.tsx";
import { account, isUser, makeDefault, space } from "../../state.ts";
import { DeleteSection } from "./delete-space.tsx";
import { saveSpace } from "./save-space.ts";
import { SecretSection } from "./secret.tsx";
import { UsageSection } from "./usage.tsx";

/** The screen of settings. */
export function Settings() {
  const current = space.value;
  if (!current) return null;
  const path = { id: current.id };

  return (
    <main class="page settings">
      <header>
        <h1>Settings</h1>
      </header>
      <General current={current} />
      <UsageSection id={current.id} />
      {isUser.value && <Default current={current} />}
      <SecretSection
        title="Signing secret"
        hint="Your backend signs delivery and upload URLs with it, without a request."
        consequence="URLs that were signed with the previous secret keep working for 24 hours."
        canEnd
        load={() => dataOf(getSigningSecret({ client, path, throwOnError: true }))}
        rotate={(immediate) => dataOf(rotateSigningSecret({ client, path, body: { immediate }, throwOnError: true }))}
      />
      <DeleteSection current={current} />
    </main>
  );
}

function General({ current }: { current: SpaceSummary }) {
  const name = useSignal(current.name);
  const description = useSignal(current.description ?? "");
  const domain = useSignal(current.custom_domain ?? "");
  const isEnabled = useSignal(current.enabled);
  const trashDays = useSignal(`${current.trash_days}`);
  const save = async () => {
    // Only what differs, so that a change of another person in the meantime stays.
    await saveSpace({
      ...(name.value !== current.name && { name: name.value }),
      ...(description.value !== (current.description ?? "") && { description: description.value || null }),
      ...(domain.value !== (current.custom_domain ?? "") && { custom_domain: domain.value || null }),
      ...(isEnabled.value !== current.enabled && { enabled: isEnabled.value }),
      ...(numberOf(trashDays) !== current.trash_days && { trash_days: numberOf(trashDays) }),
    });
    toast("The space was saved.");
  };

  return (
    <Section title="General">
      <Form onSubmit={save}>
        <Locked role="owner">
          <TextField name="name" label="Name" value={name} />
          <TextField name="description" label="Description" value={description} hint="Optional." />
          <TextField
            name="custom_domain"
            label="Custom domain"
            value={domain}
            placeholder="assets.example.com"
            hint="A host name that the operator of this deployment added to its CDN. Empty: the host of the CDN."
          />
          <NumberField
            name="trash_days"
            label="Days in the trash"
            value={trashDays}
            hint="For so many days, up to 30, a deleted file can be restored. With 0, a deletion is final."
          />
          <CheckField
            name="enabled"
            label="Enabled"
            value={isEnabled}
            hint="While it is off, uploads are rejected and no file is delivered. Nothing is deleted."
          />
          <div class="actions start">
            <button class="primary">Save</button>
          </div>
        </Locked>
      </Form>
      <Facts current={current} />
    </Section>
  );
}

/** What cannot be changed. */
function Facts({ current }: { current: SpaceSummary }) {
  const isFixed = current.folder_mode === "fixed";
  return (
    <dl class="values">
      <dt>Handle</dt>
      <dd class="mono">{current.handle}</dd>
      <dt>Id</dt>
      <dd class="mono">{current.id}</dd>
      <dt>Folders in URLs</dt>
      <dd>{isFixed ? "Yes: URLs contain the folder of the upload." : "No: moving a file never changes its URL."}</dd>
      <dt>Created</dt>
      <dd>{date(current.created_at)}</dd>
    </dl>
  );
}

function Default({ current }: { current: SpaceSummary }) {
  const isDefault = account.value?.default_space_id === current.id;
  const choose = async () => {
    await makeDefault(current.id);
    toast(`${current.name} is the default space.`);
  };
  return (
    <Section title="Default space" hint="Requests with your account key that name no space are for the default space.">
      {isDefault ? (
        <p>This is your default space.</p>
      ) : (
        <div class="actions start">
          <ActionButton action={choose}>Make default</ActionButton>
        </div>
      )}
    </Section>
  );
}
