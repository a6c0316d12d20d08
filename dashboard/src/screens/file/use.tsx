// How a file is used: a transformation that is tried at once, its size, and code to copy.

import type { ReadonlySignal } from "@preact/signals";
import { url } from "larder";
import type { FileRecord } from "larder/api";

import { Snippets } from "../../parts/copy.tsx";
import { bytes } from "../../parts/format.ts";
import { textOf } from "../../parts/errors.ts";
import { SelectField, TextField } from "../../parts/form.tsx";
import { CROPS } from "../../parts/options.ts";
import { isProtected, isPublicOnceCreated, isTransformable, type Shown } from "./rendition.ts";
import { Sign } from "./sign.tsx";
import { snippetsOf, type Size } from "./snippets.ts";
import { FORMATS, GRAVITIES, type Tried } from "./transformation.ts";

/** Maximum length of a side, as the service allows it. */
const MAX_SIDE_PX = 8192;

interface UseProps {
  record: FileRecord;
  tried: Tried;
  shown: Shown;
  size: ReadonlySignal<Size | null>;
}

/** The transformation of an image with its size, and code that uses the file. */
export function Use({ record, tried, shown, size }: UseProps) {
  if (!record.url) return <p class="hint">The file is pending: it is delivered as soon as its upload is confirmed.</p>;
  const isImage = isTransformable(record);
  const t = isImage ? tried.parameters.value : {};
  const isClosed = isProtected(record);
  return (
    <>
      {isImage && <Controls tried={tried} />}
      {isImage && isPublicOnceCreated(record) && (
        <p class="hint">
          The preview is the original. A private file is public in each size that was created: signing creates this one.
        </p>
      )}
      {isImage && !isPublicOnceCreated(record) && <Meter record={record} shown={shown} size={size.value} />}
      {isClosed && <Sign record={record} t={t} />}
      <Snippets codes={snippetsOf(record, t, size.value)} />
      {!isClosed && (
        <p class="file-links">
          <a href={record.url} target="_blank" rel="noreferrer">
            Open the original
          </a>
          <a href={url(record, { download: true })}>Download</a>
        </p>
      )}
    </>
  );
}

function Controls({ tried: { fields } }: { tried: Tried }) {
  const { width, height, crop, format, quality, gravity } = fields;
  const side = { type: "number", placeholder: "auto", min: 1, max: MAX_SIDE_PX } as const;
  return (
    <div class="use-controls" role="group" aria-label="Transformation">
      <TextField name="w" label="Width" value={width} {...side} />
      <TextField name="h" label="Height" value={height} {...side} />
      <SelectField name="r" label="Resize" value={crop} options={CROPS} />
      <SelectField name="f" label="Format" value={format} options={FORMATS} />
      <TextField name="q" label="Quality" value={quality} type="number" placeholder="auto" min={1} max={100} />
      <SelectField name="g" label="Keep" value={gravity} options={GRAVITIES} />
    </div>
  );
}

/** Says what the transformation saves, or why it is not possible. */
function Meter({ record, shown, size }: { record: FileRecord; shown: Shown; size: Size | null }) {
  const { rendition, error } = shown;
  if (error.value) {
    return (
      <p class="problem" role="alert">
        {textOf(error.value)}
      </p>
    );
  }
  if (!rendition.value) return <p class="meter">Measuring…</p>;

  const { size: length, type } = rendition.value;
  const format = type.replace(/^image\//, "").toUpperCase();
  const notes = [
    length === null ? `Original: ${bytes(record.size)}` : `instead of ${bytes(record.size)}`,
    format,
    size && `${size.width}\u00a0×\u00a0${size.height}`,
  ];
  return (
    <p class="meter" role="status">
      {length !== null && <b>{bytes(length)}</b>} {notes.filter(Boolean).join(" · ")}
    </p>
  );
}
