// What the service knows about a file, as a list of names and values. Facts without a value are left out.

import type { ComponentChildren } from "preact";
import type { FileRecord } from "larder/api";

import { bytes, count, time } from "../../parts/format.ts";
import { href } from "../../router.ts";
import { isOwn } from "./rights.ts";

type Fact = readonly [name: string, value: ComponentChildren];

/** A section of a file's facts, with the reason if its processing failed. */
export function Facts({ record }: { record: FileRecord }) {
  const { processing, storage_meta: meta } = record;
  const exif = Object.entries(meta.exif ?? {});
  return (
    <section class="facts">
      <h3>About this file</h3>
      {processing.status === "failed" && (
        <p class="problem">It could not be processed: {processing.error ?? "the reason is unknown"}</p>
      )}
      <List facts={factsOf(record)} />
      {exif.length > 0 && (
        <details>
          <summary>EXIF, {count(exif.length)} fields</summary>
          <List facts={exif.map(([name, value]) => [name, <bdi>{String(value)}</bdi>])} />
        </details>
      )}
    </section>
  );
}

function List({ facts }: { facts: readonly Fact[] }) {
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== false);
  return (
    <dl>
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const STATUSES = { active: "", pending: "Pending: the upload is not confirmed yet", trashed: "In the trash" } as const;

function factsOf(record: FileRecord): Fact[] {
  const { storage_meta: meta, processing } = record;
  const states = { pending: "In progress", completed: "Completed", failed: "Failed" } as const;
  return [
    ["Type", record.mime_type],
    ["Size", `${bytes(record.size)} (${count(record.size)} bytes)`],
    ["Dimensions", meta.width && meta.height && `${meta.width} × ${meta.height}`],
    ["Duration", meta.duration && `${Math.round(meta.duration)} s`],
    ["Pages or frames", (meta.pages ?? 0) > 1 && count(meta.pages ?? 0)],
    ["Transparency", meta.has_alpha && "Yes"],
    ["Color", meta.dominant_color && <code>{meta.dominant_color}</code>],
    ["Status", STATUSES[record.status]],
    ["Processing", states[processing.status]],
    ["Created", time(record.created_at)],
    ["Changed", time(record.updated_at)],
    ["Uploaded by", uploaderOf(record)],
    ["Upload config", configOf(record)],
    ["Id", <code>{record.id}</code>],
    ["Path", <code>{record.storage_path}</code>],
    ["SHA-256", record.checksum_sha256 && <code>{record.checksum_sha256}</code>],
  ];
}

function uploaderOf(record: FileRecord): ComponentChildren {
  const { uploaded_by: uploader } = record;
  if (isOwn(record)) return "You";
  if (uploader.type === "signed_url") return "A signed upload URL";
  if (uploader.type === "unsigned") return "A page, without a key";
  return (
    <>
      {uploader.type === "user" ? "User" : "Key"} <code>{uploader.id}</code>
    </>
  );
}

function configOf({ upload_config_id: id }: FileRecord): ComponentChildren {
  return (
    <a href={href({ screen: "upload-configs", query: { config: id } })}>
      <code>{id}</code>
    </a>
  );
}
