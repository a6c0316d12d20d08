// The fields of a file that can be changed, as a form, and what the service knows about it.
//
// - Only fields that differ from those that the form began with are sent, so that other changes in the meantime stay.
// - The fields of the form stay while the file is loaded again. Tags alone follow: the service adds some by itself.

import { useSignal, type Signal } from "@preact/signals";
import { updateFile, type FileRecord, type UpdateFileData } from "larder/api";
import { useEffect, useRef } from "preact/hooks";

import { client, dataOf } from "../../api.ts";
import { ROOT } from "../../parts/folder-data.ts";
import { Form, TextField } from "../../parts/form.tsx";
import { toast } from "../../parts/status.tsx";
import { TagsField, withTyped } from "../../parts/tags.tsx";
import { can } from "../../state.ts";
import { Attempts } from "./attempts.tsx";
import { Facts } from "./facts.tsx";
import { FolderDialog, FolderField, type Chosen } from "./folder-field.tsx";
import { MetadataField, metadataOf, rowsOf, type Row } from "./metadata.tsx";
import { whyFixed } from "./rights.ts";

type Changes = NonNullable<UpdateFileData["body"]>;

interface DetailsProps {
  record: FileRecord;
  onChanged: (record: FileRecord) => void;
}

/** The form of a file, and the facts about it. */
export function Details({ record, onChanged }: DetailsProps) {
  return (
    <>
      <Editor record={record} onChanged={onChanged} />
      <Facts record={record} />
      {can("admin") && <Attempts record={record} />}
    </>
  );
}

function Editor({ record, onChanged }: DetailsProps) {
  const saved = useRef(record);
  const name = useSignal(record.original_name);
  const title = useSignal(record.title ?? "");
  const alt = useSignal(record.alt ?? "");
  const ref = useSignal(record.ref ?? "");
  const tags = useSignal<readonly string[]>(record.tags);
  const typed = useSignal("");
  const rows = useSignal<readonly Row[]>(rowsOf(record.metadata));
  const folder = useSignal<Chosen>({ id: record.folder_id, path: record.folder_path });
  const isChoosing = useSignal(false);
  const reason = whyFixed(record);
  useNewTags(record, saved, tags);

  const save = async () => {
    const wanted: Changes = {
      original_name: name.value,
      title: title.value || null,
      alt: alt.value || null,
      ref: ref.value || null,
      tags: withTyped({ tags, typed }),
      folder_id: folder.value.id,
      metadata: metadataOf(rows.value),
    };
    const body = differencesOf(saved.current, wanted);
    if (body.folder_id === null) body.folder_id = ROOT;
    const changed = await dataOf(updateFile({ client, path: { id: record.id }, body, throwOnError: true }));
    saved.current = changed;
    typed.value = "";
    tags.value = changed.tags;
    rows.value = rowsOf(changed.metadata);
    onChanged(changed);
    toast("The changes were saved.");
  };

  return (
    <>
      <Form onSubmit={save}>
        <fieldset class="form" disabled={Boolean(reason)}>
          {reason && <p class="hint">{reason}</p>}
          <TextField name="original_name" label="Name" value={name} />
          <TextField name="title" label="Title" value={title} />
          {record.resource_type === "image" && (
            <TextField
              name="alt"
              label="Alternative text"
              value={alt}
              hint="Says what the image shows, for those who cannot see it."
            />
          )}
          <TagsField tags={tags} typed={typed} />
          <FolderField folder={folder} onOpen={() => (isChoosing.value = true)} />
          <TextField name="ref" label="Reference" value={ref} hint="Your own id, to find the file by." />
          <MetadataField rows={rows} />
          <div class="actions start">
            <button class="primary">Save</button>
          </div>
        </fieldset>
      </Form>
      {isChoosing.value && <FolderDialog folder={folder} onClose={() => (isChoosing.value = false)} />}
    </>
  );
}

/** Takes over tags that were added or removed since the file was loaded first. */
function useNewTags(record: FileRecord, saved: { current: FileRecord }, tags: Signal<readonly string[]>): void {
  useEffect(() => {
    const before = saved.current.tags;
    const added = record.tags.filter((tag) => !before.includes(tag));
    const kept = tags.value.filter((tag) => record.tags.includes(tag) || !before.includes(tag));
    saved.current = { ...saved.current, tags: record.tags };
    tags.value = [...new Set([...kept, ...added])];
  }, [record]);
}

/** Returns the fields that differ from those of a file. */
function differencesOf(record: FileRecord, wanted: Changes): Changes {
  const current: Changes = record;
  const names = Object.keys(wanted) as (keyof Changes)[];
  const different = names.filter((name) => jsonOf(wanted[name]) !== jsonOf(current[name]));
  return Object.fromEntries(different.map((name) => [name, wanted[name]]));
}

/** Returns a value as JSON, whatever the order of its keys. */
function jsonOf(value: unknown): string {
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
  return JSON.stringify(isObject ? Object.entries(value).sort() : value);
}
