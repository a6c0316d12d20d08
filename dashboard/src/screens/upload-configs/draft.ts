// An upload config while it is edited: one signal per field.
//
// - Numbers are texts, so that what is not a number reaches the service, whose error appears at the field.
// - The service replaces the rules as a whole, so that a request has all of them.
// - Restrictions of unsigned uploads are sent only while pages may upload. The service keeps them otherwise.

import { signal, type Signal } from "@preact/signals";
import type {
  CreateUploadConfigRequest,
  Crop,
  DeliveryType,
  EagerTransformation,
  ImageFormat,
  UploadConfig,
  UploadFormat,
  WebhookEvent,
} from "larder/api";

import { numberOf } from "../../parts/number-field.tsx";
import { withTyped } from "../../parts/tags.tsx";

/** Who may upload: holders of keys, holders of signed URLs, or pages. */
export type Who = "keys" | "signed" | "pages";

/** Webhooks that are sent on request, in addition to `file.uploaded`. */
export const EVENTS: readonly WebhookEvent[] = [
  "file.processed",
  "file.failed",
  "file.replaced",
  "file.deleted",
  "file.restored",
];

/** Separates words that have neither spaces nor commas. */
const SPACE_OR_COMMA = /[\s,]+/;

/** Bytes of the unit in which the form has sizes. */
const MB = 1024 * 1024;

export interface EagerDraft {
  /** Identifies the row while it is edited. */
  id: number;
  width: Signal<string>;
  height: Signal<string>;
  crop: Signal<string>;
  format: Signal<string>;
}

export type Draft = ReturnType<typeof draftOf>;

/** Returns who may upload with a config. */
export function whoOf({ is_signed, allow_unsigned }: Pick<UploadConfig, "is_signed" | "allow_unsigned">): Who {
  if (is_signed) return "signed";
  return allow_unsigned ? "pages" : "keys";
}

/** Returns the draft of a config, or of a new one with the defaults of the service. */
export function draftOf(config: UploadConfig | null) {
  const { storage, validation, transformations, metadata, notifications } = config?.config ?? {};
  const restrictions = config?.unsigned_restrictions;
  const maxBytes = validation?.max_file_size;
  return {
    name: signal(config?.name ?? ""),
    description: signal(config?.description ?? ""),
    deliveryType: signal<string>(config?.delivery_type ?? "upload"),
    who: signal<string>(config ? whoOf(config) : "keys"),
    referrers: list(restrictions?.allowed_referrers, SPACE_OR_COMMA),
    requireHttps: signal(restrictions?.require_https ?? true),
    maxPerHour: text(restrictions?.max_uploads_per_hour),

    formats: list(validation?.allowed_formats, SPACE_OR_COMMA),
    maxMegabytes: text(maxBytes && maxBytes / MB),
    minWidth: text(validation?.min_image_width),
    minHeight: text(validation?.min_image_height),
    maxWidth: text(validation?.max_image_width),
    maxHeight: text(validation?.max_image_height),

    folder: signal(storage?.folder ?? ""),
    generateFilename: signal(storage?.generate_filename ?? true),
    uniqueFilename: signal(storage?.unique_filename ?? true),

    format: signal<string>(transformations?.upload_format ?? "original"),
    quality: text(transformations?.upload_quality ?? "auto"),
    progressive: signal(transformations?.progressive ?? false),
    stripMetadata: signal(transformations?.strip_metadata ?? false),
    eager: signal<readonly EagerDraft[]>((transformations?.eager ?? []).map(eagerDraft)),

    tags: list(metadata?.tags),
    autoTagging: signal(metadata?.auto_tagging ?? false),
    webhookUrl: signal(notifications?.webhook_url ?? ""),
    events: EVENTS.map((event) => signal(notifications?.events?.includes(event) ?? false)),
  };
}

const text = (value: number | string | null | undefined) => signal(`${value ?? ""}`);
const list = (words: readonly string[] | null | undefined, separator = /,/) => ({
  tags: signal<readonly string[]>(words ?? []),
  typed: signal(""),
  separator,
});

let lastId = 0;

/** Returns a row of a prepared size, by default one without a size. */
export function eagerDraft(eager?: EagerTransformation): EagerDraft {
  return {
    id: (lastId += 1),
    width: text(eager?.width),
    height: text(eager?.height),
    crop: signal<string>(eager?.crop ?? "fit"),
    format: signal<string>(eager?.format ?? ""),
  };
}

type Fields = Omit<CreateUploadConfigRequest, "space_id" | "delivery_type"> & { delivery_type: DeliveryType };

/** Returns the fields of a draft as a request has them. */
export function requestOf(draft: Draft): Fields {
  const isOfPages = draft.who.value === "pages";
  return {
    name: draft.name.value,
    description: draft.description.value || null,
    // Selects and radios have values of the API only.
    delivery_type: draft.deliveryType.value as DeliveryType,
    is_signed: draft.who.value === "signed",
    allow_unsigned: isOfPages,
    ...(isOfPages && {
      unsigned_restrictions: {
        allowed_referrers: withTyped(draft.referrers),
        require_https: draft.requireHttps.value,
        max_uploads_per_hour: numberOf(draft.maxPerHour),
      },
    }),
    config: rulesOf(draft),
  };
}

function rulesOf(draft: Draft): NonNullable<CreateUploadConfigRequest["config"]> {
  const formats = withTyped(draft.formats);
  const events = EVENTS.filter((_, index) => draft.events[index]?.value);
  return {
    validation: {
      allowed_formats: formats.length > 0 ? formats : null,
      max_file_size: bytesOf(draft.maxMegabytes),
      min_image_width: numberOf(draft.minWidth),
      min_image_height: numberOf(draft.minHeight),
      max_image_width: numberOf(draft.maxWidth),
      max_image_height: numberOf(draft.maxHeight),
    },
    storage: {
      folder: draft.folder.value || null,
      generate_filename: draft.generateFilename.value,
      unique_filename: draft.uniqueFilename.value,
    },
    transformations: {
      upload_format: draft.format.value as UploadFormat,
      upload_quality: draft.quality.value.trim() === "auto" ? "auto" : numberOf(draft.quality),
      progressive: draft.progressive.value,
      strip_metadata: draft.stripMetadata.value,
      eager: draft.eager.value.map((row) => ({
        width: numberOf(row.width),
        height: numberOf(row.height),
        crop: row.crop.value as Crop,
        format: (row.format.value || null) as ImageFormat | null,
      })),
    },
    metadata: { tags: withTyped(draft.tags), auto_tagging: draft.autoTagging.value },
    notifications: { webhook_url: draft.webhookUrl.value || null, events: events.length > 0 ? events : null },
  };
}

function bytesOf(megabytes: Signal<string>): number | null {
  const value = numberOf(megabytes);
  return typeof value === "number" ? Math.round(value * MB) : value;
}
