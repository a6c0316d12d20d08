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
import { Locked, Section } from "../settings/section.tsx";
import { adopt, draftOf, markOf, policyOf, POLICIES } from "./draft.ts";
import { MarkFields } from "./mark-fields.tsx";
import { Preview } from "./preview.tsx";

interface DefaultsProps {
  current: Space;
  /** Called with the space after a change. */
  onChanged: (changed: Space) => void;
}

export function Defaults({ current, onChanged }: DefaultsProps) {
  const { id, handle, access_control, security } = current;
  const access = useSignal(access_control.requires_auth ? "auth" : "public");
  const transformations = useSignal<string>(security.transformations);
  const draft = useMemo(() => draftOf(security.watermark), []);
  const path = { id };
  useEffect(() => {
    access.value = access_control.requires_auth ? "auth" : "public";
    transformations.value = security.transformations;
    adopt(draft, security.watermark);
  }, [current]);

  const save = async () => {
    // The settings that can be refused come first.
    const watermark = await markOf(draft, handle);
    const body = { security: { watermark, transformations: policyOf(transformations.value) } };
    let changed = await dataOf(setSpaceSecurity({ client, path, body, throwOnError: true }));
    const requires_auth = access.value === "auth";
    if (requires_auth !== access_control.requires_auth) {
      const body = { access_control: { requires_auth } };
      changed = await dataOf(setSpaceAccessControl({ client, path, body, throwOnError: true }));
    }
    onChanged(changed);
    toast("The settings were saved. They apply from now on.");
  };
  const reset = async () => {
    await dataOf(resetSpaceSecurity({ client, path, throwOnError: true }));
    onChanged(await dataOf(resetSpaceAccessControl({ client, path, throwOnError: true })));
    toast("The space has the default settings.");
  };
  const askReset = () =>
    ask({
      title: "Reset to defaults?",
      text: "Files become public, everyone may create sizes and formats, and the watermark goes. Folders with settings of their own keep them.",
      action: "Reset",
      run: reset,
    });

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
            <button type="button" onClick={askReset}>
              Reset to defaults
            </button>
          </div>
        </Locked>
        <div class="form beside">
          <Preview spaceId={id} draft={draft} mark={security.watermark} />
        </div>
      </Form>
    </Section>
  );
}
