// Asserts the sizes of the hand-written code, as a bundler of a page produces it.

import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";

/** Budgets in bytes, minified and gzipped. */
const BUDGETS = [
  ["all of it", `export * from "./index.js"; export * from "./sign.js"; export * from "./pages.js";`, 4_672],
  ["upload", `export { upload } from "./index.js";`, 1_900],
  ["url and srcset", `export { url, srcset } from "./index.js";`, 700],
];

for (const [name, contents, budget] of BUDGETS) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: new URL("../src", import.meta.url).pathname },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    write: false,
  });
  const size = gzipSync(outputFiles[0].contents, { level: 9 }).length;
  console.log(`${name}: ${size} of ${budget} bytes`);
  assert.ok(size <= budget, `${name} has ${size} bytes instead of at most ${budget}`);
}
