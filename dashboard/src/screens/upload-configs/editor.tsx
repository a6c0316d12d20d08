// The form of an upload config, with what can be done with a saved one beside it.

import { LarderError } from "larder";
import {
  createUploadConfig,
  deleteUploadConfig,
  getUploadConfig,
  updateUploadConfig,
  type SpaceSummary,
  type UploadConfig,
} from "larder/api";
import { useMemo, useRef } from "preact/hooks";

import { client, dataOf, errorOf } from "../../api.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { Snippets } from "../../parts/copy.tsx";
import { ask } from "../../parts/dialog.tsx";
import { Form } from "../../parts/form.tsx";
import { Show, useLoad } from "../../parts/load.tsx";
import { unless } from "../../parts/roles.ts";
import { toast } from "../../parts/status.tsx";
import { go, href, setQuery } from "../../router.ts";
import { can } from "../../state.ts";
import { saveSpace } from "../settings/save-space.ts";
import { draftOf, requestOf, type Draft } from "./draft.ts";
import { Basics, Rules } from "./sections.tsx";
import { snippetsOf } from "./snippets.ts";
import { TryIt } from "./try-it.tsx";

const NOT_FOUND = 404;
const CONFLICT = 409;

/** The form of a config that does not exist yet. */
export function NewConfig({ space }: { space: SpaceSummary }) {
  const create = async (draft: Draft) => {
    const body = { ...requestOf(draft), space_id: space.id };
    const { id, name } = await dataOf(createUploadConfig({ client, body, throwOnError: true }));
    toast(`${name} was created.`);
    setQuery({ config: id });
  };
  return (
    <>
      <Head title="New upload config" />
      <div class="config">
        <Fields config={null} onSave={create} />
      </div>
    </>
  );
}

/** Returns a config of the space. An address can combine a space with a config of another one. */
async function configOf(space: SpaceSummary, id: string): Promise<UploadConfig> {
  const config = await dataOf(getUploadConfig({ client, path: { id }, throwOnError: true }));
  if (config.space_id !== space.id) throw new LarderError("This upload config belongs to another space.", NOT_FOUND);
  return config;
}

/** The form of a config, as it is saved. */
export function Editor({ id, space }: { id: string; space: SpaceSummary }) {
  const loaded = useLoad(() => configOf(space, id), [id]);
  const update = async (draft: Draft) => {
    const body = { ...requestOf(draft), id };
    const { name } = await dataOf(updateUploadConfig({ client, body, throwOnError: true }));
    // The response has no rules, and the service normalizes some: `JPG` becomes `jpg`.
    loaded.set(await configOf(space, id));
    toast(`${name} was saved.`);
  };
  return (
    <Show of={loaded}>
      {(config) => (
        <>
          <Head title={config.name} config={config} space={space} />
          <div class="config">
            <Fields config={config} onSave={update} />
            <aside aria-label="Use it">
              <TryIt config={config} handle={space.handle} />
              <section class="card">
                <h2>Use it</h2>
                <Snippets key={config.updated_at} codes={snippetsOf(config, space.handle)} />
              </section>
            </aside>
          </div>
        </>
      )}
    </Show>
  );
}

interface HeadProps {
  title: string;
  config?: UploadConfig;
  space?: SpaceSummary;
}

function Head({ title, config, space }: HeadProps) {
  const isActive = config !== undefined && config.id === space?.active_upload_config_id;
  return (
    <header>
      <div>
        <a href={href({})}>Upload configs</a>
        <h1>
          {title} {isActive && <span class="badge ok">active</span>}
        </h1>
        {isActive && <p class="hint">Uploads that name no upload config use this one.</p>}
      </div>
      {config && space && (
        <div class="actions">
          {!isActive && <MakeActive config={config} />}
          <button class="danger" {...(isActive ? ACTIVE : unless("admin"))} onClick={() => askToDelete(config)}>
            Delete
          </button>
        </div>
      )}
    </header>
  );
}

/** Why the active config cannot be deleted. */
const ACTIVE = { disabled: true, title: "This is the active config. Make another one active first." };

function MakeActive({ config: { id, name } }: { config: UploadConfig }) {
  const run = async () => {
    await saveSpace({ active_upload_config_id: id });
    toast(`${name} is the active upload config.`);
    // The button is gone.
    setTimeout(() => document.querySelector("main")?.focus());
  };
  return (
    <ActionButton {...unless("owner")} action={run}>
      Make active
    </ActionButton>
  );
}

function askToDelete({ id, name }: UploadConfig): void {
  const run = async () => {
    try {
      await deleteUploadConfig({ client, body: { id }, throwOnError: true });
    } catch (cause) {
      const { message, status, requestId, errors } = errorOf(cause);
      // The message of a conflict says what to do; that of the field is about the id.
      throw new LarderError(message, status, cause, status === CONFLICT ? {} : errors, requestId);
    }
    toast(`${name} was deleted.`);
    go({ query: {} });
  };
  ask({
    title: `Delete “${name}”?`,
    text: "Uploads that name it fail from now on, from pages too. Files that were uploaded with it stay.",
    action: "Delete",
    run,
  });
}

function open(section: Element): void {
  section.setAttribute("open", "");
}

interface FieldsProps {
  config: UploadConfig | null;
  onSave: (draft: Draft) => Promise<void>;
}

function Fields({ config, onSave }: FieldsProps) {
  const draft = useMemo(() => draftOf(config), [config]);
  const fields = useRef<HTMLFieldSetElement>(null);
  const canEdit = can("admin");
  const save = async () => {
    try {
      await onSave(draft);
    } catch (cause) {
      // The form opens the section of the first field at fault. The others are opened after their errors are shown.
      setTimeout(() => fields.current?.querySelectorAll("details:has([aria-invalid])").forEach(open));
      throw cause;
    }
  };
  return (
    <Form onSubmit={save}>
      {!canEdit && <p class="hint">Your role reads this upload config. Changes need the role admin.</p>}
      <fieldset class="form" disabled={!canEdit} ref={fields}>
        <legend class="visually-hidden">Upload config</legend>
        <Basics draft={draft} />
        <Rules draft={draft} />
      </fieldset>
      {canEdit && (
        <div class="actions start">
          <button class="primary">Save</button>
          <a class="button" href={href({})}>
            Cancel
          </a>
        </div>
      )}
    </Form>
  );
}
