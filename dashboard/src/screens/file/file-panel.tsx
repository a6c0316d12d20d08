// The panel of a file: its picture, and what can be done with it.
//
// - It loads the whole record. The list beside it is notified of changes.
// - While a file is processed, it is loaded again until that ends.

import { useSignal } from "@preact/signals";
import type { LarderError } from "larder";
import { getFile, type FileRecord } from "larder/api";
import { useEffect, useId, useMemo, useRef } from "preact/hooks";

import { client, dataOf } from "../../api.ts";
import { attempt } from "../../parts/errors.ts";
import { Icon } from "../../parts/icons.tsx";
import { Failure, useLoad } from "../../parts/load.tsx";
import { usePoll } from "../../parts/poll.ts";
import { Tabs } from "../../parts/tabs.tsx";
import { space } from "../../state.ts";
import { AccessTab } from "./access.tsx";
import { Details } from "./details.tsx";
import { Preview } from "./preview.tsx";
import { DeleteButton, Trashed } from "./removal.tsx";
import { isPublicOnceCreated, isTransformable, useRendition } from "./rendition.ts";
import { ReplaceDialog } from "./replace.tsx";
import { whyFixed } from "./rights.ts";
import type { Size } from "./snippets.ts";
import { transformationOf } from "./transformation.ts";
import { Use } from "./use.tsx";

/** Interval and maximum number of the requests while a file is processed. */
const POLL_INTERVAL_MS = 2000;
const MAX_POLLS = 30;
/** Maximum size of an original that is shown: 8 MB. */
const MAX_ORIGINAL_BYTES = 8 << 20;
const GONE: readonly number[] = [403, 404];

interface FilePanelProps {
  id: string;
  onClose: () => void;
  onChanged: (record: FileRecord) => void;
  onDeleted: (id: string) => void;
}

/** The panel beside the list. The focus begins at its heading, and Escape closes it. */
export function FilePanel({ id, onClose, onChanged, onDeleted }: FilePanelProps) {
  const headingId = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const load = (signal?: AbortSignal) =>
    dataOf(getFile({ client, path: { id }, ...(signal && { signal }), throwOnError: true }));
  const loaded = useLoad(load, [id]);
  useEffect(() => heading.current?.focus(), []);

  const data = loaded.data.value;
  const isForeign = data !== null && data.space_id !== space.value?.id;
  const record = data?.id === id && !isForeign ? data : null;

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
  const reload = () => attempt(async () => change(await load()));
  usePolling(record, (polled) => (polled.processing.status === "pending" ? loaded.set : change)(polled));

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
      {record?.status === "trashed" ? (
        <Trashed key={id} record={record} onChanged={change} onDeleted={onDeleted} />
      ) : record ? (
        <Content key={id} record={record} onChanged={change} onDeleted={onDeleted} reload={reload} />
      ) : (
        <div class="panel-body">
          <Missing error={loaded.error.value} isForeign={isForeign} retry={loaded.reload} />
        </div>
      )}
    </section>
  );
}

/** What is shown until there is a file, or because there is none. */
function Missing({ error, isForeign, retry }: { error: LarderError | null; isForeign: boolean; retry: () => void }) {
  if (isForeign) return <p class="problem">This file belongs to another space.</p>;
  if (!error) return <div class="loading" role="status" aria-label="Loading" />;
  if (!GONE.includes(error.status)) return <Failure error={error} retry={retry} />;
  return (
    <p class="problem" role="alert">
      This file is gone: it was deleted, or your key has no access to its space.
    </p>
  );
}

/** Loads a file again while it is processed. A request that fails is repeated too. */
function usePolling(record: FileRecord | null, onLoaded: (record: FileRecord) => void): void {
  const polls = useSignal(0);
  const latest = useRef(record);
  latest.current = record;
  const isPending = record?.processing.status === "pending";
  const isActive = isPending && polls.value < MAX_POLLS;
  useEffect(() => {
    if (!isPending) polls.value = 0;
  }, [isPending]);
  const poll = async () => {
    const { current: before } = latest;
    if (!before) return;
    polls.value += 1;
    const loading = dataOf(getFile({ client, path: { id: before.id }, throwOnError: true }));
    const polled = await loading.catch(() => null);
    // A change that was saved in the meantime is newer.
    if (polled && latest.current === before) onLoaded(polled);
  };
  usePoll(poll, POLL_INTERVAL_MS, isActive);
}

interface ContentProps {
  record: FileRecord;
  onChanged: (record: FileRecord) => void;
  onDeleted: (id: string) => void;
  reload: () => Promise<void>;
}

function Content({ record, onChanged, onDeleted, reload }: ContentProps) {
  const tab = useSignal("Use");
  const size = useSignal<Size | null>(null);
  const replacing = useSignal<{ file?: File } | null>(null);
  const tried = useMemo(() => transformationOf(record), []);
  const hasPreview = record.resource_type === "image" && record.size <= MAX_ORIGINAL_BYTES;
  const shownAs = isTransformable(record) && !isPublicOnceCreated(record) ? tried.parameters.value : null;
  const shown = useRendition(record, shownAs ?? (hasPreview ? {} : null));
  const reason = whyFixed(record) ?? (record.status === "active" ? undefined : "The file is pending.");

  return (
    <>
      <Preview
        record={record}
        shown={shown}
        onSize={(measured) => (size.value = measured)}
        onDrop={reason ? undefined : (file) => (replacing.value = { file })}
      />
      <div class="panel-body">
        <Tabs label="File" names={["Use", "Details", "Access"]} selected={tab}>
          <div class="panel-tab">
            {tab.value === "Use" && <Use record={record} tried={tried} shown={shown} size={size} />}
            {tab.value === "Details" && <Details record={record} onChanged={onChanged} />}
            {tab.value === "Access" && <AccessTab record={record} onChanged={onChanged} />}
          </div>
        </Tabs>
        <div class="panel-end actions start">
          <button disabled={Boolean(reason)} title={reason} onClick={() => (replacing.value = {})}>
            Replace…
          </button>
          <DeleteButton record={record} onDeleted={onDeleted} />
        </div>
      </div>
      {replacing.value && (
        <ReplaceDialog
          record={record}
          dropped={replacing.value.file}
          onReplaced={reload}
          onClose={() => (replacing.value = null)}
        />
      )}
    </>
  );
}
