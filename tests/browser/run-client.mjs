// The TypeScript client in Chromium. Run as run.mjs is.

import { after } from "node:test";

import { close } from "./harness.mjs";

await import("./client.mjs");

after(close);
