// A list of words that is edited, like tags: what is typed becomes one by Enter or a comma.
//
// - What is typed and not added yet counts when the form is sent, see `withTyped`.

import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

import { Field } from "./form.tsx";
import { Icon } from "./icons.tsx";
import { announce } from "./status.tsx";

interface Words {
  tags: Signal<readonly string[]>;
  /** What is typed and is not in the list yet. */
  typed: Signal<string>;
  /** What separates words that are typed or pasted: a comma by default. */
  separator?: RegExp;
}

type TagsProps = Words & {
  name?: string;
  label?: string;
  hint?: ComponentChildren;
  placeholder?: string;
};

/** Returns the words with those that are typed, each once. */
export function withTyped({ tags, typed, separator = /,/ }: Words): string[] {
  const added = typed.value.split(separator).map((word) => word.trim());
  return [...new Set([...tags.value, ...added])].filter(Boolean);
}

/** A field of tags, or of other words. */
export function TagsField({
  name = "tags",
  label = "Tags",
  hint = "Enter or a comma adds one.",
  placeholder,
  ...words
}: TagsProps) {
  const { tags, typed } = words;
  const input = useRef<HTMLInputElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const text = typed.value.trim();
    if ((event.key === "Enter" || event.key === ",") && text) {
      event.preventDefault();
      tags.value = withTyped(words);
      typed.value = "";
      announce(`${text} added.`);
    } else if (event.key === "Backspace" && typed.value === "") {
      tags.value = tags.value.slice(0, -1);
    }
  };
  const remove = (word: string) => {
    tags.value = tags.value.filter((each) => each !== word);
    announce(`${word} removed.`);
    input.current?.focus();
  };

  return (
    <Field name={name} label={label} hint={hint}>
      {(attributes) => (
        <div class="tag-box">
          {tags.value.map((word) => (
            <span key={word} class="tag">
              <bdi>{word}</bdi>
              <button type="button" class="plain" aria-label={`Remove ${word}`} onClick={() => remove(word)}>
                <Icon name="close" />
              </button>
            </span>
          ))}
          <input
            {...attributes}
            ref={input}
            value={typed.value}
            placeholder={placeholder}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            enterKeyHint="done"
            onInput={(event) => (typed.value = event.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
        </div>
      )}
    </Field>
  );
}
