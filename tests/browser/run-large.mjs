// Plays and downloads large files with Chromium. Run by a Rust test, against a stack that redirects large
// bodies, whose clock advances by two hours with each request to LARDER_CLOCK_URL.

import { after } from "node:test";

import { close } from "./harness.mjs";

await import("./large.mjs");

after(close);
