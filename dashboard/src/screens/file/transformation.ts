// The transformation that is tried in the panel: the fields of its form, and the same for URLs and for requests.
//
// - A field that is empty, or has the default, is no parameter, so that URLs stay short.
// - Values are not validated here: the service says what is wrong with them.

import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Transformation as Parameters } from "larder";
import type { FileRecord, Transformation as RequestBody } from "larder/api";

import type { Options } from "../../parts/form.tsx";
import { IMAGE_FORMATS, POSITIONS } from "../../parts/options.ts";

export const FORMATS: Options = [["auto", "auto"], ...IMAGE_FORMATS];
export const GRAVITIES: Options = [["auto", "What matters"], ...POSITIONS];

/** Width of the first preview: that of a column of text. */
const DEFAULT_WIDTH_PX = 800;

type Name = "width" | "height" | "crop" | "format" | "quality" | "gravity";

export interface Tried {
  fields: Readonly<Record<Name, Signal<string>>>;
  parameters: ReadonlySignal<Parameters>;
}

/** Returns the transformation with which the preview of a file begins. */
export function transformationOf({ storage_meta: { width } }: FileRecord): Tried {
  const fields = {
    width: signal(`${Math.min(width ?? DEFAULT_WIDTH_PX, DEFAULT_WIDTH_PX)}`),
    height: signal(""),
    crop: signal("fit"),
    format: signal("auto"),
    quality: signal(""),
    gravity: signal("center"),
  };
  return { fields, parameters: computed(() => parametersOf(fields)) };
}

function parametersOf(fields: Tried["fields"]): Parameters {
  const value = (name: Name, byDefault = "") => (fields[name].value === byDefault ? "" : fields[name].value.trim());
  const width = value("width");
  const height = value("height");
  const crop = value("crop", "fit");
  const quality = value("quality", "auto");
  const gravity = value("gravity", "center");
  const format = value("format", "auto");
  const isEmpty = !(width || height || crop || quality || gravity);

  return {
    ...(width && { width: Number(width) }),
    ...(height && { height: Number(height) }),
    ...(crop && { crop: crop as NonNullable<Parameters["crop"]> }),
    ...(gravity && { gravity: gravity as NonNullable<Parameters["gravity"]> }),
    // Without any parameter the URL is that of the original.
    ...((format || isEmpty) && { format: (format || "auto") as NonNullable<Parameters["format"]> }),
    ...(quality && { quality: Number(quality) }),
  };
}

/** Returns a transformation as the API takes it. */
export function bodyOf({ width, height, crop, gravity, format, quality }: Parameters): RequestBody {
  return {
    ...(width !== undefined && { w: width }),
    ...(height !== undefined && { h: height }),
    ...(crop && { r: crop }),
    ...(gravity && { g: gravity }),
    ...(format && { f: format }),
    ...(quality !== undefined && { q: quality }),
  };
}
