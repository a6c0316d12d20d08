// Shows the requests that the receiver has kept, and new ones every second. Text of requests is never inserted as HTML.

/** Delay between two requests, in milliseconds. */
const PAUSE_MS = 1000;
/** Maximum number of webhooks on the page, as many as the receiver keeps. */
const WEBHOOKS_MAX = 100;
const HEADERS = ["webhook-id", "webhook-timestamp", "webhook-signature", "content-type", "user-agent"];

const element = (id) => document.getElementById(id);
/** Number of the last webhook on the page. */
let last = 0;

/** Returns the body with indentation if it is JSON, and the event that it names. */
function parsed(body) {
  try {
    const value = JSON.parse(body);
    return { text: JSON.stringify(value, null, 2), event: value?.event ?? value?.type };
  } catch {
    return { text: body };
  }
}

function item({ received_at, headers, body }) {
  const created = element("webhook").content.cloneNode(true).firstElementChild;
  const { text, event } = parsed(body);
  created.querySelector(".event").textContent = typeof event === "string" ? event : "Request";
  created.querySelector("time").textContent = new Date(received_at).toLocaleString();
  created.querySelector("time").dateTime = received_at;
  created.querySelector("pre").textContent = text || "(empty body)";
  const pairs = HEADERS.filter((name) => name in headers).flatMap((name) => {
    const term = document.createElement("dt");
    const description = document.createElement("dd");
    term.textContent = name;
    description.textContent = headers[name];
    return [term, description];
  });
  created.querySelector("dl").append(...pairs);
  return created;
}

async function update() {
  const response = await fetch(`/demo/webhooks/received?after=${last}`);
  const received = await response.json();
  if (received.last < last) {
    // The stack was restarted, and counts from 1 again.
    last = 0;
    element("webhooks").replaceChildren();
    return update();
  }
  last = received.last;
  element("webhooks").prepend(...received.webhooks.map(item));
  while (element("webhooks").children.length > WEBHOOKS_MAX) element("webhooks").lastElementChild.remove();
  element("none").hidden = last > 0;
}

for (;;) {
  if (!document.hidden) {
    const error = await update().then(() => "", () => "The stack does not respond. Check that it runs.");
    element("problem").textContent = error;
  }
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
