// Fields that only this form has: numbers that may be invalid, and lists of words.

import { useSignal, type Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

import { Field } from "../../parts/form.tsx";
import { Icon } from "../../parts/icons.tsx";
import { announce } from "../../parts/status.tsx";

interface NumberProps {
  name: string;
  label: string;
  value: Signal<string>;
  hint?: ComponentChildren;
  placeholder?: string;
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

interface ListProps {
  name: string;
  label: string;
  items: Signal<readonly string[]>;
  hint: ComponentChildren;
  placeholder?: string;
  /** What separates several items that are pasted. Items have no separator by default. */
  separator?: RegExp;
}

/** A list of words. Enter adds one, and leaving the field does too, so that none is forgotten. */
export function ListField({ name, label, items, hint, placeholder, separator }: ListProps) {
  const draft = useSignal("");
  const input = useRef<HTMLInputElement>(null);

  const add = () => {
    const words = separator ? draft.value.split(separator) : [draft.value];
    const added = words.map((word) => word.trim()).filter(Boolean);
    draft.value = "";
    if (added.length === 0) return;
    items.value = [...new Set([...items.value, ...added])];
    announce(`${added.join(", ")} added.`);
  };
  const remove = (item: string) => {
    items.value = items.value.filter((candidate) => candidate !== item);
    announce(`${item} removed.`);
    input.current?.focus();
  };
  const addOnEnter = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    add();
  };

  return (
    <Field name={name} label={label} hint={hint}>
      {(attributes) => (
        <div class="list-field">
          {items.value.length > 0 && (
            <ul>
              {items.value.map((item) => (
                <li key={item}>
                  <bdi>{item}</bdi>
                  <button type="button" class="plain" aria-label={`Remove ${item}`} onClick={() => remove(item)}>
                    <Icon name="close" />
                  </button>
                </li>
              ))}
            </ul>
          )}
          <input
            {...attributes}
            ref={input}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            enterKeyHint="done"
            placeholder={placeholder}
            value={draft.value}
            onInput={(event) => (draft.value = event.currentTarget.value)}
            onKeyDown={addOnEnter}
            onBlur={add}
          />
        </div>
      )}
    </Field>
  );
}
