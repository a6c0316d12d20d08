// Upload configs: their list, or the form of the one in the query (`config=ID`, `config=new`).
//
// - Admins edit, users read. Viewers see neither, by the rules of the service.

import { useEffect, useRef } from "preact/hooks";

import { place } from "../../router.ts";
import { can, space } from "../../state.ts";
import { ConfigList } from "./config-list.tsx";
import { Editor, NewConfig } from "./editor.tsx";

/** Value of the query for a config that is not created yet. */
const NEW = "new";

export function UploadConfigs() {
  const main = useRef<HTMLElement>(null);
  const id = place.value.query["config"] ?? "";
  const shown = useRef(id);
  useEffect(() => {
    if (shown.current === id) return;
    shown.current = id;
    // The link or button that led here is gone.
    main.current?.focus();
  }, [id]);

  const current = space.value;
  if (!current) return null;
  return (
    <main class="page configs" ref={main} tabIndex={-1}>
      {!can("user") ? (
        <ForUsers />
      ) : id === NEW ? (
        <NewConfig space={current} />
      ) : id ? (
        <Editor key={id} id={id} space={current} />
      ) : (
        <ConfigList space={current} newId={NEW} />
      )}
    </main>
  );
}

function ForUsers() {
  return (
    <>
      <h1>Upload configs</h1>
      <p class="empty">
        An upload config says who may upload, and what happens with their files. Your role here is viewer, which cannot
        upload: the role user sees upload configs, the role admin changes them.
      </p>
    </>
  );
}
