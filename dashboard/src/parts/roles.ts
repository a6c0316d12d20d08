// What controls say if the caller has not the role that they need.

import type { Role } from "larder/api";

import { can, space } from "../state.ts";

/** Returns why the caller cannot do what needs a role, or undefined if it can. */
export function needs(role: Role): string | undefined {
  return can(role) ? undefined : `This needs the role ${role}. Yours is ${space.value?.role ?? "unknown"}.`;
}

/** Returns the attributes of a control that needs a role. */
export function unless(role: Role): { disabled?: boolean; title?: string } {
  const title = needs(role);
  return title ? { disabled: true, title } : {};
}
