// Text to copy.

import { useSignal } from "@preact/signals";

import { Tabs } from "./tabs.tsx";
import { toast } from "./status.tsx";

export async function copy(text: string, what = "Copied."): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(what);
  } catch {
    toast("The browser does not allow to copy. Select the text instead.", { isError: true });
  }
}

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
