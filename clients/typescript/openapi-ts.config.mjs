// Generates `src/generated` from the API document: `npm run generate`.
export default {
  input: "../../openapi.json",
  // Node resolves only complete file names.
  output: { path: "src/generated", module: { extension: ".js" } },
  plugins: ["@hey-api/typescript", "@hey-api/sdk", "@hey-api/client-fetch"],
};
