// The frame of all screens: sign-in, navigation, the current screen, messages and questions.

import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";

import { busyUntil, isOnline } from "./api.ts";
import { Navigation } from "./navigation.tsx";
import { Questions } from "./parts/dialog.tsx";
import { hasFiles } from "./parts/file-drop.ts";
import { Show, useLoad } from "./parts/load.tsx";
import { Messages, toast } from "./parts/status.tsx";
import { place, replace, SCREENS, type Screen } from "./router.ts";
import { Access } from "./screens/access/access.tsx";
import { Files } from "./screens/files/files.tsx";
import { Keys } from "./screens/keys.tsx";
import { Local } from "./screens/local/local.tsx";
import { Settings } from "./screens/settings/settings.tsx";
import { SignIn } from "./screens/sign-in.tsx";
import { Tray } from "./screens/tray/tray.tsx";
import { UploadConfigs } from "./screens/upload-configs/upload-configs.tsx";
import { Webhooks } from "./screens/webhooks/webhooks.tsx";
import { key } from "./session.ts";
import { account, loadState, space } from "./state.ts";

const VIEWS: Readonly<Record<Screen, ComponentType>> = {
  files: Files,
  "upload-configs": UploadConfigs,
  access: Access,
  keys: Keys,
  webhooks: Webhooks,
  settings: Settings,
  local: Local,
};

// Without a target, the browser would leave the page to show a file that is dropped.
for (const type of ["dragover", "drop"] as const) {
  addEventListener(type, (event) => hasFiles(event) && event.preventDefault());
}

/** The page: sign-in or a session, and messages of both. */
export function App() {
  return (
    <>
      {key.value ? <Session key={key.value} /> : <SignIn />}
      <Messages />
    </>
  );
}

function Session() {
  const loaded = useLoad(async () => {
    account.value = null;
    busyUntil.value = 0;
    await loadState();
    return true;
  }, []);
  return <Show of={loaded}>{() => <Frame />}</Show>;
}

function Frame() {
  const isMenuOpen = useSignal(false);
  const { screen } = place.value;
  const current = space.value;
  const View = VIEWS[screen];
  useEffect(() => {
    // The place may have changed since the page was rendered.
    const { handle, query } = place.value;
    const shown = space.value;
    if (shown && shown.handle !== handle) {
      // The query of an unknown space has ids that the shown one does not have.
      replace({ handle: shown.handle, query: handle ? {} : query });
      if (handle) toast(`There is no space “${handle}”, or your key has no access to it.`, { isError: true });
    }
    document.title = [SCREENS[screen], shown?.name, "Larder"].filter(Boolean).join(" · ");
    isMenuOpen.value = false;
  }, [place.value, current]);

  return (
    <div class={isMenuOpen.value ? "frame menu-open" : "frame"}>
      <Navigation isMenuOpen={isMenuOpen} />
      <div class="content">
        <Notices />
        {current ? <View key={current.id} /> : <NoSpace />}
      </div>
      <Tray />
      <Questions key={`${current?.id} ${screen}`} />
    </div>
  );
}

/** States of the connection, which no screen can change. */
function Notices() {
  const until = busyUntil.value && new Date(busyUntil.value).toLocaleTimeString("en");
  if (!isOnline.value) return <div class="notice" role="status">You are offline. Uploads continue when the connection is back.</div>;
  return until ? <div class="notice" role="status">Too many requests. The next one is sent at {until}.</div> : null;
}

function NoSpace() {
  return (
    <main class="page">
      <h1>No space yet</h1>
      <p>Files belong to a space. Create the first one with New space.</p>
    </main>
  );
}
