// Text to copy.
//
// - Safari allows to copy only while it handles a click. A text that is requested first is passed as a promise.
// - A text that cannot be copied is shown, to be selected.

import { useSignal } from "@preact/signals";

import { Tabs } from "./tabs.tsx";
import { toast } from "./status.tsx";

const TYPE = "text/plain";

/** Copies a text, and says so. Fails only if the promise of the text does. */
export async function copy(text: string | Promise<string>, what = "Copied."): Promise<void> {
  const blob = Promise.resolve(text).then((copied) => new Blob([copied], { type: TYPE }));
  try {
    await navigator.clipboard.write([new ClipboardItem({ [TYPE]: blob })]);
    toast(what);
  } catch {
    const shown = await text;
    toast(`The browser does not allow to copy. Select the text instead: ${shown}`, { isError: true });
  }
}

/** A button that copies a text. */
export function CopyButton({ text, isPrimary = false }: { text: string; isPrimary?: boolean }) {
  return (
    <button type="button" class={isPrimary ? "primary" : ""} onClick={() => copy(text)}>
      Copy
    </button>
  );
}

/** Code in several languages, one of them visible. */
export function Snippets({ codes }: { codes: Readonly<Record<string, string>> }) {
  const names = Object.keys(codes);
  const name = useSignal(names[0] ?? "");
  const code = codes[name.value] ?? "";
  return (
    <div class="snippets">
      <Tabs label="Code" names={names} selected={name}>
        <pre tabIndex={0}>{code}</pre>
        <CopyButton text={code} isPrimary />
      </Tabs>
    </div>
  );
}
