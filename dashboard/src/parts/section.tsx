// Parts of the screens that configure a space: titled sections, and controls that need a role.

import type { Role } from "larder/api";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

import { needs } from "./roles.ts";

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
  const reason = needs(role);
  return (
    <fieldset class="form" disabled={Boolean(reason)} title={reason}>
      {children}
      {reason && <p class="hint">{reason}</p>}
    </fieldset>
  );
}
