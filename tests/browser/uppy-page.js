// A page of another site with unmodified Uppy. Tests call its functions on `window`.

import AwsS3 from "@uppy/aws-s3";
import Uppy from "@uppy/core";
import XHRUpload from "@uppy/xhr-upload";

/** Uploads files and returns the outcome of each. Cancels all uploads when one has sent the share `cancelAt` of its bytes. */
async function upload(uppy, files, cancelAt = Infinity) {
  const progress = [];
  const failed = [];
  uppy.on("upload-progress", (file, { bytesUploaded, bytesTotal }) => {
    progress.push(bytesUploaded / bytesTotal);
    if (bytesUploaded / bytesTotal >= cancelAt) uppy.cancelAll();
  });
  uppy.on("upload-error", (file, error, response) => failed.push({ status: response?.status, message: error.message }));
  for (const { name, type, bytes } of files) uppy.addFile({ name, type, data: new File([bytes], name, { type }) });
  const result = await uppy.upload();
  const stored = (result?.successful ?? []).map(({ id, response, meta }) => ({ id, meta, body: response.body }));
  return { stored, failed, progress };
}

/** Uploads by the unsigned route: one form per file. */
window.unsigned = (endpoint, files) => upload(new Uppy().use(XHRUpload, { endpoint, fieldName: "file" }), files);

/** Uploads directly to storage: Uppy requests a presigned URL, sends the file to it, and the page confirms the file. */
window.direct = (api, key, space, files, cancelAt) => {
  const post = async (path, body) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await fetch(`${api}${path}`, { method: "POST", headers, body: body && JSON.stringify(body) });
    const json = await response.json();
    if (!response.ok) throw new Error(`${json.message} ${JSON.stringify(json.errors)}`);
    return json;
  };
  const uppy = new Uppy();
  uppy.use(AwsS3, {
    shouldUseMultipart: false,
    // The proposed key identifies the file: it is Uppy's id.
    generateObjectKey: (file) => file.id,
    async signRequest({ key: id }) {
      const file = uppy.getFile(id);
      const declared = { space, filename: file.name, content_type: file.type, size: file.size };
      const signed = await post("/upload/presign", declared);
      uppy.setFileMeta(id, { larderId: signed.file_id });
      return { url: signed.upload_url, key: signed.object_key, headers: signed.headers };
    },
  });
  uppy.addPostProcessor(async (ids) => {
    for (const id of ids) {
      const { larderId } = uppy.getFile(id)?.meta ?? {};
      if (larderId) uppy.setFileMeta(id, { confirmed: (await post(`/upload/confirm/${larderId}`)).data });
    }
  });
  return upload(uppy, files, cancelAt);
};

/** Sends a request. Returns its status, its text, and the headers that scripts may read. */
window.send = async (url, { base64, ...request }) => {
  const bytes = base64 && Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const response = await fetch(url, bytes ? { ...request, body: bytes } : request);
  return { status: response.status, text: await response.text(), headers: Object.fromEntries(response.headers) };
};
window.ready = true;
