// Code that uses a new key, complete with key, address and space.

import { BASE_URL } from "../../api.ts";

/** Returns code by its language. Keys that cannot upload list files. */
export function snippetsOf(key: string, handle: string, isReadOnly: boolean): Record<string, string> {
  const environment = `export LARDER_API_URL='${BASE_URL}'
export LARDER_API_KEY='${key}'
export LARDER_SPACE='${handle}'`;
  if (isReadOnly) return { curl: curlOf(key, "files?limit=10"), TypeScript: listOf(key), Environment: environment };

  const curl = `${curlOf(key, "upload")} \\
  -F 'space=${handle}' \\
  -F file=@photo.jpg`;
  const typescript = `import { openAsBlob } from "node:fs";
import { upload } from "larder";

const file = await upload(
  { baseUrl: "${BASE_URL}", key: "${key}" },
  await openAsBlob("photo.jpg"),
  { space: "${handle}", name: "photo.jpg" },
);
console.log(file.url);`;
  return { curl, TypeScript: typescript, Environment: environment };
}

function curlOf(key: string, path: string): string {
  return `curl '${BASE_URL}/${path}' \\
  -H 'Authorization: Bearer ${key}'`;
}

function listOf(key: string): string {
  return `import { createClient, createConfig, listFiles } from "larder/api";

const config = createConfig({ baseUrl: "${BASE_URL}", auth: "${key}" });
const { data } = await listFiles({ client: createClient(config) });
console.log(data);`;
}
