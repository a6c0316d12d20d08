// The dashboard in Chromium, or some of its tests: run-dashboard.mjs [NAME …]. Run as run.mjs is.

import { after } from "node:test";

import { close } from "./harness.mjs";

const ALL = [
  "session", "files", "trash", "uploads", "file", "keys", "upload-configs", "access", "webhooks", "settings", "walk", "names", "appearance",
];

const [, , ...names] = process.argv;
for (const name of names.length > 0 ? names : ALL) await import(`./dashboard/${name}.mjs`);

after(close);
