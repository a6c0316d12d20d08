// A table of keys, newest first.
//
// - Revoked and expired keys stay in the list: the service keeps them, so that their last use can be looked up.
// - A revoked row keeps the focus, because its button is gone.

import { useSignal } from "@preact/signals";
import type { ApiKey, Page } from "larder/api";

import { ask } from "../../parts/dialog.tsx";
import { ago, date, time } from "../../parts/format.ts";
import { Empty, Show, useLoad, type Loaded } from "../../parts/load.tsx";
import { More } from "../../parts/pages.tsx";
import { toast } from "../../parts/status.tsx";
import { CardTable } from "../../parts/table.tsx";
import { endSession } from "../../session.ts";
import { account } from "../../state.ts";
import { NewKey } from "./new-key.tsx";
import type { KeySource } from "./sources.ts";

/** Keys that expire within this time are marked. */
const SOON_MS = 7 * 86_400_000;

/** A list of keys, with the dialog that creates one. */
export function KeyList({ source, level }: { source: KeySource; level: 1 | 2 }) {
  const isCreating = useSignal(false);
  const loaded = useLoad(() => source.list(), [source.id]);
  const Title = level === 1 ? "h1" : "h2";
  const add = (key: ApiKey) => {
    const page = loaded.data.value;
    // A load that has not ended may have begun before the key existed.
    if (page) loaded.set({ ...page, data: [key, ...page.data] });
    else loaded.reload();
  };
  return (
    <section class="key-list" aria-label={source.title}>
      <header>
        <div>
          <Title>{source.title}</Title>
          <p class="hint">{source.hint}</p>
        </div>
        <button class={level === 1 ? "primary" : ""} onClick={() => (isCreating.value = true)}>
          {source.create}
        </button>
      </header>
      <Show of={loaded}>
        {(page) =>
          page.data.length > 0 ? (
            <KeyTable source={source} loaded={loaded} page={page} />
          ) : (
            <Empty title="No key yet">
              <p>Give each program its key, so that you can revoke it without the others.</p>
            </Empty>
          )
        }
      </Show>
      <More of={loaded} list={source.list} />
      {isCreating.value && <NewKey source={source} onAdd={add} onClose={() => (isCreating.value = false)} />}
    </section>
  );
}

interface TableProps {
  source: KeySource;
  loaded: Loaded<Page<ApiKey>>;
  page: Page<ApiKey>;
}

function KeyTable({ source, loaded, page }: TableProps) {
  const hasRoles = source.roles.length > 0;
  const heads = ["Name", hasRoles && "Role", "Key", "Last used", "Expires", "State"].filter((head) => head !== false);
  const replace = (id: number, changes: Partial<ApiKey>) => {
    const latest = loaded.data.value ?? page;
    loaded.set({ ...latest, data: latest.data.map((key) => (key.id === id ? { ...key, ...changes } : key)) });
  };

  return (
    <CardTable label={source.title} heads={heads} hasActions>
      {page.data.map((key) => (
        <KeyRow key={key.id} apiKey={key} hasRoles={hasRoles} onRevoke={(row) => askToRevoke(source, key, row, replace)} />
      ))}
    </CardTable>
  );
}

interface RowProps {
  apiKey: ApiKey;
  hasRoles: boolean;
  onRevoke: (row: HTMLElement | null) => void;
}

function KeyRow({ apiKey, hasRoles, onRevoke }: RowProps) {
  const { id, name, role, last_four, last_used_at, expires_at } = apiKey;
  const state = stateOf(apiKey);
  const isSoon = state === "active" && expires_at && Date.parse(expires_at) - Date.now() < SOON_MS;
  return (
    <tr role="row" aria-label={name} tabIndex={-1} class={state === "active" ? "" : "ended"}>
      <th role="rowheader" scope="row">
        <bdi>{name}</bdi> {account.value?.key.id === id && <span class="badge">this session</span>}
      </th>
      {hasRoles && <td role="cell">{role}</td>}
      <td role="cell" class="mono" aria-label={`ends with ${last_four}`}>
        ····{last_four}
      </td>
      <td role="cell" data-label="used" title={last_used_at ? time(last_used_at) : undefined}>
        {last_used_at ? ago(last_used_at) : "never"}
      </td>
      <td role="cell" data-label="expires" title={expires_at ? time(expires_at) : undefined} class={isSoon ? "soon" : ""}>
        {expires_at ? date(expires_at) : "never"}
      </td>
      <td role="cell">
        <span class={BADGES[state]}>{state}</span>
      </td>
      <td role="cell" class="end">
        {state === "active" && (
          <button class="small danger" onClick={(event) => onRevoke(event.currentTarget.closest("tr"))}>
            Revoke
          </button>
        )}
      </td>
    </tr>
  );
}

type State = "active" | "expired" | "revoked";
const BADGES: Readonly<Record<State, string>> = { active: "badge ok", expired: "badge warn", revoked: "badge danger" };

function stateOf({ is_active, expires_at }: ApiKey): State {
  if (expires_at && Date.parse(expires_at) <= Date.now()) return "expired";
  return is_active ? "active" : "revoked";
}

function askToRevoke(
  source: KeySource,
  { id, name }: ApiKey,
  row: HTMLElement | null,
  replace: (id: number, changes: Partial<ApiKey>) => void,
): void {
  const isOwn = account.value?.key.id === id;
  const run = async () => {
    await source.revoke(id);
    if (isOwn) return endSession("You revoked the key of this session.");
    replace(id, { is_active: false });
    // The name is last, so that it cannot reorder the text.
    toast(`Revoked: ${name}`);
    // After the question has closed.
    setTimeout(() => row?.focus());
  };
  ask({
    title: (
      <>
        Revoke “<bdi>{name}</bdi>”?
      </>
    ),
    text: (
      <>
        Requests with it fail from now on, and so do the upload URLs that it signed. Delivery URLs that were signed
        stay valid: the signing secret of the space ends those.
        {isOwn && <b> It is the key of this session: you will be signed out.</b>}
      </>
    ),
    action: "Revoke",
    run,
  });
}
