// Creates a key and shows it once.

import { useSignal } from "@preact/signals";
import { LarderError } from "larder";
import type { ApiKey, Role } from "larder/api";

import { Snippets } from "../../parts/copy.tsx";
import { Dialog, FormDialog } from "../../parts/dialog.tsx";
import { SelectField, TextField, type Options } from "../../parts/form.tsx";
import { snippetsOf } from "./snippets.ts";
import type { KeySource } from "./sources.ts";

const INVALID = 422;
const EXPIRIES: Options = [
  ["never", "Never"],
  ["date", "At the end of a day"],
];
const ROLE_LABELS: Readonly<Record<Role, string>> = {
  viewer: "viewer: sees files",
  user: "user: uploads, and manages own files",
  admin: "admin: manages all files, folders and upload configs",
  owner: "owner: everything, also settings and keys",
};

interface NewKeyProps {
  source: KeySource;
  onAdd: (key: ApiKey) => void;
  onClose: () => void;
}

/** The dialog that creates a key and then shows it. */
export function NewKey({ source, onAdd, onClose }: NewKeyProps) {
  const name = useSignal("");
  // Most keys are those of programs that upload.
  const role = useSignal<string>(source.roles.includes("user") ? "user" : (source.roles[0] ?? ""));
  const expiry = useSignal("never");
  const day = useSignal("");
  const created = useSignal<ApiKey | null>(null);

  const create = async () => {
    const expires_at = expiry.value === "date" ? endOf(day.value) : null;
    const ofRole = source.roles.find((candidate) => candidate === role.value);
    const key = await source.add({ name: name.value, expires_at, ...(ofRole && { role: ofRole }) });
    // The list, unlike this response, never has the secret.
    const { key: _secret, ...listed } = key;
    onAdd(listed);
    created.value = key;
  };

  if (created.value) return <Created apiKey={created.value} source={source} onClose={onClose} />;
  return (
    <FormDialog
      title={source.create}
      submit="Create"
      onSubmit={create}
      // The created key takes the place of the fields.
      onClose={() => created.value ?? onClose()}
    >
      <TextField name="name" label="Name" value={name} autofocus hint="What uses it: a program, a server, a person." />
      {source.roles.length > 0 && (
        <SelectField name="role" label="Role" value={role} options={source.roles.map((key) => [key, ROLE_LABELS[key]])} />
      )}
      <SelectField name="expires" label="Expires" value={expiry} options={EXPIRIES} />
      {expiry.value === "date" && <TextField name="expires_at" label="Last day" type="date" value={day} />}
    </FormDialog>
  );
}

/** Returns the end of a day in the time zone of the browser. */
function endOf(day: string): string {
  // Without a day, the service would create a key that never expires.
  const text = "Choose the last day of the key.";
  if (!day) throw new LarderError(text, INVALID, null, { expires_at: [text] });
  return new Date(`${day}T23:59:59`).toISOString();
}

/** The secret, and code that uses it as it is. */
function Created({ apiKey, source, onClose }: { apiKey: ApiKey; source: KeySource; onClose: () => void }) {
  const { name, key, role } = apiKey;
  const secret = key ?? "";
  return (
    <Dialog
      title={
        <>
          New key “<bdi>{name}</bdi>” — copy it now, it is shown once
        </>
      }
      onClose={onClose}
    >
      <Snippets codes={{ Key: secret, ...snippetsOf(secret, source.space.handle, role === "viewer") }} />
      <div class="actions">
        <button onClick={onClose}>Done</button>
      </div>
    </Dialog>
  );
}
