// The picture of a file, or a tile with its extension.

import { placeholder } from "larder";
import type { FileRecord } from "larder/api";
import type { ComponentChildren } from "preact";

import { hasFiles, useFileDrop } from "../../parts/file-drop.ts";
import { areFilesOver } from "../files/drag.ts";

import { isTransformable, type Shown } from "./rendition.ts";
import type { Size } from "./snippets.ts";

interface PreviewProps {
  record: FileRecord;
  shown: Shown;
  onSize: (size: Size) => void;
  /** Takes a file that is dropped on the preview. */
  onDrop?: ((file: File) => void) | undefined;
}

/** Shows the rendition of an image, its blurred placeholder until then, or a tile. */
export function Preview({ record, shown, onSize, onDrop }: PreviewProps) {
  const { rendition, error, isBusy } = shown;
  if (!rendition.value) {
    const isComing = isTransformable(record) && !error.value && record.url;
    return <Frame onDrop={onDrop}>{isComing ? <Blurred record={record} /> : <Tile record={record} />}</Frame>;
  }
  return (
    <Frame class={isBusy.value ? "busy" : ""} onDrop={onDrop}>
      <img
        src={rendition.value.src}
        alt={record.alt ?? ""}
        onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => onSize({ width, height })}
      />
    </Frame>
  );
}

type FrameProps = Pick<PreviewProps, "onDrop"> & { class?: string; children: ComponentChildren };

function Frame({ class: state = "", onDrop, children }: FrameProps) {
  const take = ({ files: [file] }: DataTransfer) => {
    areFilesOver.value = false;
    if (file) onDrop?.(file);
  };
  const { isOver, listeners } = useFileDrop(take, (event) => Boolean(onDrop) && hasFiles(event));
  return (
    <div class={`panel-preview ${state} ${isOver ? "drop-over" : ""}`} {...listeners}>
      {children}
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
