// The examples of the README compile with the types of the package.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";

import ts from "typescript";

/** What the examples use of the reader's code. */
const AMBIENT = `
  declare const process: { env: Record<string, string> };
  declare const key: string, secret: string, kid: number, body: string, space_id: string;
  declare const bar: HTMLProgressElement, controller: AbortController, file: File, request: Request;
  declare const record: import("larder").FileRecord;
`;
const OPTIONS = {
  target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, strict: true, noEmit: true, types: [], skipLibCheck: true,
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
};

/** Returns the messages of the compiler for a module of this package. */
function errors(code) {
  const name = new URL("example.mts", import.meta.url).pathname;
  const host = ts.createCompilerHost(OPTIONS);
  const { getSourceFile } = host;
  host.getSourceFile = (path, ...rest) =>
    path === name ? ts.createSourceFile(path, code, OPTIONS.target) : getSourceFile(path, ...rest);
  const program = ts.createProgram([name], OPTIONS, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

test("examples compile", async () => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const examples = Array.from(readme.matchAll(/^```ts\n(.*?)^```$/gms), ([, code]) => code);
  assert.ok(examples.length > 0);
  for (const code of examples) {
    // An example that declares a name does not use the reader's.
    const ambient = code.includes("const record") ? AMBIENT.replace(/.*const record.*/, "") : AMBIENT;
    assert.deepEqual(errors(ambient + code), [], code);
  }
  assert.notDeepEqual(errors('import { missing } from "larder";'), []);
});
