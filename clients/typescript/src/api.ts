// All operations of the API, generated from its document, and the iteration over their pages.

export { createClient, createConfig } from "./generated/client/index.js";
export * from "./generated/index.js";
export { pages, type Page } from "./pages.js";
