// Parts of the screens that configure a space: titled sections, and controls that need a role.

import type { Role } from "larder/api";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

import { errorOf } from "../../api.ts";
import { toast } from "../../parts/status.tsx";
import { can, space } from "../../state.ts";

interface SectionProps {
  title: string;
  hint?: ComponentChildren;
  children?: ComponentChildren;
}

/** A region of a screen, named by its title. */
export function Section({ title, hint, children }: SectionProps) {
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {hint && <p class="hint">{hint}</p>}
      {children}
    </section>
  );
}

/** Controls that are disabled, and say why, unless the caller has a role. */
export function Locked({ role, children }: { role: Role; children: ComponentChildren }) {
  const isAllowed = can(role);
  const reason = isAllowed ? undefined : `This needs the role ${role}. Yours is ${space.value?.role ?? "unknown"}.`;
  return (
    <fieldset class="form" disabled={!isAllowed} title={reason}>
      {children}
      {reason && <p class="hint">{reason}</p>}
    </fieldset>
  );
}

/** Runs something that a button starts. A failure appears as a message. */
export async function attempt(task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (cause) {
    toast(errorOf(cause).message, { isError: true });
  }
}
