// The panel of a file: its picture, and what can be done with it.
//
// - It loads the whole record. What it changes is told to the list beside it.
// - While a file is processed, it is loaded again until that ends.

import { useSignal } from "@preact/signals";
import type { LarderError } from "larder";
import { deleteFile, getFile, type FileRecord } from "larder/api";
import { useEffect, useId, useMemo, useRef } from "preact/hooks";

import { client, dataOf } from "../../api.ts";
import { ask } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icons.tsx";
import { Failure, useLoad } from "../../parts/load.tsx";
import { toast } from "../../parts/status.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { AccessTab } from "./access.tsx";
import { Details } from "./details.tsx";
import { Preview } from "./preview.tsx";
import { isTransformable, useRendition } from "./rendition.ts";
import { whyFixed } from "./rights.ts";
import type { Size } from "./snippets.ts";
import { transformationOf } from "./transformation.ts";
import { Use } from "./use.tsx";

/** Interval and maximum number of the requests while a file is processed. */
const POLL_INTERVAL_MS = 2000;
const MAX_POLLS = 30;
const GONE: readonly number[] = [403, 404];

interface FilePanelProps {
  id: string;
  onClose: () => void;
  onChanged: (record: FileRecord) => void;
  onDeleted: (id: string) => void;
}

/** The panel of a file. */
export function FilePanel({ id, onClose, onChanged, onDeleted }: FilePanelProps) {
  const headingId = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const loaded = useLoad((signal) => dataOf(getFile({ client, path: { id }, signal, throwOnError: true })), [id]);
  useEffect(() => heading.current?.focus(), []);

  const data = loaded.data.value;
  const record = data?.id === id ? data : null;
  usePolling(record, loaded.reload, onChanged);

  const close = (event: KeyboardEvent) => {
    const isInDialog = event.target instanceof Element && event.target.closest("dialog, [popover]");
    if (event.key !== "Escape" || isInDialog || event.defaultPrevented) return;
    event.stopPropagation();
    onClose();
  };
  const change = (changed: FileRecord) => {
    loaded.set(changed);
    onChanged(changed);
  };

  return (
    <section class="panel" aria-labelledby={headingId} onKeyDown={close}>
      <header>
        <h2 id={headingId} ref={heading} tabIndex={-1}>
          <bdi title={record?.original_name}>{record?.original_name ?? "File"}</bdi>
        </h2>
        <button class="plain" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {record ? (
        <Content key={id} record={record} onChanged={change} onDeleted={onDeleted} />
      ) : (
        <div class="panel-body">
          <Missing error={loaded.error.value} retry={loaded.reload} />
        </div>
      )}
    </section>
  );
}

/** What is shown until there is a file, or because there is none. */
function Missing({ error, retry }: { error: LarderError | null; retry: () => void }) {
  if (!error) return <div class="loading" role="status" aria-label="Loading" />;
  if (!GONE.includes(error.status)) return <Failure error={error} retry={retry} />;
  return (
    <p class="problem" role="alert">
      This file is gone: it was deleted, or your key has no access to its space.
    </p>
  );
}

/** Loads a file again while it is processed, and tells when that has ended. */
function usePolling(record: FileRecord | null, reload: () => void, onChanged: (record: FileRecord) => void): void {
  const polls = useRef(0);
  const status = record?.processing.status;
  useEffect(() => {
    if (record && status !== "pending" && polls.current > 0) {
      polls.current = 0;
      onChanged(record);
    }
    if (status !== "pending" || polls.current >= MAX_POLLS) return;
    const timer = setTimeout(() => {
      polls.current += 1;
      reload();
    }, POLL_INTERVAL_MS);
    return () => clearTimeout(timer);
  }, [record]);
}

interface ContentProps {
  record: FileRecord;
  onChanged: (record: FileRecord) => void;
  onDeleted: (id: string) => void;
}

function Content({ record, onChanged, onDeleted }: ContentProps) {
  const tab = useSignal("Use");
  const size = useSignal<Size | null>(null);
  const tried = useMemo(() => transformationOf(record), []);
  const t = isTransformable(record) ? tried.parameters.value : null;
  const shown = useRendition(record, t ?? (record.resource_type === "image" ? {} : null));

  return (
    <>
      <Preview record={record} shown={shown} onSize={(measured) => (size.value = measured)} />
      <div class="panel-body">
        <Tabs label="File" names={["Use", "Details", "Access"]} selected={tab}>
          <div class="panel-tab">
            {tab.value === "Use" && <Use record={record} tried={tried} shown={shown} size={size} />}
            {tab.value === "Details" && <Details record={record} onChanged={onChanged} />}
            {tab.value === "Access" && <AccessTab record={record} onChanged={onChanged} />}
          </div>
        </Tabs>
        <Deletion record={record} onDeleted={onDeleted} />
      </div>
    </>
  );
}

function Deletion({ record, onDeleted }: Pick<ContentProps, "record" | "onDeleted">) {
  const { id, original_name: name } = record;
  const reason = whyFixed(record);
  const remove = async () => {
    await deleteFile({ client, path: { id }, throwOnError: true });
    toast(`${name} was deleted.`);
    onDeleted(id);
  };
  const askToDelete = () =>
    ask({
      title: "Delete this file?",
      text: (
        <>
          <bdi class="strong">{name}</bdi> disappears at once, also from pages that show it. It cannot be restored.
        </>
      ),
      action: "Delete",
      run: remove,
    });
  return (
    <div class="panel-end">
      <button class="danger" disabled={reason !== ""} title={reason || undefined} onClick={askToDelete}>
        Delete
      </button>
    </div>
  );
}
