// Shows an image with every mode, gravity and format, and with the visitor's own parameters. Text from servers is never
// inserted as HTML.

/** Maximum number of concurrent requests. The first request of an image renders it. */
const AT_ONCE = 2;
/** Maximum number of requests of an image while the stack responds that it is overloaded. */
const ATTEMPTS_MAX = 5;
/** Delay after a change of the form before the image is requested, in milliseconds. */
const TYPING_MS = 400;

const MODES = ["scale", "fit", "fill", "crop", "thumb"];
const GRAVITIES = ["northwest", "north", "northeast", "west", "center", "east", "southwest", "south", "southeast"];
const FORMATS = ["auto", "jpeg", "png", "webp", "avif", "gif"];
/** What a browser sends that supports all formats. */
const ACCEPT_ALL = "image/avif,image/webp,*/*";
/** Without AVIF, which is rendered slowly by a development build. */
const ACCEPT_FAST = "image/webp,*/*";

const SECTIONS = [
  {
    title: "Modes",
    text: "The same 240 × 240 pixels, reached in five ways.",
    queries: MODES.map((r) => ({ w: 240, h: 240, r })),
  },
  {
    title: "Gravity",
    text: "Where a cut of 200 × 200 pixels is taken from.",
    layout: "thirds",
    queries: GRAVITIES.map((g) => ({ w: 200, h: 200, r: "crop", g })),
  },
  {
    title: "Salient region",
    text: "With automatic gravity, the part with the most detail is kept.",
    queries: [
      { w: 200, h: 200, r: "crop", g: "auto" },
      { w: 200, h: 300, r: "fill", g: "auto" },
      { w: 300, h: 120, r: "thumb" },
    ],
  },
  {
    title: "Formats",
    text: "480 pixels wide. Without a format, the browser's Accept header decides.",
    queries: FORMATS.map((f) => ({ w: 480, f })),
  },
  {
    title: "Quality",
    text: "480 pixels wide as JPEG.",
    queries: [10, 40, 75, 95, "auto"].map((q) => ({ w: 480, f: "jpeg", q })),
  },
];

const element = (id) => document.getElementById(id);
const settings = element("settings");
/** Requests that wait for a running one to end. */
let waiting = [];
let running = 0;

/** Returns the URL of the image with parameters. A signed URL keeps its own. */
function transformed(image, query) {
  const url = new URL(image);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/** Requests an image, again after a delay while the stack is overloaded. */
async function load(url, accept) {
  for (let attempt = 1; ; attempt += 1) {
    const started = performance.now();
    const response = await fetch(url, { headers: { accept } });
    const seconds = Number(response.headers.get("retry-after"));
    if (response.status === 503 && seconds > 0 && attempt < ATTEMPTS_MAX) {
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      continue;
    }
    if (!response.ok) throw new Error(await problem(response));
    const blob = await response.blob();
    return { blob, ms: performance.now() - started };
  }
}

/** Returns the message of an error response, with the errors of its fields. */
async function problem(response) {
  const { message, errors = {} } = await response.json().catch(() => ({}));
  return [message ?? `Status ${response.status}.`, ...Object.values(errors).flat()].join(" ");
}

async function show(figure, url, accept) {
  const result = figure.querySelector(".result");
  try {
    const { blob, ms } = await load(url, accept);
    const image = new Image();
    image.alt = "";
    image.src = URL.createObjectURL(blob);
    await image.decode();
    URL.revokeObjectURL(image.src);
    figure.querySelector(".frame").replaceChildren(image);
    const format = blob.type.replace("image/", "").toUpperCase();
    result.textContent = `${image.naturalWidth} × ${image.naturalHeight} · ${format} · ${bytes(blob.size)} · ${Math.round(ms)} ms`;
    figure.dataset.state = "shown";
  } catch (error) {
    result.textContent = error instanceof TypeError ? "The image was not loaded. Check its URL." : error.message;
    figure.dataset.state = "failed";
  }
}

function bytes(count) {
  return count < 10_000 ? `${(count / 1000).toFixed(1)} kB` : `${Math.round(count / 1000)} kB`;
}

/** Starts waiting requests as long as few are running. */
function begin() {
  while (running < AT_ONCE && waiting.length > 0) {
    running += 1;
    waiting.shift()().finally(() => {
      running -= 1;
      begin();
    });
  }
}

/** Creates the figure of an image, and requests it before others if the visitor chose its parameters. */
function figure(image, query, { isCustom = false } = {}) {
  const created = element("figure").content.cloneNode(true).firstElementChild;
  const url = transformed(image, query);
  const link = created.querySelector(".query");
  link.href = url;
  link.textContent = Object.entries(query).map(([name, value]) => `${name}=${value}`).join("&") || "unchanged";
  const accept = isCustom || query.f === "auto" ? ACCEPT_ALL : ACCEPT_FAST;
  const start = () => show(created, url, accept);
  if (isCustom) waiting.unshift(start);
  else waiting.push(start);
  return created;
}

function section(image, { title, text, layout, queries }) {
  const created = document.createElement("section");
  const heading = document.createElement("h2");
  const description = document.createElement("p");
  const grid = document.createElement("div");
  heading.textContent = title;
  description.textContent = text;
  grid.className = `grid ${layout ?? ""}`.trim();
  grid.append(...queries.map((query) => figure(image, query)));
  created.append(heading, description, grid);
  return created;
}

/** Returns the URL in the form, or null with a message in the form. */
function chosenImage() {
  const text = element("image").value.trim();
  const isValid = /^https?:/.test(text) && URL.canParse(text);
  const isWrong = text !== "" && !isValid;
  element("image-error").textContent = isWrong ? "Enter a URL that starts with http:// or https://." : "";
  element("image").setAttribute("aria-invalid", String(isWrong));
  return isValid ? text : null;
}

function showSections() {
  waiting = [];
  const image = chosenImage();
  element("sections").replaceChildren(...(image ? SECTIONS.map((described) => section(image, described)) : []));
  showCustom();
}

function showCustom() {
  const image = chosenImage();
  const values = Object.fromEntries(new FormData(settings));
  const query = Object.fromEntries(["w", "h", "r", "g", "f", "q"].map((name) => [name, values[name].trim()]).filter(([, value]) => value !== ""));
  element("custom").replaceChildren(...(image ? [figure(image, query, { isCustom: true })] : []));
  begin();
}

function options(name, values) {
  element(name).replaceChildren(new Option("default", ""), ...values.map((value) => new Option(value, value)));
}

options("r", MODES);
options("g", [...GRAVITIES, "auto"]);
options("f", FORMATS);
element("r").value = "fill";
element("image").value = new URLSearchParams(location.search).get("image") ?? "";

let typing;
settings.addEventListener("input", (event) => {
  clearTimeout(typing);
  typing = setTimeout(event.target === element("image") ? showSections : showCustom, TYPING_MS);
});
settings.addEventListener("submit", (event) => event.preventDefault());
showSections();
