// The rendition that the panel shows: fetched as a browser would load it, so that its size is the true one.
//
// - It follows the transformation after a short pause. A later one replaces an earlier one.
// - A private file is shown as its original: looking at it creates no rendition.
// - The service is asked whether what the browser has is still current: the bytes may have been replaced.
// - Where the bytes cannot be fetched, the image is shown by its URL, without its size.

import { useSignal, type ReadonlySignal } from "@preact/signals";
import { LarderError, url, type Transformation } from "larder";
import { signFileUrl, type FileRecord } from "larder/api";
import { useEffect } from "preact/hooks";

import { client, dataOf, errorOf } from "../../api.ts";
import { bodyOf } from "./transformation.ts";

/** Pause after the last change of the transformation. */
const DELAY_MS = 350;
/** Validity of the URL of a preview. */
const PREVIEW_MINUTES = 10;
/** What a browser accepts for an `<img>`. The service selects the format by it. */
const ACCEPT = "image/avif,image/webp,image/*,*/*;q=0.8";

interface Rendition {
  /** URL for the page: of the fetched bytes, or of the image. */
  src: string;
  /** Size in bytes. Null if unknown. */
  size: number | null;
  type: string;
}

export interface Shown {
  rendition: ReadonlySignal<Rendition | null>;
  error: ReadonlySignal<LarderError | null>;
  isBusy: ReadonlySignal<boolean>;
}

/** Whether each request of a file needs a signature or a key. */
export function isProtected({ type, access_control }: FileRecord): boolean {
  return type !== "upload" || access_control.requires_auth;
}

/** Whether a file has renditions. The service delivers vector images as they are. */
export function isTransformable({ resource_type, mime_type }: FileRecord): boolean {
  return resource_type === "image" && mime_type !== "image/svg+xml";
}

/** Whether each rendition of a file is public once it was created, so that only a person may create one. */
export function isPublicOnceCreated({ type }: FileRecord): boolean {
  return type === "private";
}

/** Fetches the rendition of a transformation. Null as transformation: nothing is fetched. */
export function useRendition(record: FileRecord, t: Transformation | null): Shown {
  const rendition = useSignal<Rendition | null>(null);
  const error = useSignal<LarderError | null>(null);
  const isBusy = useSignal(false);
  const address = record.url;

  useEffect(() => {
    if (!t || !address) return;
    const controller = new AbortController();
    const { signal } = controller;
    const load = async () => {
      isBusy.value = true;
      try {
        const loaded = await fetchRendition(await addressOf(record, t, signal), signal);
        if (signal.aborted) return URL.revokeObjectURL(loaded.src);
        error.value = null;
        rendition.value = loaded;
      } catch (cause) {
        if (!signal.aborted) error.value = errorOf(cause);
      }
      if (!signal.aborted) isBusy.value = false;
    };
    const timer = setTimeout(load, rendition.peek() ? DELAY_MS : 0);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [record.updated_at, address, JSON.stringify(t)]);

  useEffect(() => {
    const src = rendition.value?.src ?? "";
    return () => URL.revokeObjectURL(src);
  }, [rendition.value]);
  return { rendition, error, isBusy };
}

async function addressOf(record: FileRecord, t: Transformation, signal: AbortSignal): Promise<string> {
  if (!isProtected(record)) return url(record, t);
  const body = { ...bodyOf(t), expiration_minutes: PREVIEW_MINUTES };
  const signed = await dataOf(signFileUrl({ client, path: { id: record.id }, body, signal, throwOnError: true }));
  return signed.url ?? "";
}

async function fetchRendition(address: string, signal: AbortSignal): Promise<Rendition> {
  let response: Response;
  try {
    response = await fetch(address, { headers: { accept: ACCEPT }, cache: "no-cache", signal });
  } catch {
    return { src: address, size: null, type: "" };
  }
  if (!response.ok) throw await failureOf(response);
  const blob = await response.blob();
  return { src: URL.createObjectURL(blob), size: blob.size, type: blob.type };
}

/** Returns the error that the service describes: what it says about the parameters at fault, if anything. */
async function failureOf(response: Response): Promise<LarderError> {
  const body = (await response.json().catch(() => ({}))) as Partial<LarderError>;
  const { message = `The image cannot be loaded: status ${response.status}.`, errors = {} } = body;
  return new LarderError(message, response.status, null, errors);
}
