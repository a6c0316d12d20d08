// Code that uploads with an upload config, by who may upload with it.

import type { UploadConfig } from "larder/api";

import { BASE_URL } from "../../api.ts";
import { whoOf } from "./draft.ts";

/** Variable of the shell, and of Node, that has the key. A page must not have one. */
const KEY = "LARDER_API_KEY";

/** Returns code by its name. */
export function snippetsOf(config: UploadConfig, handle: string): Record<string, string> {
  const who = whoOf(config);
  if (who === "pages") return ofPages(config, `${BASE_URL}/upload/unsigned/${handle}/${config.name}`);
  return who === "signed" ? ofSignedUrls(config) : ofKeys(config, handle);
}

function ofPages(config: UploadConfig, url: string): Record<string, string> {
  const [pattern = "example.com"] = config.unsigned_restrictions?.allowed_referrers ?? [];
  const scheme = config.unsigned_restrictions?.require_https ? "https" : "http";
  const referrer = `${scheme}://${pattern.replace("*", "www")}/`;
  return {
    Page: pageOf(`  const url = "${url}";`),
    curl: `curl '${url}' \\
  -H 'Referer: ${referrer}' \\
  -F file=@photo.jpg`,
  };
}

function ofSignedUrls({ id }: UploadConfig): Record<string, string> {
  return {
    curl: `# On your server: a URL that is valid for 30 minutes
url=$(curl -s '${BASE_URL}/upload/generate-signed-url' \\
  -H "Authorization: Bearer $${KEY}" \\
  -H 'Content-Type: application/json' \\
  -d '{"upload_config_id": "${id}"}' | jq -r .data.url)

# Anywhere, without a key
curl "$url" -F file=@photo.jpg`,
    Page: pageOf(`  // Your server responds with a signed URL, see curl.
  const url = await (await fetch("/upload-url")).text();`),
  };
}

function ofKeys({ name }: UploadConfig, handle: string): Record<string, string> {
  return {
    curl: `curl '${BASE_URL}/upload' \\
  -H "Authorization: Bearer $${KEY}" \\
  -F 'space=${handle}' \\
  -F 'upload_config=${name}' \\
  -F file=@photo.jpg`,
    TypeScript: `import { openAsBlob } from "node:fs";
import { upload } from "larder";

const file = await upload(
  { baseUrl: "${BASE_URL}", key: process.env.${KEY} },
  await openAsBlob("photo.jpg"),
  { space: "${handle}", uploadConfig: "${name}", name: "photo.jpg" },
);
console.log(file.url);`,
  };
}

/** Returns a page that uploads the chosen file to `url`, which a statement defines. */
function pageOf(statement: string): string {
  return `<input type="file" id="file">
<script>
file.onchange = async () => {
${statement}
  const body = new FormData();
  body.set("file", file.files[0]);
  const response = await fetch(url, { method: "POST", body });
  const { data, message } = await response.json();
  alert(data ? data.url : message);
};
</script>`;
}
