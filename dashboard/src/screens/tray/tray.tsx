// The tray of uploads: the progress of all, and the files that are not stored yet or failed.

import { useSignal } from "@preact/signals";

import { isOnline } from "../../api.ts";
import { ask } from "../../parts/dialog.tsx";
import { bytes, count, plural } from "../../parts/format.ts";
import { Icon } from "../../parts/icons.tsx";
import { stopReading } from "./adding.ts";
import { Rows } from "./rows.tsx";
import { pausedBy } from "./sending.ts";
import { activeOf } from "./totals.ts";
import { cancel, clear, isActive, reading, retry, summaryOf, timeLeft, totals } from "./uploads.ts";

export { addDropped, addFiles } from "./adding.ts";
export { onStored } from "./uploads.ts";

/** Width up to which the tray is folded at first, because it covers the page. */
const NARROW_PX = 700;

/** Shows the uploads of this page, unless there are none. */
export function Tray() {
  const isFolded = useSignal(innerWidth <= NARROW_PX);
  const { files, cancelled } = totals.value;
  if (files + cancelled + reading.value === 0) return null;

  return (
    <section class={isFolded.value ? "tray folded" : "tray"} aria-label="Uploads">
      <header>
        <Title />
        {isActive.value && <Controls />}
        <button
          class="plain tray-fold"
          aria-label={isFolded.value ? "Show the files" : "Hide the files"}
          aria-expanded={!isFolded.value}
          onClick={() => (isFolded.value = !isFolded.value)}
        >
          <Icon name="chevron" />
        </button>
        {!isActive.value && (
          <button class="plain" aria-label="Close uploads" onClick={clear}>
            <Icon name="close" />
          </button>
        )}
      </header>
      <Bar />
      {!isFolded.value && <Body />}
    </section>
  );
}

function Title() {
  const all = totals.value;
  const { files, bytes: size, sentBytes } = all;
  if (!isActive.value) return <p class="tray-title">{summaryOf(all)}</p>;

  const pauses = { "": "Uploading", person: "Paused,", session: "Paused," } as const;
  const verb = isOnline.value ? pauses[pausedBy.value] : "Offline,";
  const done = files - activeOf(all);
  const notes = [`${bytes(sentBytes)} of ${bytes(size)}`, timeLeft.value];
  return (
    <p class="tray-title">
      {files === 0 ? "Reading folders…" : `${verb} ${count(done)} of ${count(files)}`}
      <small>{files > 0 && notes.filter(Boolean).join(" · ")}</small>
    </p>
  );
}

function Controls() {
  const isPaused = pausedBy.value !== "";
  const stop = async () => {
    stopReading();
    cancel();
  };
  const askToStop = () =>
    ask({
      title: "Cancel all uploads?",
      text: `${plural(activeOf(totals.value), "file")} will not be uploaded. Files that are stored stay.`,
      action: "Cancel uploads",
      run: stop,
    });
  return (
    <>
      <button class="small" onClick={() => (pausedBy.value = isPaused ? "" : "person")}>
        {isPaused ? "Resume" : "Pause"}
      </button>
      <button class="small" onClick={askToStop}>
        Cancel all
      </button>
    </>
  );
}

function Bar() {
  const { bytes: size, sentBytes } = totals.value;
  if (!isActive.value) return null;
  return <progress class="tray-bar" max={Math.max(1, size)} value={sentBytes} aria-label="Progress of all uploads" />;
}

function Body() {
  const { stored, failed } = totals.value;
  return (
    <>
      {pausedBy.value === "session" && (
        <p class="tray-note">The session ended. Resume continues with the key that you use now.</p>
      )}
      {failed > 0 && (
        <div class="tray-note tray-failed">
          <b>{count(failed)} failed</b>
          <button class="small" onClick={() => retry()}>
            Retry all failed
          </button>
        </div>
      )}
      <Rows />
      {isActive.value && (stored > 0 || reading.value > 0) && (
        <p class="tray-note">
          {reading.value > 0 && `Reading folders… ${count(reading.value)}`}
          {reading.value > 0 && stored > 0 && " · "}
          {stored > 0 && `${count(stored)} uploaded`}
        </p>
      )}
    </>
  );
}
