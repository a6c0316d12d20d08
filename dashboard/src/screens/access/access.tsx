// Access and watermark: the settings of the space, and of the folders that differ.

import { getSpace } from "larder/api";

import { client, dataOf } from "../../api.ts";
import { Show, useLoad } from "../../parts/load.tsx";
import { space } from "../../state.ts";
import { Defaults } from "./defaults.tsx";
import { Exceptions } from "./exceptions.tsx";

export function Access() {
  const id = space.value?.id ?? "";
  const loaded = useLoad((signal) => dataOf(getSpace({ client, path: { id }, signal, throwOnError: true })), [id]);
  return (
    <main class="page access">
      <header>
        <h1>Access & watermark</h1>
      </header>
      <Show of={loaded}>
        {(current) => (
          <>
            <Defaults current={current} onChanged={loaded.set} />
            <Exceptions key={current.updated_at} spaceId={id} handle={current.handle} />
          </>
        )}
      </Show>
    </main>
  );
}
