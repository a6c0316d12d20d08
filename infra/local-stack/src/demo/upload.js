// Uploads files: with a key by presign, PUT to storage and confirm, without a key by the unsigned routes. Text from
// servers is never inserted as HTML.

const API = `${location.origin}/api/v1`;
/** Maximum number of concurrent uploads. */
const AT_ONCE = 3;
/** Maximum size of a file sent as a form, in bytes. Larger files use presigned uploads: Lambda accepts about 4.4 MB. */
const FORM_BYTES_MAX = 4 * 2 ** 20;
/** Maximum Retry-After, in seconds, after which a rejected upload is retried automatically. */
const WAIT_SECONDS_MAX = 90;
const STORED_AS = "larder-demo";

const element = (id) => document.getElementById(id);
const settings = element("settings");
const uploads = [];

/** An error response. `errors` has messages by field. */
class ResponseError extends Error {
  constructor(status, { message, errors = {} }, retryAfterSeconds) {
    super(message);
    Object.assign(this, { status, errors, retryAfterSeconds });
  }
}

/** Sends a request with XMLHttpRequest, because fetch does not report upload progress. */
function send(method, url, { headers = {}, body, signal, onProgress }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    if (onProgress) request.upload.onprogress = (event) => onProgress(event.loaded / event.total);
    request.onload = () => {
      if (request.status < 300) return resolve(read(request));
      reject(new ResponseError(request.status, read(request), Number(request.getResponseHeader("retry-after"))));
    };
    request.onerror = () => reject(new Error("The connection was lost. Check that the file still exists and that the server runs."));
    request.onabort = () => reject(new DOMException("Cancelled", "AbortError"));
    request.onloadend = () => signal?.removeEventListener("abort", abort);
    signal?.addEventListener("abort", abort);
    request.send(body);
  });
}

/** Parses a response: JSON of the API, or XML of S3. */
function read(request) {
  const message = `The server returned status ${request.status}.`;
  try {
    return { message, ...JSON.parse(request.responseText || "{}") };
  } catch {
    const xml = new DOMParser().parseFromString(request.responseText, "text/xml");
    return { message: `Storage rejected the file: ${xml.querySelector("Message")?.textContent ?? message}` };
  }
}

const json = (value, headers = {}) => ({
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(value),
});

/** Presigns, uploads and confirms a file. A retry does not repeat a finished upload. */
async function throughStorage(upload, { presign, described, headers, confirm }) {
  const { file, signal } = upload;
  if (!upload.sent) {
    const asked = {
      filename: file.name,
      content_type: file.type || "application/octet-stream",
      size: file.size,
      ...described,
    };
    const signed = await send("POST", presign, { ...json(asked, headers), signal });
    await send("PUT", signed.upload_url, {
      headers: signed.headers,
      body: file,
      signal,
      onProgress: (part) => showProgress(upload, part),
    });
    upload.sent = signed;
  }
  show(upload, "working", "Confirming…");
  try {
    const address = `${API}/upload/confirm/${upload.sent.file_id}`;
    return (await send("POST", address, { ...confirm(upload.sent), signal })).data;
  } catch (error) {
    // A rejected file is removed, so a retry must upload it again.
    if (error instanceof ResponseError && error.status < 500 && error.status !== 429) upload.sent = null;
    throw error;
  }
}

function withKey(upload, { key, space, config }) {
  const headers = { authorization: `Bearer ${key}` };
  return throughStorage(upload, {
    presign: `${API}/upload/presign`,
    described: config ? { space, upload_config: config } : { space },
    headers,
    confirm: () => ({ headers }),
  });
}

async function unsigned(upload, { space, config }) {
  const { file, signal } = upload;
  const route = `${API}/upload/unsigned/${encodeURIComponent(space)}/${encodeURIComponent(config)}`;
  if (file.size > FORM_BYTES_MAX) {
    const confirm = ({ confirm_token }) => json({ confirm_token });
    return throughStorage(upload, { presign: `${route}/presign`, described: {}, headers: {}, confirm });
  }
  const body = new FormData();
  body.append("file", file);
  return (await send("POST", route, { body, signal, onProgress: (part) => showProgress(upload, part) })).data;
}

/** Returns the values of the form, and messages for missing fields. */
function chosen() {
  const { mode, key, space, config } = Object.fromEntries(new FormData(settings));
  const values = { mode, key: key.trim(), space: space.trim(), config: config.trim() };
  const lacking = {};
  if (!values.space) lacking.space = "Enter the handle of a space.";
  if (mode === "direct" && !values.key) lacking.key = "Enter an API key that may upload.";
  if (mode === "unsigned" && !values.config) lacking.config = "Enter an upload config that allows unsigned uploads.";
  return { values, lacking };
}

function showLacking(lacking) {
  for (const name of ["key", "space", "config"]) {
    element(`${name}-error`).textContent = lacking[name] ?? "";
    element(name).setAttribute("aria-invalid", String(name in lacking));
  }
  const first = ["key", "space", "config"].find((name) => name in lacking);
  if (first) element(first).focus();
}

/** Runs an upload to its end, waiting and retrying if the rate limit is exceeded briefly. */
async function run(upload) {
  const { values, lacking } = chosen();
  if (Object.keys(lacking).length > 0) {
    showLacking(lacking);
    return fail(upload, "Not sent: complete the target first.");
  }
  const controller = new AbortController();
  Object.assign(upload, { signal: controller.signal, cancel: () => controller.abort() });
  try {
    for (;;) {
      try {
        show(upload, "working", "Starting…");
        return stored(upload, await (values.mode === "direct" ? withKey : unsigned)(upload, values));
      } catch (error) {
        if (error.status !== 429 || !error.retryAfterSeconds || error.retryAfterSeconds > WAIT_SECONDS_MAX) throw error;
        await sitOut(upload, error.retryAfterSeconds);
      }
    }
  } catch (error) {
    fail(upload, explained(error), error.errors);
  }
}

function explained(error) {
  if (error.name === "AbortError") return "Cancelled.";
  if (error.status !== 429 || !error.retryAfterSeconds) return error.message;
  const at = new Date(Date.now() + error.retryAfterSeconds * 1000);
  return `Too many uploads. Try again at ${at.toLocaleTimeString()}.`;
}

async function sitOut(upload, seconds) {
  announce(`${upload.file.name}: too many uploads, waiting ${seconds} seconds.`);
  for (let left = seconds; left > 0; left -= 1) {
    show(upload, "working", `Too many uploads. Trying again in ${left} s`);
    await new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, 1000);
      upload.signal.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(new DOMException("Cancelled", "AbortError"));
      });
    });
  }
}

function begin() {
  const running = uploads.filter((upload) => upload.state === "working").length;
  const waiting = uploads.filter((upload) => upload.state === "waiting");
  for (const upload of waiting.slice(0, Math.max(0, AT_ONCE - running))) run(upload).finally(begin);
}

function add(files) {
  for (const file of files) {
    const row = element("row").content.cloneNode(true).firstElementChild;
    const upload = { file, row, part: (name) => row.querySelector(name) };
    upload.part(".name").textContent = upload.part(".name").title = file.name;
    upload.part("progress").setAttribute("aria-label", file.name);
    for (const [name, text] of [[".open", "Open"], [".transform", "Transform"], [".copy", "Copy link"], [".retry", "Try again"], [".cancel", "Cancel"]]) {
      label(upload, name, text);
    }
    upload.part(".cancel").onclick = () => {
      if (upload.state === "working") upload.cancel();
      else fail(upload, "Cancelled.");
      row.focus();
    };
    upload.part(".retry").onclick = () => {
      show(upload, "waiting", "Waiting…");
      row.focus();
      begin();
    };
    upload.part(".copy").onclick = async () => {
      await navigator.clipboard.writeText(upload.part(".open").href);
      announce("Link copied.");
      label(upload, ".copy", "Copied");
    };
    preview(upload);
    uploads.push(upload);
    element("files").prepend(row);
    show(upload, "waiting", "Waiting…");
  }
  begin();
}

/** Labels a control with its action and, for screen readers, its file. */
function label(upload, name, text) {
  upload.part(name).textContent = text;
  upload.part(name).setAttribute("aria-label", `${text}: ${upload.file.name}`);
}

function preview(upload) {
  const { name, type } = upload.file;
  upload.part(".thumb span").textContent = (name.includes(".") ? name.split(".").pop() : "file").slice(0, 4).toUpperCase();
  if (type.startsWith("image/")) picture(upload, URL.createObjectURL(upload.file));
}

/** Shows an image once it is loaded. If it cannot be loaded, the placeholder stays. */
function picture(upload, address) {
  const image = new Image();
  image.alt = "";
  image.onload = () => {
    upload.part(".thumb").replaceChildren(image);
    URL.revokeObjectURL(address);
  };
  image.src = address;
}

function show(upload, state, text, problems = []) {
  Object.assign(upload, { state });
  upload.row.dataset.state = state;
  upload.part(".state").textContent = text;
  upload.part("progress").value = 0;
  upload.part(".problems").replaceChildren(...problems.map((problem) => {
    const item = document.createElement("li");
    item.textContent = problem;
    return item;
  }));
  upload.part(".cancel").hidden = state !== "waiting" && state !== "working";
  upload.part(".retry").hidden = state !== "failed";
  summarize();
}

function showProgress(upload, part) {
  upload.part("progress").value = part;
  upload.part(".state").textContent = `${Math.floor(part * 100)} % of ${bytes(upload.file.size)}`;
}

function fail(upload, message, errors = {}) {
  const problems = Object.values(errors).flat().map(String);
  show(upload, "failed", message, problems);
  announce(`${upload.file.name}: ${[message, ...problems].join(" ")}`);
}

function stored(upload, file) {
  show(upload, "stored", [bytes(file.size), file.mime_type, file.type === "upload" ? "" : file.type].filter(Boolean).join(" · "));
  // Without a key the response does not show the access control.
  const isOpen = file.type === "upload" && !file.access_control?.requires_auth;
  upload.part(".open").href = file.url;
  upload.part(".open").hidden = upload.part(".copy").hidden = !isOpen;
  if (isOpen && file.resource_type === "image") {
    picture(upload, file.url);
    upload.part(".transform").href = `/demo/gallery?image=${encodeURIComponent(file.url)}`;
    upload.part(".transform").hidden = false;
  }
  announce(`${upload.file.name} is stored.`);
}

function bytes(count) {
  if (count < 1000) return count === 1 ? "1 byte" : `${count} bytes`;
  const [unit, size] = count < 1e6 ? ["kilobyte", 1e3] : count < 1e9 ? ["megabyte", 1e6] : ["gigabyte", 1e9];
  const format = { style: "unit", unit, maximumFractionDigits: count < 10 * size ? 1 : 0 };
  return new Intl.NumberFormat("en", format).format(count / size);
}

function announce(text) {
  element("live").textContent = text;
}

function summarize() {
  const count = (state) => uploads.filter((upload) => upload.state === state).length;
  const failed = count("failed") > 0 ? `, ${count("failed")} failed` : "";
  element("summary").hidden = uploads.length === 0;
  element("summary").textContent = `${count("stored")} of ${uploads.length} stored${failed}`;
}

function changed() {
  const { values } = chosen();
  document.body.dataset.mode = values.mode;
  element("config").required = values.mode === "unsigned";
  sessionStorage.setItem(STORED_AS, JSON.stringify(values));
}

/** Suggests the spaces that the key can access, and selects the first if none is entered. */
async function offerSpaces() {
  const { values } = chosen();
  if (values.mode !== "direct" || !values.key) return;
  const headers = { authorization: `Bearer ${values.key}` };
  const { data } = await send("GET", `${API}/spaces?limit=100`, { headers }).catch(() => ({ data: [] }));
  element("spaces").replaceChildren(...data.map(({ handle, name }) => new Option(name, handle)));
  if (!element("space").value && data.length > 0) element("space").value = data[0].handle;
  changed();
}

function restore() {
  const asked = new URLSearchParams(location.search);
  const kept = JSON.parse(sessionStorage.getItem(STORED_AS) ?? "{}");
  const value = (name) => asked.get(name) ?? kept[name] ?? "";
  for (const name of ["space", "config"]) element(name).value = value(name);
  element("key").value = kept.key ?? "";
  settings.mode.value = value("mode") === "unsigned" ? "unsigned" : "direct";
  element("host").textContent = location.hostname;
  changed();
  offerSpaces();
}

settings.addEventListener("input", (event) => {
  if (event.target.getAttribute("aria-invalid") === "true") showLacking({});
  changed();
});
settings.addEventListener("submit", (event) => event.preventDefault());
element("key").addEventListener("change", offerSpaces);
element("picker").addEventListener("change", (event) => {
  add([...event.target.files]);
  event.target.value = "";
});
// A file dropped outside the drop area must not replace the page.
for (const name of ["dragover", "drop"]) addEventListener(name, (event) => event.preventDefault());
for (const name of ["dragenter", "dragover", "dragleave", "drop"]) {
  element("drop").addEventListener(name, (event) => {
    element("drop").classList.toggle("over", name === "dragenter" || name === "dragover");
    if (name === "drop") add([...event.dataTransfer.files]);
  });
}
restore();
