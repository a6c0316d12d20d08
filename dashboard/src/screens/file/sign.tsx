// The button that signs a URL, which then opens for everyone who has it until it expires.

import { useSignal } from "@preact/signals";
import type { Transformation } from "larder";
import { signFileUrl, type FileRecord, type SignedUrl } from "larder/api";
import { useEffect, useId, useRef } from "preact/hooks";

import { client, dataOf, errorOf } from "../../api.ts";
import { copy, CopyButton } from "../../parts/copy.tsx";
import { time } from "../../parts/format.ts";
import { toast } from "../../parts/status.tsx";
import { bodyOf } from "./transformation.ts";

/** Minutes by the words for them. */
const VALIDITIES: readonly (readonly [label: string, minutes: number])[] = [
  ["1 hour", 60],
  ["1 day", 1440],
];

/** Signs the URL of a file with a transformation, copies it and shows it. */
export function Sign({ record, t }: { record: FileRecord; t: Transformation }) {
  const id = useId();
  const popover = useRef<HTMLDivElement>(null);
  const signed = useSignal<SignedUrl | null>(null);
  useEffect(() => {
    signed.value = null;
  }, [record.id, JSON.stringify(t)]);

  const sign = async (label: string, minutes: number) => {
    popover.current?.hidePopover();
    try {
      const body = { ...bodyOf(t), expiration_minutes: minutes };
      const result = await dataOf(signFileUrl({ client, path: { id: record.id }, body, throwOnError: true }));
      signed.value = result;
      await copy(result.url ?? "", `Copied. The URL is valid for ${label}.`);
    } catch (cause) {
      const { message, errors } = errorOf(cause);
      toast(`The URL was not signed. ${Object.values(errors).flat().join(" ") || message}`, { isError: true });
    }
  };

  return (
    <div class="sign">
      <button type="button" class="primary" popovertarget={id}>
        Sign
      </button>
      <span class="hint">A signed URL opens for everyone who has it, until it expires.</span>
      <div id={id} ref={popover} popover="auto" class="popover" role="group" aria-label="Valid for">
        {VALIDITIES.map(([label, minutes]) => (
          <button key={label} type="button" onClick={() => sign(label, minutes)}>
            {label}
          </button>
        ))}
      </div>
      {signed.value?.url && (
        <div class="signed">
          <pre tabIndex={0}>{signed.value.url}</pre>
          <div class="actions start">
            <CopyButton text={signed.value.url} />
            <small>Valid until {time(signed.value.expires_at)}</small>
          </div>
        </div>
      )}
    </div>
  );
}
