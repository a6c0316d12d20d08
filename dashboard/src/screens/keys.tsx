// API keys: those of the current space, and those of the user.
//
// - Only owners see and change the keys of a space. Others read that, instead of a request that would fail.

import type { Role } from "larder/api";

import { unless } from "../parts/roles.ts";
import { account, can, isUser, space } from "../state.ts";
import { KeyList } from "./keys/key-list.tsx";
import { keysOfSpace, keysOfUser } from "./keys/sources.ts";

/** The screen of keys. */
export function Keys() {
  const current = space.value;
  if (!current) return null;
  return (
    <main class="page keys">
      {can("owner") ? <KeyList level={1} source={keysOfSpace(current)} /> : <ForOwners role={current.role} />}
      {isUser.value && account.value && <KeyList level={2} source={keysOfUser(current)} />}
    </main>
  );
}

/** Says which role the keys of the space need. */
function ForOwners({ role }: { role: Role }) {
  return (
    <section class="key-list" aria-label="API keys">
      <header>
        <h1>API keys</h1>
        <button {...unless("owner")}>New key</button>
      </header>
      <p class="empty">
        Only owners of a space see, create and revoke its keys. Your role here is {role}: ask an owner for a key, or sign
        in with a key of the role owner.
      </p>
    </section>
  );
}
