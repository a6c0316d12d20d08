// The settings of one folder that differ from what it inherits.

import { useSignal } from "@preact/signals";
import {
  resetFolderAccessControl,
  resetFolderSecurity,
  setFolderAccessControl,
  setFolderSecurity,
  type FolderSummary,
  type SecurityInput,
} from "larder/api";
import { useMemo } from "preact/hooks";

import { client, dataOf } from "../../api.ts";
import { FormDialog } from "../../parts/dialog.tsx";
import { RadioField, SelectField, type Options } from "../../parts/form.tsx";
import { toast } from "../../parts/status.tsx";
import { draftOf, markOf, policyOf, POLICIES } from "./draft.ts";
import { MarkFields } from "./mark-fields.tsx";
import { ownOf } from "./own.ts";

const INHERIT = "inherit";
const ACCESS: Options = [
  [INHERIT, "As inherited"],
  ["public", "Public: everyone who has the URL."],
  ["auth", "Requires a signed URL or key."],
];
const FOLDER_POLICIES: Options = [[INHERIT, "As inherited"], ...POLICIES];
const MARKS: Options = [
  [INHERIT, "As inherited"],
  ["none", "No watermark"],
  ["own", "Another watermark"],
];

interface FolderDialogProps {
  handle: string;
  /** The folder to edit, or the folders of which one is chosen. */
  folders: readonly [FolderSummary, ...FolderSummary[]];
  title: string;
  onChanged: () => void;
  onClose: () => void;
}

export function FolderDialog({ handle, folders, title, onChanged, onClose }: FolderDialogProps) {
  const [first] = folders;
  const id = useSignal(first.id);
  const own = ownOf(first);
  const access = useSignal(own.access === null ? INHERIT : own.access ? "auth" : "public");
  const transformations = useSignal<string>(own.transformations ?? INHERIT);
  const mark = useSignal(own.watermark ? (own.watermark.enabled ? "own" : "none") : INHERIT);
  const draft = useMemo(() => draftOf({ ...first.security.watermark, enabled: true }), []);

  const save = async () => {
    const watermark = mark.value === "own" ? { ...(await markOf(draft, handle)), enabled: true } : { enabled: false };
    await setSecurity(id.value, {
      ...(mark.value !== INHERIT && { watermark }),
      ...(transformations.value !== INHERIT && { transformations: policyOf(transformations.value) }),
    });
    await setAccess(id.value, access.value);
    onChanged();
    toast("The settings of the folder were saved.");
  };

  return (
    <FormDialog title={title} submit="Save" onSubmit={save} onClose={onClose}>
      {folders.length > 1 && (
        <SelectField
          name="folder"
          label="Folder"
          value={id}
          options={folders.map((folder) => [folder.id, folder.path ?? folder.name])}
        />
      )}
      <RadioField name="access_control.requires_auth" label="Who may open files" value={access} options={ACCESS} />
      <RadioField
        name="security.transformations"
        label="Who may create sizes and formats"
        value={transformations}
        options={FOLDER_POLICIES}
      />
      <RadioField name="security.watermark.enabled" label="Watermark" value={mark} options={MARKS} />
      {mark.value === "own" && <MarkFields draft={draft} />}
    </FormDialog>
  );
}

/** Replaces the own security settings of a folder. Without any, it inherits all. */
async function setSecurity(id: string, security: SecurityInput): Promise<void> {
  const path = { id };
  if (Object.keys(security).length === 0) await dataOf(resetFolderSecurity({ client, path, throwOnError: true }));
  else await dataOf(setFolderSecurity({ client, path, body: { security }, throwOnError: true }));
}

async function setAccess(id: string, access: string): Promise<void> {
  const path = { id };
  const body = { access_control: { requires_auth: access === "auth" } };
  if (access === INHERIT) await dataOf(resetFolderAccessControl({ client, path, throwOnError: true }));
  else await dataOf(setFolderAccessControl({ client, path, body, throwOnError: true }));
}
