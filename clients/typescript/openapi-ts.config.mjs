// Generates `src/generated` from the API document: `npm run generate`.
export default {
  input: "../../openapi.json",
  // Node resolves only complete file names.
  output: { path: "src/generated", module: { extension: ".js" } },
  parser: {
    patch: {
      // A generated function sends the key in every way that an operation allows. A URL is logged, so the header alone is kept.
      operations: (_method, _path, operation) => {
        operation.security = operation.security?.filter((requirement) => !("api_key" in requirement));
      },
    },
  },
  plugins: ["@hey-api/typescript", "@hey-api/sdk", "@hey-api/client-fetch"],
};
