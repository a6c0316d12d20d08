// Options of image transformations, which several forms offer.

import type { Options } from "./form.tsx";

export const CROPS: Options = ["fit", "fill", "crop", "thumb", "scale"].map((crop) => [crop, crop]);
/** Formats to which an upload can be converted. */
export const UPLOAD_FORMATS: Options = [
  ["jpeg", "JPEG"],
  ["png", "PNG"],
  ["webp", "WebP"],
  ["avif", "AVIF"],
];
/** Formats of renditions. */
export const IMAGE_FORMATS: Options = [...UPLOAD_FORMATS, ["gif", "GIF"]];
/** Places on an image, row by row. */
export const POSITIONS: Options = [
  ["northwest", "Top left"],
  ["north", "Top"],
  ["northeast", "Top right"],
  ["west", "Left"],
  ["center", "Center"],
  ["east", "Right"],
  ["southwest", "Bottom left"],
  ["south", "Bottom"],
  ["southeast", "Bottom right"],
];
