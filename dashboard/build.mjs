// Bundles the dashboard into a directory, by default `dist`: node build.mjs [DIRECTORY]
//
// - The output depends on the sources and the locked packages only, so that it can be compared byte for byte.
// - HTML, script and style together stay within the budget of the page, as a browser receives them.

import { copyFile, mkdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const out = process.argv[2] ?? `${here}dist`;
/** Maximum of HTML, script and style together, gzipped. */
const MAX_BYTES = 75 * 1024;

await mkdir(out, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: [
    { in: "src/main.tsx", out: "app" },
    { in: "src/styles/app.css", out: "app" },
  ],
  outdir: out,
  bundle: true,
  minify: true,
  format: "esm",
  target: ["chrome125", "firefox131", "safari18"],
  legalComments: "none",
  banner: { js: "/* Contains Preact and @preact/signals, MIT License, (c) Jason Miller and the Preact team */" },
  logLevel: "warning",
});
await Promise.all(["index.html", "logo.svg"].map((name) => copyFile(`${here}src/${name}`, `${out}/${name}`)));

const names = ["index.html", "app.js", "app.css"];
const sizes = await Promise.all(names.map(async (name) => gzipSync(await readFile(`${out}/${name}`)).length));
const total = sizes.reduce((sum, size) => sum + size);
const list = names.map((name, index) => `${name} ${sizes[index]}`).join(", ");
console.log(`${list}: ${total} of ${MAX_BYTES} bytes gzipped`);
if (total > MAX_BYTES) process.exit(1);
