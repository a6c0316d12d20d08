// Changes of the current space.

import { updateSpace, type UpdateSpaceRequest } from "larder/api";

import { client, dataOf } from "../../api.ts";
import { space, spaces } from "../../state.ts";

/** Changes fields of the current space, here and in the list of spaces. Others stay. */
export async function saveSpace(changes: Partial<UpdateSpaceRequest>): Promise<void> {
  const current = space.value;
  if (!current) return;
  // The API requires the name in each change.
  const body = { name: current.name, ...changes };
  const saved = await dataOf(updateSpace({ client, path: { id: current.id }, body, throwOnError: true }));
  spaces.value = spaces.value.map((known) => (known.id === saved.id ? { ...known, ...saved } : known));
}
