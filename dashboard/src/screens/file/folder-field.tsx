// The folder of a file as a field, which a dialog changes.

import { useSignal, type Signal } from "@preact/signals";
import { getFolder } from "larder/api";

import { client, dataOf } from "../../api.ts";
import { FormDialog } from "../../parts/dialog.tsx";
import { ROOT } from "../../parts/folder-data.ts";
import { FolderPicker } from "../../parts/folder-picker.tsx";
import { Field } from "../../parts/form.tsx";

/** A folder by its id and path. Both of the root are empty. */
export interface Chosen {
  id: string | null;
  path: string | null;
}

/** Shows the folder of a file. `onOpen` opens the dialog that changes it. */
export function FolderField({ folder, onOpen }: { folder: Signal<Chosen>; onOpen: () => void }) {
  const { path } = folder.value;
  return (
    <Field name="folder_id" label="Folder">
      {(attributes) => (
        <button
          {...attributes}
          type="button"
          class="folder-button"
          aria-label={`Folder: ${path ?? "No folder"}`}
          onClick={onOpen}
        >
          <bdi>{path ?? "No folder"}</bdi>
        </button>
      )}
    </Field>
  );
}

/** The dialog of the field. It is beside the form, because it is one itself. */
export function FolderDialog({ folder, onClose }: { folder: Signal<Chosen>; onClose: () => void }) {
  const value = useSignal(folder.value.id ?? ROOT);
  const choose = async () => {
    const path = { id: value.value };
    const isRoot = path.id === ROOT;
    folder.value = isRoot
      ? { id: null, path: null }
      : await dataOf(getFolder({ client, path, throwOnError: true }));
  };
  return (
    <FormDialog title="Choose a folder" submit="Choose" onSubmit={choose} onClose={onClose}>
      <FolderPicker value={value} />
    </FormDialog>
  );
}
