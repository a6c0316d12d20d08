// The dashboard in Chromium. Run as run.mjs is.

import { after } from "node:test";

import { close } from "./harness.mjs";

await import("./dashboard/session.mjs");
await import("./dashboard/files.mjs");
await import("./dashboard/uploads.mjs");
await import("./dashboard/file.mjs");
await import("./dashboard/keys.mjs");
await import("./dashboard/upload-configs.mjs");
await import("./dashboard/access.mjs");
await import("./dashboard/webhooks.mjs");
await import("./dashboard/settings.mjs");
await import("./dashboard/names.mjs");
await import("./dashboard/appearance.mjs");

after(close);
