// What the values of an upload config are called.

import type { DeliveryType } from "larder/api";

import type { Who } from "./draft.ts";

/** How files are delivered. The type without protection has the name of the upload itself in the API. */
export const DELIVERY: Readonly<Record<DeliveryType, string>> = {
  upload: "public",
  private: "private",
  authenticated: "authenticated",
};
/** Who may upload. */
export const WHO: Readonly<Record<Who, string>> = { keys: "API keys", signed: "Signed URLs", pages: "Pages I name" };
