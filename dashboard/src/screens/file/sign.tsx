// The button that signs a URL, which then opens for everyone who has it until it expires.

import { useSignal } from "@preact/signals";
import type { Transformation } from "larder";
import { signFileUrl, type FileRecord, type SignedUrl } from "larder/api";
import { useEffect, useId, useRef } from "preact/hooks";

import { client, dataOf } from "../../api.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { copy, CopyButton } from "../../parts/copy.tsx";
import { time } from "../../parts/format.ts";
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

  const sign = async (minutes: number) => {
    const body = { ...bodyOf(t), expiration_minutes: minutes };
    signed.value = await dataOf(signFileUrl({ client, path: { id: record.id }, body, throwOnError: true }));
    return signed.value.url ?? "";
  };
  const signAndCopy = (label: string, minutes: number) => {
    popover.current?.hidePopover();
    return copy(sign(minutes), `Copied. The URL is valid for ${label}.`);
  };

  return (
    <div class="sign">
      <button type="button" class="primary" popovertarget={id}>
        Sign
      </button>
      <span class="hint">A signed URL opens for everyone who has it, until it expires.</span>
      <div id={id} ref={popover} popover="auto" class="popover" role="group" aria-label="Valid for">
        {VALIDITIES.map(([label, minutes]) => (
          <ActionButton key={label} action={() => signAndCopy(label, minutes)}>
            {label}
          </ActionButton>
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
