// Fields of a watermark: logo, position, opacity.

import type { Signal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";

import { hasFiles, useFileDrop } from "../../parts/file-drop.ts";
import { Field, TextField } from "../../parts/form.tsx";
import { POSITIONS } from "../../parts/options.ts";
import { PERCENT } from "../../units.ts";
import { chooseLogo, FILE_FIELD, type MarkDraft } from "./draft.ts";

/** Formats that the service decodes as a logo. */
const LOGO_TYPES = "image/png,image/jpeg,image/webp,image/gif";
const COLUMNS = 3;
const STEPS: Readonly<Record<string, readonly [column: number, row: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export function MarkFields({ draft }: { draft: MarkDraft }) {
  return (
    <>
      <Logo draft={draft} />
      <TextField
        name="security.watermark.url"
        label="Logo URL"
        type="url"
        value={draft.url}
        placeholder="https://example.com/logo.png"
        hint="Instead of a file: an https address. It is read once, when you save."
      />
      <div class="mark-place">
        <Positions value={draft.position} />
        <Opacity value={draft.opacity} />
      </div>
    </>
  );
}

function Logo({ draft }: { draft: MarkDraft }) {
  const { file, fileId, url } = draft;
  const input = useRef<HTMLInputElement>(null);
  const choose = (files: FileList | null | undefined) => {
    const [chosen] = files ?? [];
    if (chosen) chooseLogo(draft, chosen);
  };
  const drop = (files: FileList) => {
    // The browser shows the name of the file as if it was chosen.
    if (input.current) input.current.files = files;
    choose(files);
  };
  const isEnabled = (event: DragEvent) => hasFiles(event) && !input.current?.matches(":disabled");
  const { isOver, listeners } = useFileDrop(({ files }) => drop(files), isEnabled);
  useEffect(() => {
    if (input.current && !file.value) input.current.value = "";
  }, [file.value]);

  const isStored = !file.value && fileId.value && !url.value;
  return (
    <Field name={FILE_FIELD} label="Logo" hint="PNG, JPEG, WebP or GIF, at most 5 MB. It is stored in this space.">
      {(attributes) => (
        <div class={isOver ? "logo-drop over" : "logo-drop"} {...listeners}>
          <input
            {...attributes}
            ref={input}
            type="file"
            accept={LOGO_TYPES}
            onChange={(event) => choose(event.currentTarget.files)}
          />
          <small>{isStored ? "The saved logo is in use. Drop another one here." : "Or drop one here."}</small>
        </div>
      )}
    </Field>
  );
}

/** The nine positions, as they are on the image. Arrow keys move in both directions. */
function Positions({ value }: { value: Signal<string> }) {
  const id = useId();
  const move = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const index = POSITIONS.findIndex(([position]) => position === value.value);
    const column = clamp((index % COLUMNS) + step[0]);
    const row = clamp(Math.floor(index / COLUMNS) + step[1]);
    const target = row * COLUMNS + column;
    value.value = POSITIONS[target]?.[0] ?? value.value;
    (event.currentTarget as HTMLElement).querySelectorAll("input")[target]?.focus();
  };

  return (
    <fieldset class="field">
      <legend>Position</legend>
      <div class="positions" role="radiogroup" aria-label="Position" onKeyDown={move}>
        {POSITIONS.map(([position, label]) => (
          <label key={position} title={label}>
            <input
              type="radio"
              name={id}
              aria-label={label}
              checked={value.value === position}
              onChange={() => (value.value = position)}
            />
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function clamp(index: number): number {
  return Math.min(Math.max(index, 0), COLUMNS - 1);
}

function Opacity({ value }: { value: Signal<string> }) {
  const text = `${Math.round(Number(value.value) * PERCENT)} %`;
  return (
    <Field name="security.watermark.opacity" label="Opacity">
      {(attributes) => (
        <div class="slider">
          <input
            {...attributes}
            type="range"
            min={0.01}
            max={1}
            step={0.01}
            value={value.value}
            aria-valuetext={text}
            onInput={(event) => (value.value = event.currentTarget.value)}
          />
          <output>{text}</output>
        </div>
      )}
    </Field>
  );
}
