// What a screen shows while its data is loaded, if that fails, and if there is none.

import { useSignal, type ReadonlySignal } from "@preact/signals";
import { LarderError } from "larder";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { errorOf } from "../api.ts";
import { ErrorText } from "./form.tsx";

export interface Loaded<T> {
  data: ReadonlySignal<T | null>;
  error: ReadonlySignal<LarderError | null>;
  /** Loads again, and shows the earlier data until then. */
  reload: () => void;
  /** Replaces the data by what a change returned. A load that runs is dropped, because it may have begun before. */
  set: (data: T) => void;
}

/** Loads data when the component appears and when one of `inputs` changes. A later load replaces an earlier one. */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const data = useSignal<T | null>(null);
  const error = useSignal<LarderError | null>(null);
  const round = useSignal(0);
  const running = useRef<AbortController>(null);

  useEffect(() => {
    data.value = null;
  }, inputs);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    if (data.value === null) error.value = null;
    load(signal)
      .then((loaded) => signal.aborted || show(loaded))
      .catch((cause: unknown) => signal.aborted || (error.value = errorOf(cause)));
    return () => controller.abort();
  }, [...inputs, round.value]);

  const show = (loaded: T) => {
    data.value = loaded;
    error.value = null;
  };
  const set = (changed: T) => {
    running.current?.abort();
    show(changed);
  };
  return { data, error, reload: () => (round.value += 1), set };
}

/** Shows loaded data, and the reason why it is not there or not current. */
export function Show<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  const [data, error] = [of.data.value, of.error.value];
  if (data === null && !error) return <div class="loading" role="status" aria-label="Loading" />;
  return (
    <>
      {error && <Failure error={error} retry={of.reload} />}
      {data !== null && children(data)}
    </>
  );
}

/** Says what went wrong, with a button to try it again. */
export function Failure({ error, retry }: { error: LarderError; retry: () => void }) {
  return (
    <div class="problem" role="alert">
      <ErrorText error={error} />
      <button onClick={retry}>Try again</button>
    </div>
  );
}

/** Says why one would want what a list does not have yet. */
export function Empty({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
