// A secret of the space that its owner reads and replaces.
//
// - It is requested when it is revealed, and forgotten when it is hidden.

import { useSignal } from "@preact/signals";

import { ActionButton } from "../../parts/action-button.tsx";
import { CopyButton } from "../../parts/copy.tsx";
import { FormDialog } from "../../parts/dialog.tsx";
import { CheckField } from "../../parts/form.tsx";
import { time } from "../../parts/format.ts";
import { Locked, Section } from "../../parts/section.tsx";
import { toast } from "../../parts/status.tsx";

interface Value {
  secret: string;
  /** Id of the secret, if it has one. */
  kid?: string;
}

/** A secret, and the one that it replaced as long as that is valid. */
export interface Secret extends Value {
  previous: (Value & { expires_at: string }) | null;
}

interface SecretProps {
  title: string;
  hint: string;
  /** What a rotation does to the previous secret. */
  consequence: string;
  /** Whether a rotation can end the previous secret at once. */
  canEnd?: boolean;
  load: () => Promise<Secret>;
  rotate: (isImmediate: boolean) => Promise<Secret>;
}

/** The section of a secret. */
export function SecretSection({ title, hint, load, ...rotation }: SecretProps) {
  const shown = useSignal<Secret | null>(null);
  const isRotating = useSignal(false);
  const reveal = async () => {
    shown.value = await load();
  };
  const secret = shown.value;

  return (
    <Section title={title} hint={hint}>
      <Locked role="owner">
        {secret && <Values secret={secret} />}
        <div class="actions start">
          {secret ? (
            <>
              <CopyButton text={secret.secret} isPrimary />
              <button type="button" onClick={() => (shown.value = null)}>
                Hide
              </button>
            </>
          ) : (
            <ActionButton action={reveal}>Reveal</ActionButton>
          )}
          <button type="button" onClick={() => (isRotating.value = true)}>
            Rotate
          </button>
        </div>
      </Locked>
      {isRotating.value && (
        <Rotation
          {...rotation}
          title={title}
          onRotated={(rotated) => (shown.value = rotated)}
          onClose={() => (isRotating.value = false)}
        />
      )}
    </Section>
  );
}

function Values({ secret }: { secret: Secret }) {
  const { kid, previous } = secret;
  return (
    <dl class="values stacked" aria-live="polite">
      <dt>Secret</dt>
      <dd class="mono">{secret.secret}</dd>
      {kid && (
        <>
          <dt>
            Id (<code>kid</code>)
          </dt>
          <dd class="mono">{kid}</dd>
        </>
      )}
      {previous && (
        <>
          <dt>Previous, until {time(previous.expires_at)}</dt>
          <dd class="mono">
            {previous.secret}
            {previous.kid && ` (${previous.kid})`}
          </dd>
        </>
      )}
    </dl>
  );
}

type RotationProps = Pick<SecretProps, "title" | "consequence" | "canEnd" | "rotate"> & {
  onRotated: (secret: Secret) => void;
  onClose: () => void;
};

function Rotation({ title, consequence, canEnd, rotate, onRotated, onClose }: RotationProps) {
  const isImmediate = useSignal(false);
  const send = async () => {
    onRotated(await rotate(isImmediate.value));
    toast(`There is a new ${title.toLowerCase()}.`);
  };
  return (
    <FormDialog title={`Replace the ${title.toLowerCase()}?`} submit="Rotate" isDestructive onSubmit={send} onClose={onClose}>
      <p>{consequence}</p>
      {canEnd && (
        <CheckField
          name="immediate"
          label="End the previous one at once"
          hint="All URLs that were signed with it stop working."
          value={isImmediate}
        />
      )}
    </FormDialog>
  );
}
