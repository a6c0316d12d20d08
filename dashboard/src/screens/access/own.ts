// What a folder sets itself, among what is in force for it.

import type { FolderSummary, SettingSource, TransformationPolicy, Watermark } from "larder/api";

/** Settings of a folder. Null where it inherits. */
interface OwnSettings {
  /** Whether delivery requires a signature or a key. */
  access: boolean | null;
  transformations: TransformationPolicy | null;
  watermark: Watermark | null;
}

/** Returns what a folder sets itself. */
export function ownOf({ id, access_control, security }: FolderSummary): OwnSettings {
  const isOwn = ({ inherited_from }: SettingSource) => inherited_from === id;
  const { sources, transformations, watermark } = security;
  return {
    access: isOwn(access_control) ? access_control.requires_auth : null,
    transformations: isOwn(sources.transformations) ? transformations : null,
    watermark: isOwn(sources.watermark) ? watermark : null,
  };
}

/** Whether a folder differs from what it inherits. */
export function isException(folder: FolderSummary): boolean {
  return Object.values(ownOf(folder)).some((setting) => setting !== null);
}
