// How an image of the space looks with the watermark.
//
// - Before the settings are saved, the logo is placed over the image by the rules of the service. If a saved watermark
//   is on all delivered images already, it is placed over the blurred image instead, so that one mark is visible.
// - Afterwards, the image is what the service delivers.

import { useSignal } from "@preact/signals";
import { placeholder } from "larder";
import { getFileUrls, listFiles, type FileRecord, type Transformation, type Watermark } from "larder/api";
import { useEffect } from "preact/hooks";

import { bodyOf, client, dataOf } from "../../api.ts";
import { SelectField } from "../../parts/form.tsx";
import { Show, useLoad } from "../../parts/load.tsx";
import { PERCENT } from "../../units.ts";
import { isChanged, type MarkDraft } from "./draft.ts";

const IMAGES_LIMIT = 24;
const PREVIEW_WIDTH_PX = 800;
const URL_MINUTES = 60;
/** Maximum share of the image's width and height that a logo has. It is never enlarged. */
const MAX_SHARE = 0.25;
/** Share of the image's shorter side between the logo and the sides. */
const MARGIN_SHARE = 0.02;
/** URLs whose images the page may show. */
const VISIBLE_URL = /^(https:\/\/|http:\/\/127\.0\.0\.1:)./;

interface PreviewProps {
  spaceId: string;
  draft: MarkDraft;
  /** The saved watermark. Another object after each change. */
  mark: Watermark;
}

interface Size {
  width: number;
  height: number;
}

export function Preview({ spaceId, draft, mark }: PreviewProps) {
  const loaded = useLoad(async (signal) => {
    const fields = "original_name,storage_meta,type";
    const query = { space_id: spaceId, resource_type: "image", status: "active", limit: IMAGES_LIMIT, fields } as const;
    const { data } = await bodyOf(listFiles({ client, query, signal, throwOnError: true }));
    // A preview of a private image would make it public in this size.
    return data.filter(({ type }) => type !== "private");
  }, [spaceId]);
  return (
    <Show of={loaded}>
      {([first, ...others]) =>
        first ? (
          <Chosen images={[first, ...others]} first={first} draft={draft} mark={mark} />
        ) : (
          <p class="hint">Upload an image to see the watermark on it.</p>
        )
      }
    </Show>
  );
}

type ChosenProps = Omit<PreviewProps, "spaceId"> & { images: readonly FileRecord[]; first: FileRecord };

function Chosen({ images, first, draft, mark }: ChosenProps) {
  const id = useSignal(first.id);
  const image = images.find((candidate) => candidate.id === id.value) ?? first;
  const hasMark = draft.isEnabled.value;
  const isNew = isChanged(draft, mark);
  const isBlurred = isNew && mark.enabled;

  return (
    <>
      <SelectField
        name="image"
        label="Preview on"
        value={id}
        options={images.map((candidate) => [candidate.id, candidate.original_name])}
      />
      <Frame key={image.id} image={image} draft={draft} mark={mark} isBlurred={isBlurred} isMarked={isNew && hasMark} />
      <p class="hint" role="status">
        {!isNew && "As it is delivered now."}
        {isNew && !hasMark && "Images will be delivered without a mark."}
        {isNew && hasMark && "Not saved yet. "}
        {isBlurred && hasMark && "The photo is blurred, because what is delivered has the saved mark."}
      </p>
    </>
  );
}

interface FrameProps {
  image: FileRecord;
  draft: MarkDraft;
  mark: Watermark;
  isBlurred: boolean;
  isMarked: boolean;
}

function Frame({ image, draft, mark, isBlurred, isMarked }: FrameProps) {
  // A change of the settings gives the image a URL that no cache knows.
  const loaded = useLoad(() => urlOf(image.id, { w: PREVIEW_WIDTH_PX }), [image.id, mark]);
  const logo = useLogo(draft);
  const { width, height, blurhash } = image.storage_meta;
  const size = useSignal<Size>({ width: width ?? 0, height: height ?? 0 });
  const logoSize = useSignal<Size | null>(null);
  const blurred = blurhash ? placeholder(blurhash) : "";

  const place = logoSize.value && placeOf(size.value, logoSize.value, draft.position.value);
  return (
    <div class="mark-preview">
      <img
        src={isBlurred && blurred ? blurred : (loaded.data.value ?? blurred)}
        style={size.value.width ? { aspectRatio: `${size.value.width} / ${size.value.height}` } : undefined}
        alt={`Preview: ${image.original_name}`}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
          if (!width) size.value = { width: naturalWidth, height: naturalHeight };
        }}
      />
      {isMarked && logo && (
        <img
          class="logo"
          src={logo}
          alt=""
          style={{ ...place, opacity: place ? Number(draft.opacity.value) : 0 }}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            (logoSize.value = { width: naturalWidth, height: naturalHeight })
          }
        />
      )}
    </div>
  );
}

/** Returns a URL of an image, or of its original. */
async function urlOf(id: string, transformation: Transformation | null): Promise<string> {
  const body = { file_ids: [id], expiration_minutes: URL_MINUTES, transformation };
  const [found] = await dataOf(getFileUrls({ client, body, throwOnError: true }));
  return found?.url ?? "";
}

/** Returns the address of the logo that a draft uses. Empty while a URL is typed that the service would reject. */
function useLogo({ url, file, fileId, uploaded }: MarkDraft): string {
  const address = useSignal("");
  const [typed, stored] = [url.value, fileId.value];
  // What is delivered of the stored logo has the saved mark on it, the file itself has none.
  const [known] = [...uploaded].find(([, id]) => id === stored) ?? [];
  const chosen = file.value ?? known;
  useEffect(() => {
    address.value = VISIBLE_URL.test(typed) ? typed : "";
    if (typed) return;
    if (chosen) {
      const local = URL.createObjectURL(chosen);
      address.value = local;
      return () => URL.revokeObjectURL(local);
    }
    if (stored) urlOf(stored, null).then((found) => (address.value = found), () => {});
    return;
  }, [typed, chosen, stored]);
  return address.value;
}

/** Returns where a logo is on an image, in percent of the image, as the service places it. */
function placeOf(image: Size, logo: Size, position: string): Record<"left" | "top" | "width", string> {
  const { width, height } = image;
  const scale = Math.min((width * MAX_SHARE) / logo.width, (height * MAX_SHARE) / logo.height, 1);
  const margin = Math.min(width, height) * MARGIN_SHARE;
  const along = (length: number, own: number, atStart: boolean, atEnd: boolean) => {
    const free = length - own;
    const start = atStart ? margin : atEnd ? free - margin : free / 2;
    return `${(start / length) * PERCENT}%`;
  };
  return {
    left: along(width, logo.width * scale, position.endsWith("west"), position.endsWith("east")),
    top: along(height, logo.height * scale, position.startsWith("north"), position.startsWith("south")),
    width: `${((logo.width * scale) / width) * PERCENT}%`,
  };
}
