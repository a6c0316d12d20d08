// Uploads with Chromium from the demo page and from a page of another origin. Run by a Rust test, or
// by hand against a running stack:
//
//   LARDER_API_URL=http://127.0.0.1:9000/api/v1 LARDER_API_KEY=sk_… node tests/browser/run.mjs
//
// LARDER_CHROMIUM is the path of the browser, by default /usr/bin/chromium.

import { after } from "node:test";

import { close } from "./harness.mjs";

await import("./demo.mjs");
await import("./errors.mjs");
await import("./appearance.mjs");
await import("./colors.mjs");
await import("./gallery.mjs");
await import("./origins.mjs");
await import("./uppy.mjs");
await import("./watch.mjs");

after(close);
