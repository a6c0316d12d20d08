// Code that shows a file, or loads it.
//
// - Names and alternative texts are untrusted: each is escaped for the language of its snippet.

import { srcset, url, type Transformation } from "larder";
import type { FileRecord } from "larder/api";

import { isProtected, isTransformable } from "./rendition.ts";

/** Width of an image on the page, where the transformation has none. */
const DEFAULT_WIDTH_PX = 800;

/** Size of an image in pixels. */
export interface Size {
  width: number;
  height: number;
}

/** Returns snippets by their names. `address` replaces the URL of the file: a signed one. */
export function snippetsOf(record: FileRecord, t: Transformation, size: Size | null): Record<string, string> {
  const isImage = isTransformable(record);
  const address = isImage ? url(record, t) : (record.url ?? "");
  if (isProtected(record)) {
    return { URL: address, curl: curl(record, address, true), "larder/sign": signing(record, isImage ? t : {}) };
  }
  const html: Record<string, string> = isImage
    ? { "<img>": image(record, t, size), "next/image": nextImage(record, t, size) }
    : { HTML: link(record) };
  return { URL: address, ...html, curl: curl(record, address, false) };
}

function image(record: FileRecord, t: Transformation, size: Size | null): string {
  const { width = DEFAULT_WIDTH_PX } = t;
  const set = srcset(record, {
    ...t,
    widths: [Math.ceil(width / 2), width, width * 2],
    sizes: `(max-width: ${width}px) 100vw, ${width}px`,
  });
  const attributes = [
    `src="${escaped(url(record, t))}"`,
    `srcset="${escaped(set.srcset).replaceAll(", ", ",\n    ")}"`,
    `sizes="${set.sizes}"`,
    ...(size ? [`width="${size.width}" height="${size.height}"`] : []),
    `alt="${escaped(record.alt ?? "")}"`,
  ];
  return `<img\n  ${attributes.join("\n  ")}\n>`;
}

function nextImage(record: FileRecord, { width: _, height: __, ...t }: Transformation, size: Size | null): string {
  const { width, height } = size ?? { width: DEFAULT_WIDTH_PX, height: DEFAULT_WIDTH_PX };
  const query = url("/", t).replace(/^\/\??/, "").replace(/^(?=.)/, "&");
  return [
    'import Image from "next/image";',
    "",
    `const loader = ({ src, width }) => \`\${src}?w=\${width}${query}\`;`,
    "",
    `<Image loader={loader} src="${record.url ?? ""}"`,
    `  width={${width}} height={${height}} alt={${JSON.stringify(record.alt ?? "")}} />`,
  ].join("\n");
}

function link(record: FileRecord): string {
  return `<a href="${escaped(url(record, { download: true }))}">${escaped(record.original_name)}</a>`;
}

function curl(record: FileRecord, address: string, needsKey: boolean): string {
  const header = needsKey ? '  -H "Authorization: Bearer $LARDER_API_KEY" \\\n' : "";
  return `curl -L ${header && `\\\n${header}  `}-o ${quoted(record.original_name)} \\\n  ${quoted(address)}`;
}

/** Code of a server that signs the URL. */
function signing(record: FileRecord, t: Transformation): string {
  return [
    'import { sign } from "larder/sign";',
    "",
    "// Secret of the space: GET /spaces/{id}/signing-secret.",
    `const url = await sign(${JSON.stringify(record.url)}, secret, ${JSON.stringify({ ...t, expiresIn: 3600 })});`,
  ].join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

/** Quotes a word of a shell. A name that begins with a dash is not taken for an option. */
function quoted(text: string): string {
  const safe = text.replace(/^-/, "./-");
  return `'${safe.replaceAll("'", "'\\''")}'`;
}
