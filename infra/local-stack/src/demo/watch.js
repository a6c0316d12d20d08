// Shows spaces, recent files, webhooks and the depths of the queues, again every second. Text from servers is never
// inserted as HTML.

const API = `${location.origin}/api/v1`;
/** URL of the receiver of this stack. */
const RECEIVER = `${location.origin}/demo/webhooks`;
/** Delay between two updates, in milliseconds. */
const PAUSE_MS = 1000;
const FILES_MAX = 12;
const MESSAGES_MAX = 20;
/** Longer side of a decoded placeholder, in pixels. The page scales it. */
const PLACEHOLDER_SIDE = 32;
/** Width of a thumbnail that is sharp on a card, in pixels. */
const CARD_WIDTH = 320;
/** Where the page for uploads stores its form too. */
const STORED_AS = "larder-demo";

const element = (id) => document.getElementById(id);
const created = (id) => element(id).content.cloneNode(true).firstElementChild;
const settings = element("settings");
/** Cards of files by id. */
const cards = new Map();
let spaces = [];
/** Last content of each list as JSON: an unchanged list is not rendered again. */
const rendered = {};

/** An error response of the API. */
class ResponseError extends Error {}

async function get(path, request = {}) {
  const headers = { authorization: `Bearer ${element("key").value.trim()}`, "content-type": "application/json" };
  const response = await fetch(`${API}${path}`, { ...request, headers });
  const { data, message, errors = {} } = await response.json();
  if (response.ok) return data;
  throw new ResponseError([message, ...Object.values(errors).flat()].join(" "));
}

/** Renders a list if it changed. */
function render(name, content, show) {
  const text = JSON.stringify(content);
  if (rendered[name] === text) return;
  rendered[name] = text;
  show(content);
}

function stored() {
  return JSON.parse(sessionStorage.getItem(STORED_AS) ?? "{}");
}

function store(values) {
  sessionStorage.setItem(STORED_AS, JSON.stringify({ ...stored(), ...values }));
}

function selectedSpace() {
  return spaces.find(({ handle }) => handle === stored().space) ?? spaces[0];
}

function showSpaces({ list, selected }) {
  const labels = list.map(({ handle, name, webhook_url }) => {
    const label = created("space");
    const input = label.querySelector("input");
    input.value = handle;
    input.checked = handle === selected;
    label.querySelector("b").textContent = name;
    label.querySelector("small").textContent = [handle, webhook_url && "sends webhooks"].filter(Boolean).join(" · ");
    return label;
  });
  const hadFocus = element("spaces").contains(document.activeElement);
  element("spaces").replaceChildren(element("spaces").querySelector("legend"), ...labels);
  if (hadFocus) element("spaces").querySelector("input:checked")?.focus();
}

function showWebhook(space) {
  element("webhook").hidden = !space;
  if (!space) return;
  const url = space.webhook_url;
  const isHere = url === RECEIVER;
  element("webhook-url").textContent = url ? `Webhooks of ${space.name} are sent to ${isHere ? "this stack" : url}.` : `${space.name} sends no webhooks.`;
  element("send-here").disabled = isHere;
  element("send-here").textContent = isHere ? "Sent here" : "Send webhooks here";
}

function bytes(count) {
  if (count < 1000) return `${count} B`;
  const [unit, size] = count < 1e6 ? ["kB", 1e3] : count < 1e9 ? ["MB", 1e6] : ["GB", 1e9];
  return `${(count / size).toFixed(count < 10 * size ? 1 : 0)} ${unit}`;
}

/** Describes how far the processing of a file is. */
function progress(file) {
  const { status, error } = file.processing;
  const count = file.thumbnails.length;
  if (file.status === "pending") return "Waits for its bytes";
  if (status === "failed") return `Not processed: ${error}`;
  if (status === "pending") return "Is being processed";
  if (count === 0) return "Processed";
  return count === 1 ? "1 thumbnail" : `${count} thumbnails`;
}

function showPlaceholder(card, { storage_meta: { blurhash, width = 1, height = 1 } }) {
  if (!blurhash || card.querySelector("canvas")) return;
  const canvas = document.createElement("canvas");
  const scale = PLACEHOLDER_SIDE / Math.max(width, height);
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  drawBlurhash(canvas, blurhash);
  card.querySelector(".picture").append(canvas);
}

/** Shows the thumbnail over the placeholder once it is loaded. That of a protected file is not. */
function showThumbnail(card, { thumbnails }) {
  const thumbnail = thumbnails.find(({ width }) => width >= CARD_WIDTH) ?? thumbnails.at(-1);
  if (!thumbnail || card.dataset.thumbnail === thumbnail.url) return;
  card.dataset.thumbnail = thumbnail.url;
  const image = new Image();
  image.alt = "";
  image.onload = () => {
    card.querySelector(".picture img")?.remove();
    card.querySelector(".picture").append(image);
  };
  image.src = thumbnail.url;
}

function showFile(file) {
  const card = cards.get(file.id) ?? created("card");
  cards.set(file.id, card);
  const { width, height } = file.storage_meta;
  const name = card.querySelector(".name");
  name.textContent = name.title = file.original_name;
  if (file.url) name.href = file.url;
  card.querySelector(".extension").textContent = file.extension.slice(0, 5).toUpperCase();
  card.querySelector(".about").textContent = [bytes(file.size), width && `${width} × ${height}`].filter(Boolean).join(" · ");
  card.querySelector(".progress").textContent = progress(file);
  showPlaceholder(card, file);
  showThumbnail(card, file);
  return card;
}

function showFiles(files) {
  const list = element("recent");
  const listed = new Set(files.map(({ id }) => id));
  for (const id of [...cards.keys()].filter((id) => !listed.has(id))) cards.delete(id);
  list.replaceChildren(...files.map(showFile));
  element("no-files").hidden = files.length > 0;
  element("no-files").textContent = "This space has no files yet.";
}

const time = (text) => new Date(text).toLocaleTimeString();

function showAttempt({ number, at, duration_ms, status_code, error }) {
  const item = document.createElement("li");
  const isSuccess = !error && status_code >= 200 && status_code < 300;
  item.dataset.success = String(isSuccess);
  const result = error ?? `status ${status_code}`;
  item.textContent = `Attempt ${number} at ${time(at)}: ${result} after ${duration_ms} ms`;
  return item;
}

function showMessage({ event, file_id, url, status, attempts, next_attempt_at }) {
  const item = created("message");
  item.dataset.status = status;
  item.querySelector(".chip").textContent = status;
  item.querySelector(".event").textContent = event;
  item.querySelector(".of").textContent = cards.get(file_id)?.querySelector(".name").textContent ?? file_id;
  item.querySelector(".target").textContent = `to ${url}`;
  item.querySelector(".attempts").replaceChildren(...attempts.toReversed().map(showAttempt));
  if (next_attempt_at) item.querySelector(".next").textContent = `Next attempt at ${time(next_attempt_at)}.`;
  return item;
}

function showMessages(messages) {
  element("messages").replaceChildren(...messages.map(showMessage));
  element("no-messages").hidden = messages.length > 0;
  element("no-messages").textContent = "No webhooks in the last 30 days.";
}

function showQueues(queues) {
  const rows = queues.map(({ name, visible, in_flight, delayed, dead_letters }) => {
    const row = document.createElement("tr");
    const heading = document.createElement("th");
    heading.scope = "row";
    heading.textContent = name.replace(/^larder-|Queue$/g, "");
    const cells = [visible, in_flight, delayed, dead_letters].map((count) => {
      const cell = document.createElement("td");
      cell.textContent = count ?? "–";
      cell.dataset.some = String(count > 0);
      return cell;
    });
    cells.at(-1).className = "dead";
    row.append(heading, ...cells);
    return row;
  });
  element("queues").replaceChildren(...rows);
}

async function updateQueues() {
  const response = await fetch("/demo/queues");
  const { queues } = await response.json();
  render("queues", queues, showQueues);
}

async function updateSpace() {
  if (!element("key").value.trim()) return;
  spaces = await get("/spaces?limit=100");
  const space = selectedSpace();
  const views = spaces.map(({ handle, name, webhook_url }) => ({ handle, name, webhook_url }));
  render("spaces", { list: views, selected: space?.handle }, showSpaces);
  render("webhook", space ? { name: space.name, webhook_url: space.webhook_url } : null, showWebhook);
  if (!space) return;
  const [files, messages] = await Promise.all([
    get(`/files?space_id=${space.id}&limit=${FILES_MAX}`),
    get(`/spaces/${space.id}/webhook-deliveries?limit=${MESSAGES_MAX}`),
  ]);
  // Another space may have been selected meanwhile.
  if (selectedSpace()?.id !== space.id) return;
  render("files", files, showFiles);
  render("messages", messages, showMessages);
}

function explained(error) {
  return error instanceof ResponseError ? error.message : "The stack does not respond. Check that it runs.";
}

async function update() {
  try {
    await Promise.all([updateQueues(), updateSpace()]);
    element("problem").textContent = "";
  } catch (error) {
    element("problem").textContent = explained(error);
  }
}

/** Updates the page as long as it is open, and pauses while it is hidden. */
async function watch() {
  for (;;) {
    if (!document.hidden) await update();
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Empties the page, for another key. */
function clear() {
  spaces = [];
  for (const name of Object.keys(rendered)) delete rendered[name];
  showSpaces({ list: [] });
  showWebhook(null);
  showFiles([]);
  showMessages([]);
  element("no-files").textContent = "Enter an API key to see files.";
  element("no-messages").textContent = "Enter an API key to see webhooks.";
}

element("key").value = stored().key ?? "";
element("key").addEventListener("change", () => {
  clear();
  store({ key: element("key").value.trim() });
  update();
});
element("spaces").addEventListener("change", (event) => {
  store({ space: event.target.value });
  update();
});
element("send-here").addEventListener("click", async () => {
  const { id, name } = selectedSpace();
  try {
    await get(`/spaces/${id}`, { method: "PUT", body: JSON.stringify({ name, webhook_url: RECEIVER }) });
    await update();
  } catch (error) {
    element("problem").textContent = explained(error);
  }
});
settings.addEventListener("submit", (event) => event.preventDefault());
watch();
