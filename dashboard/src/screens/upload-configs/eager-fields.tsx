// Sizes that are prepared right after an upload, as rows.

import type { Signal } from "@preact/signals";
import { useRef } from "preact/hooks";

import { SelectField, type Options } from "../../parts/form.tsx";
import { Icon } from "../../parts/icons.tsx";
import { CROPS, IMAGE_FORMATS } from "../../parts/options.ts";
import { NumberField } from "../../parts/number-field.tsx";
import { announce } from "../../parts/status.tsx";
import { eagerDraft, type EagerDraft } from "./draft.ts";

/** Maximum number of rows, by the rules of the service. */
const MAX_ROWS = 10;
const FORMATS: Options = [["", "original"], ...IMAGE_FORMATS];

export function EagerFields({ name, rows }: { name: string; rows: Signal<readonly EagerDraft[]> }) {
  const element = useRef<HTMLFieldSetElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const add = () => {
    rows.value = [...rows.value, eagerDraft()];
    announce(`Size ${rows.value.length} added.`);
    // After the row is there.
    setTimeout(() => element.current?.querySelector<HTMLElement>(".eager-row:last-of-type input")?.focus());
  };
  const remove = (row: EagerDraft) => {
    rows.value = rows.value.filter((candidate) => candidate !== row);
    announce("Size removed.");
    setTimeout(() => addButton.current?.focus());
  };

  return (
    <fieldset class="field eager" ref={element}>
      <legend>Prepared sizes</legend>
      <p class="hint">Created directly after the upload, so that the first visitor does not wait. Up to {MAX_ROWS}.</p>
      {rows.value.map((row, index) => (
        <EagerRow key={row.id} name={`${name}.${index}`} row={row} number={index + 1} onRemove={() => remove(row)} />
      ))}
      <button type="button" class="small" ref={addButton} disabled={rows.value.length >= MAX_ROWS} onClick={add}>
        <Icon name="plus" /> Add size
      </button>
    </fieldset>
  );
}

interface RowProps {
  name: string;
  row: EagerDraft;
  number: number;
  onRemove: () => void;
}

function EagerRow({ name, row, number, onRemove }: RowProps) {
  return (
    <fieldset class="eager-row">
      <legend class="visually-hidden">Size {number}</legend>
      <NumberField name={`${name}.width`} label="Width" value={row.width} placeholder="auto" />
      <NumberField name={`${name}.height`} label="Height" value={row.height} placeholder="auto" />
      <SelectField name={`${name}.crop`} label="Resize" value={row.crop} options={CROPS} />
      <SelectField name={`${name}.format`} label="Format" value={row.format} options={FORMATS} />
      <button type="button" class="plain" aria-label={`Remove size ${number}`} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </fieldset>
  );
}
