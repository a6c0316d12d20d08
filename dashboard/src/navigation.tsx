// The side bar: the menu of spaces, the screens of the current space, and the key of the session.

import { useSignal, type Signal } from "@preact/signals";
import { createSpace, type SpaceSummary } from "larder/api";
import { useId, useRef } from "preact/hooks";

import { client, dataOf } from "./api.ts";
import { ActionButton } from "./parts/action-button.tsx";
import { ask, FormDialog } from "./parts/dialog.tsx";
import { TextField } from "./parts/form.tsx";
import { Icon } from "./parts/icons.tsx";
import { toast } from "./parts/status.tsx";
import { go, href, place, SCREENS, type Screen } from "./router.ts";
import { isActive } from "./screens/tray/uploads.ts";
import { endSession, isLocal } from "./session.ts";
import { account, isUser, loadSpaces, makeDefault, space, spaces } from "./state.ts";

/** Screens of a space, in the order of the navigation. */
const OF_SPACE: readonly Screen[] = ["files", "upload-configs", "access", "keys", "webhooks", "settings"];

/** The side bar, which is a menu on phones. */
export function Navigation({ isMenuOpen }: { isMenuOpen: Signal<boolean> }) {
  const caller = account.value?.key;
  return (
    <>
      <button
        class="menu-button plain"
        aria-label="Menu"
        aria-expanded={isMenuOpen.value}
        onClick={() => (isMenuOpen.value = !isMenuOpen.value)}
      >
        <Icon name={isMenuOpen.value ? "close" : "menu"} />
      </button>
      <header class="side">
        <a class="brand" href={href({ screen: "files" })}>
          <img src="/logo.svg" alt="" width="26" height="26" />
          Larder
        </a>
        <SpaceMenu />
        <nav aria-label="Space">
          {space.value && OF_SPACE.map((screen) => <ScreenLink key={screen} screen={screen} />)}
        </nav>
        <div class="foot">
          {isLocal && <ScreenLink screen="local" />}
          <a href="/api/v1/openapi.json" target="_blank" rel="noreferrer">
            API document
          </a>
          <small>
            {space.value?.role ?? caller?.type} key ····{caller?.last_four}
          </small>
          <button class="plain" onClick={signOut}>
            Sign out
          </button>
        </div>
      </header>
    </>
  );
}

/** Ends the session, and with it the uploads. */
function signOut(): void {
  const run = async () => endSession();
  if (!isActive.value) return endSession();
  ask({ title: "Sign out?", text: "Files that are not uploaded yet will not be.", action: "Sign out", run });
}

function ScreenLink({ screen }: { screen: Screen }) {
  const handle = space.value?.handle ?? "";
  const isCurrent = place.value.screen === screen;
  return (
    <a href={href({ handle, screen })} aria-current={isCurrent ? "page" : undefined}>
      {SCREENS[screen]}
    </a>
  );
}

function SpaceMenu() {
  const id = useId();
  const popover = useRef<HTMLDivElement>(null);
  const prefix = useSignal("");
  const isCreating = useSignal(false);
  const current = space.value;

  const wanted = prefix.value.toLowerCase();
  const shown = spaces.value.filter(({ name, handle }) => `${name} ${handle}`.toLowerCase().includes(wanted));
  const close = () => popover.current?.hidePopover();

  return (
    <>
      <button class="space-button" popovertarget={id}>
        <span>
          <b>{current?.name ?? "Spaces"}</b>
          <small aria-hidden="true">
            {current?.handle}
            {isDefault(current) && " · default"}
          </small>
        </span>
        <Icon name="chevron" />
      </button>
      <div id={id} ref={popover} popover="auto" class="popover space-menu" role="dialog" aria-label="Spaces">
        <input
          type="search"
          aria-label="Find a space"
          placeholder="Find a space"
          value={prefix.value}
          onInput={(event) => (prefix.value = event.currentTarget.value)}
        />
        <ul>
          {shown.map((candidate) => (
            <SpaceItem key={candidate.id} candidate={candidate} onSelect={close} />
          ))}
          {shown.length === 0 && <li class="hint">No space with “{prefix}”.</li>}
        </ul>
        {isUser.value && (
          <button
            onClick={() => {
              close();
              isCreating.value = true;
            }}
          >
            <Icon name="plus" /> New space
          </button>
        )}
      </div>
      {isCreating.value && <NewSpace onClose={() => (isCreating.value = false)} />}
    </>
  );
}

function isDefault(candidate: SpaceSummary | null): boolean {
  return candidate !== null && candidate.id === account.value?.default_space_id;
}

function SpaceItem({ candidate, onSelect }: { candidate: SpaceSummary; onSelect: () => void }) {
  const { id, name, handle, role, enabled } = candidate;
  const labelId = useId();
  const setDefault = async () => {
    await makeDefault(id);
    toast(`${name} is the default space.`);
  };
  const notes = [handle, role, isDefault(candidate) && "default", !enabled && "disabled"];
  return (
    <li>
      <a
        href={href({ handle })}
        aria-current={space.value?.id === id ? "true" : undefined}
        onClick={onSelect}
      >
        <b id={labelId}>{name}</b>
        <small>{notes.filter(Boolean).join(" · ")}</small>
      </a>
      {isUser.value && !isDefault(candidate) && (
        <ActionButton class="small" aria-describedby={labelId} action={setDefault}>
          Make default
        </ActionButton>
      )}
    </li>
  );
}

function NewSpace({ onClose }: { onClose: () => void }) {
  const name = useSignal("");
  const description = useSignal("");
  const create = async () => {
    const body = { name: name.value, description: description.value || null };
    const created = await dataOf(createSpace({ client, body, throwOnError: true }));
    await loadSpaces();
    go({ handle: created.handle, screen: "files" });
    toast(`${created.name} was created.`);
  };
  return (
    <FormDialog title="New space" submit="Create" onSubmit={create} onClose={onClose}>
      <TextField name="name" label="Name" value={name} autofocus />
      <TextField name="description" label="Description" value={description} hint="Optional." />
    </FormDialog>
  );
}
