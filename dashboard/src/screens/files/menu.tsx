// A button that opens a box of controls beside it.

import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";

interface MenuProps {
  /** Accessible name. */
  label: string;
  class?: string;
  button: ComponentChildren;
  /** What the box contains. It receives what closes the box. */
  children: (close: () => void) => ComponentChildren;
}

export function Menu({ label, class: className = "plain small", button, children }: MenuProps) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  return (
    <>
      <button type="button" class={className} aria-label={label} popovertarget={id}>
        {button}
      </button>
      <div id={id} ref={box} popover="auto" class="popover files-menu" role="dialog" aria-label={label}>
        {children(() => box.current?.hidePopover())}
      </div>
    </>
  );
}
