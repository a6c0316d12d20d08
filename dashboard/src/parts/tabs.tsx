// Tabs, by the pattern of WAI-ARIA (https://www.w3.org/WAI/ARIA/apg/patterns/tabs/).

import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface TabsProps {
  label: string;
  names: readonly string[];
  selected: Signal<string>;
  children: ComponentChildren;
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/** Tabs with the panel of the selected one. */
export function Tabs({ label, names, selected, children }: TabsProps) {
  const id = useId();
  const move = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (!step) return;
    const index = (names.indexOf(selected.value) + step + names.length) % names.length;
    selected.value = names[index] ?? "";
    const tabs = (event.currentTarget as HTMLElement).children;
    (tabs[index] as HTMLElement | undefined)?.focus();
  };

  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
        {names.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            aria-selected={selected.value === name}
            aria-controls={id}
            tabIndex={selected.value === name ? 0 : -1}
            onClick={() => (selected.value = name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div id={id} role="tabpanel" aria-label={selected.value}>
        {children}
      </div>
    </>
  );
}
