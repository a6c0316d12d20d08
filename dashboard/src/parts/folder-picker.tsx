// A choice of a folder: the tree, loaded level by level.
//
// - The choices are radio buttons, so that the arrow keys move between all that are visible.

import { useSignal, type Signal } from "@preact/signals";
import { useId } from "preact/hooks";

import { Icon } from "./icons.tsx";
import { Show, useLoad } from "./load.tsx";
import { space } from "../state.ts";
import { foldersIn, ROOT } from "./folder-data.ts";

interface PickerProps {
  /** Id of the folder, or `root`. */
  value: Signal<string>;
  /** A folder that is not offered, nor those in it. */
  except?: string;
}

/** A field that chooses a folder of the current space. */
export function FolderPicker({ value, except }: PickerProps) {
  const group = useId();
  return (
    <fieldset class="picker">
      <legend>Folder</legend>
      <div class="picker-tree">
        <Choice id={ROOT} name="Files (root)" group={group} value={value} />
        <Level parent={ROOT} group={group} value={value} except={except} />
      </div>
    </fieldset>
  );
}

interface LevelProps {
  group: string;
  value: Signal<string>;
}

function Level({ parent, except, ...props }: LevelProps & { parent: string; except: string | undefined }) {
  const spaceId = space.value?.id ?? "";
  const folders = useLoad((signal) => foldersIn(spaceId, parent, signal), [spaceId, parent]);
  return (
    <Show of={folders}>
      {(loaded) => (
        <ul>
          {loaded
            .filter(({ id }) => id !== except)
            .map(({ id, name, has_children }) => (
              <Branch key={id} id={id} name={name} hasChildren={has_children} except={except} {...props} />
            ))}
        </ul>
      )}
    </Show>
  );
}

interface BranchProps extends LevelProps {
  id: string;
  name: string;
  hasChildren: boolean;
  except: string | undefined;
}

function Branch({ id, name, hasChildren, except, ...props }: BranchProps) {
  const isOpen = useSignal(false);
  return (
    <li>
      <div class="picker-branch">
        {hasChildren && (
          <button
            type="button"
            class="plain small"
            aria-expanded={isOpen.value}
            aria-label={`Folders in ${name}`}
            onClick={() => (isOpen.value = !isOpen.value)}
          >
            <Icon name="chevron" />
          </button>
        )}
        <Choice id={id} name={name} {...props} />
      </div>
      {isOpen.value && <Level parent={id} except={except} {...props} />}
    </li>
  );
}

function Choice({ id, name, group, value }: LevelProps & { id: string; name: string }) {
  return (
    <label>
      <input
        type="radio"
        name={group}
        checked={value.value === id}
        onChange={() => (value.value = id)}
      />
      <bdi>{name}</bdi>
    </label>
  );
}
