// Builds URLs of transformed images, and placeholders.
//
// - No value is validated: the service validates them, and its response names the parameter.
// - The result depends on the arguments only, so that a server and a browser render the same markup.

import type { Crop, Gravity, ImageFormat } from "./generated/types.gen.js";

/** A delivery URL, or a file that has one. */
export type Source =
  | string
  | { url: string | null; storage_meta?: { width?: number | null; height?: number | null } };

export interface Transformation {
  /** Width and height in pixels. A side that is absent follows from the aspect ratio. */
  width?: number;
  height?: number;
  /** Default: `fit`. */
  crop?: Crop;
  /** The part that is kept. Default: `center`. */
  gravity?: Gravity | "auto";
  /** Default: `auto`, the best format that the client accepts. */
  format?: ImageFormat | "auto";
  quality?: number | "auto";
  /** Asks the browser to save the file under its original name. */
  download?: boolean;
}

export interface SrcsetOptions extends Transformation {
  /** Widths in pixels to select from. */
  widths?: number[];
  /** Width of the image on the page. Default: `100vw`. */
  sizes?: string;
}

type Parameters = Record<string, string | number | undefined>;

/** Widths in pixels, from a small phone to a large screen. */
const DEFAULT_WIDTHS = [320, 640, 960, 1280, 1920, 2560];

/**
 * Returns the URL of a transformed image. Parameters that the URL has are kept, unless `t` replaces them. A
 * signed URL cannot be transformed: pass the transformation to `sign`.
 */
export function url(file: Source, t: Transformation = {}): string {
  const [path, before] = addressOf(file).split(/\?(.*)/s);
  const query = new URLSearchParams(before);
  setAll(query, parametersOf(t));
  return `${path}?${query}`.replace(/\?$/, "");
}

/**
 * Returns the attributes of an image in several widths, none of them wider than the original if its size is
 * known. If `t` has a width and a height, the height follows the width. `src` is the widest.
 */
export function srcset(
  file: Source,
  { widths = DEFAULT_WIDTHS, sizes = "100vw", ...t }: SrcsetOptions = {},
): { src: string; srcset: string; sizes: string } {
  const { width = 0, height = 0 } = t;
  const limit = (typeof file === "object" && file.storage_meta?.width) || Infinity;
  const within = [...new Set(widths.map((candidate) => Math.min(candidate, limit)))];

  const sized = (at: number) =>
    url(file, { ...t, width: at, ...(width && height && { height: Math.ceil((at * height) / width) }) });
  return {
    src: sized(Math.max(...within)),
    srcset: within.map((at) => `${sized(at)} ${at}w`).join(", "),
    sizes,
  };
}

/** Returns the URL of a file. Fails if it has none, because it is pending. */
export function addressOf(file: Source): string {
  const address = typeof file === "string" ? file : file.url;
  if (!address) throw new TypeError("The file is pending.");
  return address;
}

/** Returns the parameters of a transformation. Other fields are ignored. */
export function parametersOf(t: Transformation): Parameters {
  const { width: w, height: h, crop: r, gravity: g, format: f, quality: q } = t;
  return { w, h, r, g, f, q, download: t.download ? "" : undefined };
}

/** Sets the parameters that are defined. */
export function setAll(query: URLSearchParams, parameters: Parameters): void {
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, `${value}`);
  }
}
