// Own metadata of a file, as rows of a key and a value.

import type { Signal } from "@preact/signals";
import type { CustomMetadata } from "larder/api";
import { useRef } from "preact/hooks";

import { Field } from "../../parts/form.tsx";
import { Icon } from "../../parts/icons.tsx";

/** A row has an id, so that the others keep their fields when one is removed. */
export interface Row {
  id: number;
  key: string;
  value: string;
}

/** Returns metadata as rows. */
export function rowsOf(metadata: CustomMetadata): Row[] {
  return Object.entries(metadata).map(([key, value], id) => ({ id, key, value }));
}

/** Returns the metadata of rows. Rows without a key and a value are left out. */
export function metadataOf(rows: readonly Row[]): CustomMetadata {
  const filled = rows.filter(({ key, value }) => key.trim() || value.trim());
  return Object.fromEntries(filled.map(({ key, value }) => [key.trim(), value]));
}

/** A field of rows that are added, changed and removed. */
export function MetadataField({ rows }: { rows: Signal<readonly Row[]> }) {
  const button = useRef<HTMLButtonElement>(null);
  const change = (id: number, to: Partial<Row>) => {
    rows.value = rows.value.map((row) => (row.id === id ? { ...row, ...to } : row));
  };
  const add = () => {
    rows.value = [...rows.value, { id: Math.max(-1, ...rows.value.map(({ id }) => id)) + 1, key: "", value: "" }];
  };
  const remove = (id: number) => {
    rows.value = rows.value.filter((row) => row.id !== id);
    button.current?.focus();
  };

  return (
    <Field name="metadata" label="Metadata" hint="Keys have small letters, digits and underscores.">
      {({ id: buttonId, ...attributes }) => (
        <div class="metadata">
          {rows.value.map(({ id, key, value }, index) => (
            <div key={id} class="metadata-row">
              <input
                aria-label={`Key ${index + 1}`}
                aria-invalid={attributes["aria-invalid"]}
                aria-describedby={attributes["aria-describedby"]}
                placeholder="key"
                class="mono"
                spellcheck={false}
                value={key}
                onInput={(event) => change(id, { key: event.currentTarget.value })}
              />
              <input
                aria-label={`Value ${index + 1}`}
                placeholder="value"
                value={value}
                onInput={(event) => change(id, { value: event.currentTarget.value })}
              />
              <button
                type="button"
                class="plain"
                aria-label={`Remove ${key || `row ${index + 1}`}`}
                onClick={() => remove(id)}
              >
                <Icon name="close" />
              </button>
            </div>
          ))}
          <button id={buttonId} ref={button} type="button" class="small" aria-label="Add metadata" onClick={add}>
            <Icon name="plus" /> Add
          </button>
        </div>
      )}
    </Field>
  );
}
