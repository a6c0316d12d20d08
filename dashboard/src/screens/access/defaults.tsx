// Settings of the space, which all folders and files inherit.

import { useSignal } from "@preact/signals";
import {
  resetSpaceAccessControl,
  resetSpaceSecurity,
  setSpaceAccessControl,
  setSpaceSecurity,
  type Space,
} from "larder/api";
import { useEffect, useMemo } from "preact/hooks";

import { client, dataOf } from "../../api.ts";
import { ask } from "../../parts/dialog.tsx";
import { CheckField, Form, RadioField } from "../../parts/form.tsx";
import { toast } from "../../parts/status.tsx";
import { Locked, Section } from "../../parts/section.tsx";
import { adopt, draftOf, isChanged, markOf, policyOf, POLICIES } from "./draft.ts";
import { MarkFields } from "./mark-fields.tsx";
import { Preview } from "./preview.tsx";

interface DefaultsProps {
  current: Space;
  /** Called with the space after a change. */
  onChanged: (changed: Space) => void;
}

/** The form of the settings, with a preview of the watermark beside it. */
export function Defaults({ current, onChanged }: DefaultsProps) {
  const { access, transformations, draft, save } = useDefaults(current, onChanged);
  return (
    <Section title="The whole space" hint="All folders and files inherit this, unless a folder below differs.">
      <Form onSubmit={save} class="defaults">
        <Locked role="owner">
          <RadioField
            name="access_control.requires_auth"
            label="Who may open files"
            value={access}
            options={[
              ["public", "Public: everyone who has the URL."],
              ["auth", "Requires a signed URL or key: your backend signs each URL, or sends an API key."],
            ]}
          />
          <RadioField
            name="security.transformations"
            label="Who may create sizes and formats"
            value={transformations}
            options={POLICIES}
          />
          <CheckField
            name="security.watermark.enabled"
            label="Watermark"
            value={draft.isEnabled}
            hint="A mark applies to every delivered image, also to those that were uploaded before, and to the original size."
          />
          <MarkFields draft={draft} />
          <div class="actions start">
            <button class="primary">Save</button>
            <button type="button" onClick={() => askReset(current.id, onChanged)}>
              Reset to defaults
            </button>
          </div>
        </Locked>
        <div class="form beside">
          <Preview spaceId={current.id} draft={draft} mark={current.security.watermark} />
        </div>
      </Form>
    </Section>
  );
}

/** Returns the settings while they are edited, and what saves those that differ. */
function useDefaults(current: Space, onChanged: DefaultsProps["onChanged"]) {
  const { id, handle, access_control, security } = current;
  const saved = access_control.requires_auth ? "auth" : "public";
  const access = useSignal(saved);
  const transformations = useSignal<string>(security.transformations);
  const draft = useMemo(() => draftOf(security.watermark), []);
  useEffect(() => {
    access.value = saved;
    transformations.value = security.transformations;
    adopt(draft, security.watermark);
  }, [current]);

  const save = async () => {
    const path = { id };
    let changed = current;
    // The settings that can be rejected come first. A URL of a logo is read again each time that it is sent.
    if (isChanged(draft, security.watermark) || transformations.value !== security.transformations) {
      const watermark = await markOf(draft, handle);
      const body = { security: { watermark, transformations: policyOf(transformations.value) } };
      changed = await dataOf(setSpaceSecurity({ client, path, body, throwOnError: true }));
    }
    if (access.value !== saved) {
      const body = { access_control: { requires_auth: access.value === "auth" } };
      changed = await dataOf(setSpaceAccessControl({ client, path, body, throwOnError: true }));
    }
    onChanged(changed);
    toast("The settings were saved. They apply from now on.");
  };
  return { access, transformations, draft, save };
}

function askReset(id: string, onChanged: DefaultsProps["onChanged"]): void {
  const path = { id };
  const run = async () => {
    await dataOf(resetSpaceSecurity({ client, path, throwOnError: true }));
    onChanged(await dataOf(resetSpaceAccessControl({ client, path, throwOnError: true })));
    toast("The space has the default settings.");
  };
  ask({
    title: "Reset to defaults?",
    text: "Files become public, everyone may create sizes and formats, and the watermark goes. Folders that differ keep their settings.",
    action: "Reset",
    run,
  });
}
