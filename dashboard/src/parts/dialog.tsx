// Dialogs: the browser's own, which keeps the focus and closes by Escape.
//
// - The focus returns to the element that had it, or to `returnTo` if that is gone.
// - A question that destroys something focuses Cancel.
// - A dialog whose action runs stays open, so that its result is seen.
// - A question ends with the screen that asked it.

import { signal, useSignal, type ReadonlySignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

import { Form } from "./form.tsx";

interface DialogProps {
  /** Foreign names in it are isolated by `<bdi>`. */
  title: ComponentChildren;
  onClose: () => void;
  /** Whether the action of the dialog runs. */
  isBusy?: ReadonlySignal<boolean>;
  children: ComponentChildren;
}

/** A modal dialog, as long as it is rendered. */
export function Dialog({ title, onClose, isBusy, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const isOver = useRef(false);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    const dialog = element.current;
    dialog?.showModal();
    return () => {
      isOver.current = true;
      // The page behind an open dialog is inert: nothing there can have the focus.
      dialog?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);

  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!isBusy?.value) onClose();
      }}
      // Browsers close a dialog without a question if Escape is pressed again.
      onClose={() => {
        if (isOver.current) return;
        if (isBusy?.value) element.current?.showModal();
        else onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

/** A dialog that is only read. */
export function Notice(dialog: DialogProps) {
  return (
    <Dialog {...dialog}>
      {dialog.children}
      <div class="actions">
        <button class="primary" autofocus onClick={dialog.onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

/**
 * A dialog with fields. It closes if `onSubmit` succeeds, and shows the errors if it fails. With `onStop`, Cancel ends
 * what runs.
 */
export function FormDialog({
  submit,
  isDestructive = false,
  onSubmit,
  onStop,
  ...dialog
}: DialogProps & { submit: string; isDestructive?: boolean; onSubmit: () => Promise<void>; onStop?: () => void }) {
  const isBusy = useSignal(false);
  const send = async () => {
    await onSubmit();
    dialog.onClose();
  };
  return (
    <Dialog {...dialog} isBusy={isBusy}>
      <Form onSubmit={send} isBusy={isBusy}>
        {dialog.children}
        <div class="actions">
          <button type="button" autofocus={isDestructive} onClick={() => (isBusy.value ? onStop?.() : dialog.onClose())}>
            Cancel
          </button>
          <button class={isDestructive ? "danger" : "primary"}>{submit}</button>
        </div>
      </Form>
    </Dialog>
  );
}

interface Question {
  title: ComponentChildren;
  text: ComponentChildren;
  /** Label of the button that does it. */
  action: string;
  run: () => Promise<void>;
}

const question = signal<Question | null>(null);

/** Asks before something is destroyed. */
export function ask(asked: Question): void {
  question.value = asked;
}

/** Shows the question of `ask`. */
export function Questions() {
  const asked = question.value;
  useEffect(() => () => void (question.value = null), []);
  if (!asked) return null;
  return (
    <FormDialog
      title={asked.title}
      submit={asked.action}
      isDestructive
      onSubmit={asked.run}
      onClose={() => {
        if (question.value === asked) question.value = null;
      }}
    >
      <p>{asked.text}</p>
    </FormDialog>
  );
}
