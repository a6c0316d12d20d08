// Who can load a file: what is in force, where it comes from, and what is set on the file itself.

import { useSignal } from "@preact/signals";
import {
  getFolder,
  resetFileAccessControl,
  setFileAccessControl,
  updateFile,
  type DeliveryType,
  type FileRecord,
} from "larder/api";
import { useRef } from "preact/hooks";

import { client, dataOf } from "../../api.ts";
import { Form, RadioField, type Options } from "../../parts/form.tsx";
import { useLoad } from "../../parts/load.tsx";
import { Locked } from "../../parts/section.tsx";
import { toast } from "../../parts/status.tsx";
import { href } from "../../router.ts";
import { isProtected } from "./rendition.ts";

const TYPES: Options = [
  ["upload", "Upload: open to everyone, unless a setting closes it."],
  ["private", "Private: the original needs a signature. A size that exists is public."],
  ["authenticated", "Authenticated: every request needs a signature or a key."],
];
const SETTINGS: Options = [
  ["inherit", "Inherit from the folder or the space"],
  ["closed", "Requires authentication"],
  ["open", "Public"],
];

interface AccessProps {
  record: FileRecord;
  onChanged: (record: FileRecord) => void;
}

/** Returns the option of what is set on the file itself. */
function settingOf({ access_control: { setting } }: FileRecord): string {
  if (setting === null) return "inherit";
  return setting ? "closed" : "open";
}

/** What is in force for a file, and a form for what is set on the file itself. */
export function AccessTab({ record, onChanged }: AccessProps) {
  return (
    <>
      <Effective record={record} />
      <Editor record={record} onChanged={onChanged} />
    </>
  );
}

function Effective({ record }: { record: FileRecord }) {
  const isOriginalOnly = isByType(record) && record.type === "private";
  const closed = `${isOriginalOnly ? "The original needs" : "Requests need"} a signed URL or an API key.`;
  return (
    <div class="effective">
      <p>
        <b>{isProtected(record) ? closed : "Everyone who knows the URL can load this file."}</b>
      </p>
      <p class="hint">
        <Source record={record} />
      </p>
    </div>
  );
}

/** Whether the delivery type decides: the source is then the file, which has no setting itself, or its config. */
function isByType({ access_control: { source, setting } }: FileRecord): boolean {
  return source === "upload_config" || (source === "direct" && setting === null);
}

/** Says where the access comes from. */
function Source({ record }: { record: FileRecord }) {
  const { type, access_control: access } = record;
  if (isByType(record)) return <>This comes from the delivery type of the file: {type}.</>;
  if (access.source === "folder") return <FolderSource id={access.inherited_from} />;
  if (access.source === "direct") return <>This is set on the file itself.</>;
  return (
    <>
      This comes from <a href={href({ screen: "access" })}>the default of the space</a>.
    </>
  );
}

function FolderSource({ id }: { id: string }) {
  const loaded = useLoad((signal) => dataOf(getFolder({ client, path: { id }, signal, throwOnError: true })), [id]);
  return (
    <>
      This comes from the folder{" "}
      <a href={href({ screen: "files", query: { folder: id } })}>
        <bdi>{loaded.data.value?.path ?? id}</bdi>
      </a>
      .
    </>
  );
}

function Editor({ record, onChanged }: AccessProps) {
  // What the form began with: the record is loaded again while the file is processed.
  const saved = useRef(record);
  const type = useSignal<string>(record.type);
  const setting = useSignal(settingOf(record));

  const change = (changed: FileRecord) => {
    saved.current = changed;
    onChanged(changed);
  };
  const save = async () => {
    const path = { id: record.id };
    if (type.value !== saved.current.type) {
      const body = { type: type.value as DeliveryType };
      change(await dataOf(updateFile({ client, path, body, throwOnError: true })));
    }
    if (setting.value !== settingOf(saved.current)) {
      const body = { access_control: { requires_auth: setting.value === "closed" } };
      const isInherited = setting.value === "inherit";
      const call = isInherited
        ? resetFileAccessControl({ client, path, throwOnError: true })
        : setFileAccessControl({ client, path, body, throwOnError: true });
      change(await dataOf(call));
    }
    toast("The access was saved.");
  };

  return (
    <Form onSubmit={save}>
      <Locked role="admin">
        <RadioField name="type" label="Delivery type" value={type} options={TYPES} />
        <RadioField name="access_control" label="Setting of this file" value={setting} options={SETTINGS} />
        <div class="actions start">
          <button class="primary">Save</button>
        </div>
      </Locked>
    </Form>
  );
}
