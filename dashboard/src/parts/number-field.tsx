// A field of a number that may be invalid.

import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";

import { Field } from "./form.tsx";

interface NumberProps {
  name: string;
  label: string;
  value: Signal<string>;
  hint?: ComponentChildren;
  placeholder?: string;
}

/** Returns the number of a field. What is none is returned as it is, for the service to reject. */
export function numberOf({ value }: Signal<string>): number | null {
  const trimmed = value.trim();
  if (trimmed === "") return null;
  const number = Number(trimmed);
  return Number.isFinite(number) ? number : (trimmed as unknown as number);
}

/** A number. It is a text to the browser, which would silently drop what is no number. */
export function NumberField({ name, label, value, hint, placeholder }: NumberProps) {
  return (
    <Field name={name} label={label} hint={hint}>
      {(attributes) => (
        <input
          {...attributes}
          inputMode="decimal"
          placeholder={placeholder}
          autocomplete="off"
          value={value.value}
          onInput={(event) => (value.value = event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
