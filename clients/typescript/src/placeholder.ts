// Draws a BlurHash (github.com/woltapp/blurhash) as a small image in a data URL.
//
// - The image is an uncompressed BMP, which needs no canvas: a server can write it into the page.
// - Its size is bounded, whatever size is requested.

/** Length of a side without a requested size. */
const DEFAULT_SIDE_PX = 16;
/** Maximum length of a side. A blurred image has no details to show in more. */
const MAX_SIDE_PX = 32;

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~";
/** Bytes before the pixels of a BMP: two of the signature, and words of 32 bits. */
const HEADER_BYTES = 54;
const HEADER_WORDS = 13;
const INFO_HEADER_BYTES = 40;
/** One plane of 32 bits per pixel, which needs no padding of rows. */
const PLANES_AND_BITS = 1 | (32 << 16);
/** Shifted to the first byte of a pixel by its colors. */
const OPAQUE = 0xff;

/** Approximates the curve of sRGB: the differences are not visible in a blurred image. */
const GAMMA = 2.2;

/** Red, green and blue. */
type Color = number[];
/** Colors of the cosine functions as linear light, row by row, and their number per row. */
interface Components {
  colors: Color[];
  columns: number;
}

export interface PlaceholderSize {
  width?: number;
  /** Default: the width. */
  height?: number;
}

/**
 * Returns an image of a BlurHash. The size may be that of the original: a larger image is drawn smaller, with
 * the same aspect ratio. Fails if the hash is malformed.
 */
export function placeholder(blurhash: string, o: PlaceholderSize = {}): string {
  const { width = DEFAULT_SIDE_PX, height = width } = o;
  const scale = Math.min(1, MAX_SIDE_PX / Math.max(width, height));

  const bytes = draw(parse(blurhash), Math.ceil(width * scale), Math.ceil(height * scale));
  return `data:image/bmp;base64,${btoa(`BM${String.fromCharCode(...bytes)}`)}`;
}

function parse(hash: string): Components {
  const digits = Array.from(hash, (digit) => DIGITS.indexOf(digit));
  const number = (start: number, end: number) =>
    digits.slice(start, end).reduce((value, digit) => value * DIGITS.length + digit, 0);

  const [size = 0, maximum = 0] = digits;
  const columns = (size % 9) + 1;
  if (digits.length !== 4 + 2 * columns * (Math.floor(size / 9) + 1) || digits.includes(-1)) {
    throw new TypeError("The BlurHash is malformed.");
  }

  const average = number(2, 6);
  const colors = [[16, 8, 0].map((shift) => linear((average >> shift) & 255))];
  for (let start = 6; start < digits.length; start += 2) {
    const levels = number(start, start + 2);
    const coefficient = (unit: number) => {
      const level = (Math.floor(levels / unit) % 19) - 9;
      return (level * Math.abs(level) * (maximum + 1)) / (81 * 166);
    };
    colors.push([361, 19, 1].map(coefficient));
  }
  return { colors, columns };
}

/** Returns a BMP without its signature, which would shift the words from their alignment. */
function draw({ colors, columns }: Components, width: number, height: number): Uint8Array {
  const words = new Int32Array(HEADER_WORDS + width * height);
  const bytes = new Uint8Array(words.buffer);
  // A negative height: the first row is the top one.
  words.set([bytes.length + 2, 0, HEADER_BYTES, INFO_HEADER_BYTES, width, -height, PLANES_AND_BITS]);

  for (let index = 0; index < width * height; index += 1) {
    const x = (Math.PI * (index % width)) / width;
    const y = (Math.PI * Math.floor(index / width)) / height;
    const factor = (at: number) => Math.cos(x * (at % columns)) * Math.cos(y * Math.floor(at / columns));
    const light = (part: number) => colors.reduce((sum, color, at) => sum + color[part]! * factor(at), 0);
    const pixel = [0, 1, 2].map(light).reduce((before, sum) => (before << 8) | channel(sum), OPAQUE);
    words[HEADER_WORDS + index] = pixel;
  }
  return bytes;
}

/** Converts a channel of sRGB, 0 to 255, to linear light. */
const linear = (value: number) => (value / 255) ** GAMMA;

/** Converts linear light to a channel of sRGB, 0 to 255. */
const channel = (light: number) => Math.round(255 * Math.min(1, Math.max(0, light)) ** (1 / GAMMA));
