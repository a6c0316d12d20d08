// The fields of an upload config: who may upload first, then five sections in the order in which a file meets them.

import type { ComponentChildren } from "preact";

import { CheckField, RadioField, SelectField, TextField, type Options } from "../../parts/form.tsx";
import { NumberField } from "../../parts/number-field.tsx";
import { UPLOAD_FORMATS } from "../../parts/options.ts";
import { TagsField } from "../../parts/tags.tsx";
import { EVENTS, type Draft } from "./draft.ts";
import { EagerFields } from "./eager-fields.tsx";
import { DELIVERY, WHO } from "./labels.ts";

const FORMATS: Options = [["original", "original"], ...UPLOAD_FORMATS];
const WHO_HINTS: Readonly<Record<string, string>> = {
  keys: "Requests with an API key of the role user or above.",
  signed: "Your server signs a URL for each upload. Requests with a key are rejected.",
  pages: "Visitors of these pages, without a key. Anyone can imitate a page: keep the limits low.",
};

interface Props {
  draft: Draft;
}

/** Name, delivery and who may upload. */
export function Basics({ draft }: Props) {
  return (
    <div class="card">
      <TextField name="name" label="Name" value={draft.name} hint="Letters, digits, _ and -. It is part of the address of pages." />
      <TextField name="description" label="Description" value={draft.description} />
      <RadioField name="delivery_type" label="Delivered as" value={draft.deliveryType} options={Object.entries(DELIVERY)} />
      <RadioField name="is_signed" label="Who may upload" value={draft.who} options={Object.entries(WHO)} />
      <p class="hint">{WHO_HINTS[draft.who.value]}</p>
      {draft.who.value === "pages" && <Restrictions draft={draft} />}
    </div>
  );
}

function Restrictions({ draft }: Props) {
  return (
    <>
      <TagsField
        {...draft.referrers}
        name="unsigned_restrictions.allowed_referrers"
        label="Pages"
        placeholder="example.com"
        hint="Host names. *.example.com stands for all hosts below example.com. Enter adds one."
      />
      <CheckField name="unsigned_restrictions.require_https" label="HTTPS only" value={draft.requireHttps} />
      <NumberField
        name="unsigned_restrictions.max_uploads_per_hour"
        label="Uploads per hour"
        value={draft.maxPerHour}
        placeholder="default"
        hint="1 to 1000, of all visitors together."
      />
    </>
  );
}

/** The rules, section by section. */
export function Rules({ draft }: Props) {
  return (
    <>
      <Section title="Accept" hint="formats, sizes" isOpen>
        <Accept draft={draft} />
      </Section>
      <Section title="Store" hint="folder, file names">
        <Store draft={draft} />
      </Section>
      <Section title="Convert" hint="format, quality, metadata, prepared sizes">
        <Convert draft={draft} />
      </Section>
      <Section title="Label" hint="tags, automatic tags">
        <TagsField {...draft.tags} name="config.metadata.tags" hint="Every file gets them. Enter or a comma adds one." />
        <CheckField
          name="config.metadata.auto_tagging"
          label="Automatic tags"
          value={draft.autoTagging}
          hint="Derived from the content of images."
        />
      </Section>
      <Section title="Notify" hint="webhook, events">
        <Notify draft={draft} />
      </Section>
    </>
  );
}

interface SectionProps {
  title: string;
  hint: string;
  isOpen?: boolean;
  children: ComponentChildren;
}

function Section({ title, hint, isOpen = false, children }: SectionProps) {
  return (
    <details class="card" open={isOpen}>
      <summary>
        <b>{title}</b> <small>{hint}</small>
      </summary>
      <div class="form">{children}</div>
    </details>
  );
}

function Accept({ draft }: Props) {
  const rule = "config.validation";
  return (
    <>
      <TagsField
        {...draft.formats}
        name={`${rule}.allowed_formats`}
        label="Formats"
        placeholder="jpg"
        hint="Extensions or MIME types. Without any, all formats are accepted except programs. Enter adds one."
      />
      <NumberField
        name={`${rule}.max_file_size`}
        label="Largest file in MB"
        value={draft.maxMegabytes}
        placeholder="no limit"
        hint="Forms take up to 50 MB, presigned uploads up to 5 GB (5120 MB)."
      />
      <div class="row">
        <NumberField name={`${rule}.min_image_width`} label="Minimum width" value={draft.minWidth} placeholder="px" />
        <NumberField name={`${rule}.min_image_height`} label="Minimum height" value={draft.minHeight} placeholder="px" />
        <NumberField name={`${rule}.max_image_width`} label="Maximum width" value={draft.maxWidth} placeholder="px" />
        <NumberField name={`${rule}.max_image_height`} label="Maximum height" value={draft.maxHeight} placeholder="px" />
      </div>
    </>
  );
}

function Store({ draft }: Props) {
  return (
    <>
      <TextField
        name="config.storage.folder"
        label="Folder"
        value={draft.folder}
        placeholder="guests/photos"
        hint="Path from the top, created where missing. A folder in the request wins."
      />
      <CheckField
        name="config.storage.generate_filename"
        label="Generate file names"
        value={draft.generateFilename}
        hint="Otherwise the stored name is derived from that of the uploaded file."
      />
      <CheckField
        name="config.storage.unique_filename"
        label="Make names unique"
        value={draft.uniqueFilename}
        hint="Adds six characters to names that are not generated. Without them, a name that is taken is rejected."
      />
    </>
  );
}

function Convert({ draft }: Props) {
  const rule = "config.transformations";
  return (
    <>
      <div class="row">
        <SelectField name={`${rule}.upload_format`} label="Format" value={draft.format} options={FORMATS} />
        <NumberField name={`${rule}.upload_quality`} label="Quality" value={draft.quality} hint="auto, or 1 to 100." />
      </div>
      <CheckField name={`${rule}.progressive`} label="Progressive JPEG" value={draft.progressive} />
      <CheckField
        name={`${rule}.strip_metadata`}
        label="Remove metadata"
        value={draft.stripMetadata}
        hint="Camera data, GPS positions and comments."
      />
      <EagerFields name={`${rule}.eager`} rows={draft.eager} />
    </>
  );
}

function Notify({ draft }: Props) {
  return (
    <>
      <TextField
        name="config.notifications.webhook_url"
        label="Webhook URL"
        type="url"
        value={draft.webhookUrl}
        placeholder="https://example.com/hooks"
        hint="Instead of the URL of the space. Only admins see it."
      />
      <fieldset class="field">
        <legend>Events</legend>
        <div class="field check">
          <label>
            <input type="checkbox" checked disabled />
            file.uploaded, always
          </label>
        </div>
        {EVENTS.map((event, index) => {
          const value = draft.events[index];
          return value && <CheckField key={event} name="config.notifications.events" label={event} value={value} />;
        })}
      </fieldset>
    </>
  );
}
