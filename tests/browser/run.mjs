// Uploads with Chromium from a page of another origin, and renditions. Run by a Rust test, or
// by hand against a running stack:
//
//   LARDER_API_URL=http://127.0.0.1:9000/api/v1 LARDER_API_KEY=sk_… node tests/browser/run.mjs
//
// LARDER_CHROMIUM is the path of the browser, by default /usr/bin/chromium.

import { after } from "node:test";

import { close } from "./harness.mjs";

await import("./colors.mjs");
await import("./origins.mjs");
await import("./uppy.mjs");

after(close);
