// What the caller can change of a file, by the role and by who uploaded it. The service decides.

import type { FileRecord } from "larder/api";

import { needs } from "../../parts/roles.ts";
import { account } from "../../state.ts";

/** Whether the caller uploaded a file. */
export function isOwn({ uploaded_by: uploader }: FileRecord): boolean {
  const caller = account.value;
  if (uploader.type === "user") return uploader.id === caller?.user_id;
  return uploader.type === "api_key" && caller?.key.type === "space" && uploader.id === caller.key.id;
}

/** Returns why the caller cannot change a file, or undefined. */
export function whyFixed(record: FileRecord): string | undefined {
  return needs(isOwn(record) ? "user" : "admin");
}
