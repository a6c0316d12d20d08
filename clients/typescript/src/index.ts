// The entry point of browsers and servers. It needs no secret; `larder/sign` does.

export { LarderError } from "./errors.js";
export { filesOf, type DroppedFile } from "./files-of.js";
export type { AnonymousFile, FileRecord } from "./generated/types.gen.js";
export { placeholder } from "./placeholder.js";
export { createQueue, type Queue, type QueueItem } from "./queue.js";
export type { ClientOptions, Key } from "./request.js";
export {
  upload,
  uploadSigned,
  uploadUnsigned,
  type OwnUploadOptions,
  type Progress,
  type UploadOptions,
  type UploadTarget,
} from "./upload.js";
export { srcset, url, type Source, type SrcsetOptions, type Transformation } from "./url.js";
