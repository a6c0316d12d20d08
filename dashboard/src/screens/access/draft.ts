// Security settings while they are edited.
//
// - A logo has three sources: a URL, a chosen file, and the stored file of an earlier change. The first that is
//   present is the one in use. The choice of a file empties the URL.
// - A chosen file is uploaded once, when the settings are saved.

import { signal } from "@preact/signals";
import { LarderError, upload } from "larder";
import type { Gravity, TransformationPolicy, Watermark, WatermarkInput } from "larder/api";

import { BASE_URL, errorOf } from "../../api.ts";
import { textOf } from "../../parts/errors.ts";
import type { Options } from "../../parts/form.tsx";
import { key } from "../../session.ts";

export type MarkDraft = ReturnType<typeof draftOf>;

/** Field of the API for the logo from a file. */
export const FILE_FIELD = "security.watermark.file_id";

export const POLICIES: Options = [
  ["any", "Any: everyone may resize, crop and convert."],
  ["signed", "Signed: only signed URLs may create a size or format. Others get what exists already."],
  ["named", "Named: only the sizes that upload configs prepare, and signed URLs."],
];

/** Returns the policy that the API named. */
export function policyOf(value: string): TransformationPolicy {
  return value as TransformationPolicy;
}

/** Returns a draft of a watermark. */
export function draftOf(mark: Watermark) {
  return {
    isEnabled: signal(mark.enabled),
    position: signal<string>(mark.position),
    /** From 0.01 to 1. */
    opacity: signal(String(mark.opacity)),
    url: signal(mark.url ?? ""),
    file: signal<File | null>(null),
    /** File of the space, stored earlier. */
    fileId: signal(mark.file_id ?? ""),
    /** Uploaded files by their bytes, so that a repeated change uploads none again. */
    uploaded: new Map<File, string>(),
  };
}

/** Makes a draft what is saved. */
export function adopt(draft: MarkDraft, mark: Watermark): void {
  draft.isEnabled.value = mark.enabled;
  draft.position.value = mark.position;
  draft.opacity.value = String(mark.opacity);
  draft.url.value = mark.url ?? "";
  draft.file.value = null;
  draft.fileId.value = mark.file_id ?? "";
}

/** Takes a file as the logo of a draft, and switches the watermark on. */
export function chooseLogo(draft: MarkDraft, file: File): void {
  draft.file.value = file;
  draft.url.value = "";
  draft.isEnabled.value = true;
}

/** Whether a draft differs from the saved watermark. */
export function isChanged(draft: MarkDraft, mark: Watermark): boolean {
  return (
    draft.file.value !== null ||
    draft.isEnabled.value !== mark.enabled ||
    draft.position.value !== mark.position ||
    Number(draft.opacity.value) !== mark.opacity ||
    draft.url.value !== (mark.url ?? "")
  );
}

/** Returns a draft as the API takes it. Uploads a chosen logo into the space before. */
export async function markOf(draft: MarkDraft, handle: string): Promise<WatermarkInput> {
  const { isEnabled, position, opacity, url, file, fileId } = draft;
  const settings = {
    enabled: isEnabled.value,
    position: position.value as Gravity,
    opacity: Number(opacity.value),
  };
  if (url.value) return { ...settings, url: url.value };
  const file_id = file.value ? await store(draft, file.value, handle) : fileId.value;
  return file_id ? { ...settings, file_id } : settings;
}

async function store(draft: MarkDraft, file: File, handle: string): Promise<string> {
  const known = draft.uploaded.get(file);
  if (known) return known;
  try {
    const { id } = await upload({ baseUrl: BASE_URL, key: () => key.value }, file, { space: handle });
    draft.uploaded.set(file, id);
    return id;
  } catch (cause) {
    const error = errorOf(cause);
    throw new LarderError(error.message, error.status, error, { [FILE_FIELD]: [textOf(error)] }, error.requestId);
  }
}
