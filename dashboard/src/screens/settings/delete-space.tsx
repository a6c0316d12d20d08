// The deletion of the space.
//
// - The caller types the handle. A space with files is deleted after a second confirmation only.

import { useSignal } from "@preact/signals";
import { LarderError } from "larder";
import { deleteSpace, type SpaceSummary } from "larder/api";

import { client, errorOf } from "../../api.ts";
import { FormDialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/form.tsx";
import { Locked, Section } from "../../parts/section.tsx";
import { toast } from "../../parts/status.tsx";
import { replace } from "../../router.ts";
import { endSession } from "../../session.ts";
import { isUser, loadState, space, spaces } from "../../state.ts";

const CONFLICT = 409;
const UNPROCESSABLE = 422;

/** The section that deletes the space. */
export function DeleteSection({ current }: { current: SpaceSummary }) {
  const isAsking = useSignal(false);
  return (
    <Section
      title="Delete this space"
      hint="Its API keys and upload configs go with it, and its handle is never used again. This cannot be undone."
    >
      <Locked role="owner">
        <div class="actions start">
          <button type="button" class="danger" onClick={() => (isAsking.value = true)}>
            Delete space
          </button>
        </div>
      </Locked>
      {isAsking.value && <Question current={current} onClose={() => (isAsking.value = false)} />}
    </Section>
  );
}

function Question({ current, onClose }: { current: SpaceSummary; onClose: () => void }) {
  const { id, name, handle } = current;
  const typed = useSignal("");
  /** Whether the space has files or folders, which are deleted if the caller confirms again. */
  const isFull = useSignal(false);

  const send = async () => {
    if (typed.value.trim() !== handle) {
      const text = `Type ${handle}, the handle of this space.`;
      throw new LarderError(text, UNPROCESSABLE, null, { handle: [text] });
    }
    try {
      await deleteSpace({ client, query: { id, ...(isFull.value && { force: true }) }, throwOnError: true });
    } catch (cause) {
      const error = errorOf(cause);
      if (error.status !== CONFLICT || isFull.value) throw error;
      isFull.value = true;
      throw new LarderError("The space is not empty: it has files or folders. Delete everything in it, too?", CONFLICT);
    }
    await leave(current);
  };

  return (
    <FormDialog
      title={`Delete ${name}?`}
      submit={isFull.value ? "Delete with everything in it" : "Delete"}
      isDestructive
      onSubmit={send}
      onClose={onClose}
    >
      <p>
        URLs of its files stop working, and its keys are rejected from now on. To confirm, type the handle{" "}
        <b class="mono">{handle}</b>.
      </p>
      <TextField name="handle" label="Handle" value={typed} />
    </FormDialog>
  );
}

/** Continues in another space. A key of the deleted space ended with it. */
async function leave({ id, name }: SpaceSummary): Promise<void> {
  if (!isUser.value) return endSession(`The space ${name} was deleted, and this key with it.`);
  // Before the list of spaces changes, because an address with an unknown space is reported.
  spaces.value = spaces.value.filter((known) => known.id !== id);
  replace({ handle: space.value?.handle ?? "", screen: "files" });
  await loadState();
  toast(`${name} was deleted.`);
}
