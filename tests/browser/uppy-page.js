// A site's own page with Uppy as it comes. Tests call what it puts on `window`.

import AwsS3 from "@uppy/aws-s3";
import Uppy from "@uppy/core";
import XHRUpload from "@uppy/xhr-upload";

/** Uploads files, and tells what came of each. `cancelAt` is the part of the bytes at which everything is cancelled. */
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

/** By the unsigned route: one form for each file. */
window.unsigned = (endpoint, files) => upload(new Uppy().use(XHRUpload, { endpoint, fieldName: "file" }), files);

/** Straight to storage: Uppy asks for an address, sends the file there, and the page confirms it. */
window.direct = (api, key, space, files, cancelAt) => {
  const ask = async (path, body) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = await fetch(`${api}${path}`, { method: "POST", headers, body: body && JSON.stringify(body) });
    const said = await answer.json();
    if (!answer.ok) throw new Error(`${said.message} ${JSON.stringify(said.errors)}`);
    return said;
  };
  const uppy = new Uppy();
  uppy.use(AwsS3, {
    shouldUseMultipart: false,
    // What is signed is told apart by the proposed key, which is Uppy's id of the file.
    generateObjectKey: (file) => file.id,
    async signRequest({ key: id }) {
      const file = uppy.getFile(id);
      const described = { space, filename: file.name, content_type: file.type, size: file.size };
      const signed = await ask("/upload/presign", described);
      uppy.setFileMeta(id, { larderId: signed.file_id });
      return { url: signed.upload_url, key: signed.object_key, headers: signed.headers };
    },
  });
  uppy.addPostProcessor(async (ids) => {
    for (const id of ids) {
      const { larderId } = uppy.getFile(id)?.meta ?? {};
      if (larderId) uppy.setFileMeta(id, { confirmed: (await ask(`/upload/confirm/${larderId}`)).data });
    }
  });
  return upload(uppy, files, cancelAt);
};

/** One request of a script's own: its status, what it says, and of its headers those that scripts may read. */
window.ask = async (url, { base64, ...request }) => {
  const bytes = base64 && Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const answer = await fetch(url, bytes ? { ...request, body: bytes } : request);
  return { status: answer.status, text: await answer.text(), headers: Object.fromEntries(answer.headers) };
};
window.ready = true;
