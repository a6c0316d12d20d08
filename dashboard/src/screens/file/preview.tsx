// The picture of a file, or a tile with its extension.

import { placeholder } from "larder";
import type { FileRecord } from "larder/api";

import { isTransformable, type Shown } from "./rendition.ts";
import type { Size } from "./snippets.ts";

interface PreviewProps {
  record: FileRecord;
  shown: Shown;
  onSize: (size: Size) => void;
}

/** Shows the rendition of an image, its blurred placeholder until then, or a tile. */
export function Preview({ record, shown, onSize }: PreviewProps) {
  const { rendition, error, isBusy } = shown;
  if (!rendition.value) {
    const isComing = isTransformable(record) && !error.value && record.url;
    return <div class="panel-preview">{isComing ? <Blurred record={record} /> : <Tile record={record} />}</div>;
  }
  return (
    <div class={isBusy.value ? "panel-preview busy" : "panel-preview"}>
      <img
        src={rendition.value.src}
        alt={record.alt ?? ""}
        onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => onSize({ width, height })}
      />
    </div>
  );
}

function Blurred({ record: { storage_meta: meta } }: { record: FileRecord }) {
  const { blurhash, width, height } = meta;
  if (!blurhash || !width || !height) return <span class="panel-wait" />;
  return <img class="panel-blur" src={placeholder(blurhash, { width, height })} width={width} height={height} alt="" />;
}

function Tile({ record: { extension } }: { record: FileRecord }) {
  return <b class="panel-tile">{extension.toUpperCase() || "FILE"}</b>;
}
