// Tags as a list that is edited: what is typed becomes a tag by Enter or a comma.

import type { Signal } from "@preact/signals";
import { useRef } from "preact/hooks";

import { Field } from "../../parts/form.tsx";
import { Icon } from "../../parts/icons.tsx";

interface TagsProps {
  tags: Signal<readonly string[]>;
  /** What is typed and is not a tag yet. */
  typed: Signal<string>;
}

/** Returns the tags with those that are typed, each once. */
export function withTyped({ tags, typed }: TagsProps): string[] {
  const added = typed.value.split(",").map((tag) => tag.trim());
  return [...new Set([...tags.value, ...added])].filter(Boolean);
}

/** A field of tags. What is typed counts when the form is sent, see `withTyped`. */
export function TagsField({ tags, typed }: TagsProps) {
  const input = useRef<HTMLInputElement>(null);
  const take = () => {
    tags.value = withTyped({ tags, typed });
    typed.value = "";
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isEmpty = typed.value.trim() === "";
    if ((event.key === "Enter" || event.key === ",") && !isEmpty) {
      event.preventDefault();
      take();
    } else if (event.key === "Backspace" && typed.value === "") {
      tags.value = tags.value.slice(0, -1);
    }
  };
  const remove = (tag: string) => {
    tags.value = tags.value.filter((each) => each !== tag);
    input.current?.focus();
  };

  return (
    <Field name="tags" label="Tags" hint="Enter or a comma adds one.">
      {(attributes) => (
        <div class="tag-box">
          {tags.value.map((tag) => (
            <span key={tag} class="tag">
              <bdi>{tag}</bdi>
              <button type="button" class="plain" aria-label={`Remove tag ${tag}`} onClick={() => remove(tag)}>
                <Icon name="close" />
              </button>
            </span>
          ))}
          <input
            {...attributes}
            ref={input}
            value={typed.value}
            autocomplete="off"
            onInput={(event) => (typed.value = event.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
        </div>
      )}
    </Field>
  );
}
