// Renditions, decoded by the browser.

import assert from "node:assert/strict";
import test from "node:test";

import { API, open, tenant } from "./harness.mjs";

/** Colors of the quarters of the image, one of them transparent. */
const COLORS = ["rgb(200 30 40)", "rgb(20 160 60)", "rgb(30 60 200)", "rgb(240 200 40 / 50%)"];
/** Side of a quarter, in pixels. */
const SIDE = 40;
/** Maximum difference of a sample, for the loss of an encoder. */
const TOLERANCE = 6;

/** Returns a PNG of the colors, as a data URL. */
function draw([colors, side]) {
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * side, height: 2 * side });
  const context = canvas.getContext("2d");
  colors.forEach((color, index) => {
    context.fillStyle = color;
    context.fillRect((index % 2) * side, Math.floor(index / 2) * side, side, side);
  });
  return canvas.toDataURL();
}

/** Returns the samples in the middle of each quarter of an image on white. */
async function quarters([url, side]) {
  const image = Object.assign(new Image(), { src: url });
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * side, height: 2 * side });
  const context = canvas.getContext("2d");
  context.fillStyle = "white";
  context.fillRect(0, 0, 2 * side, 2 * side);
  context.drawImage(image, 0, 0);
  const middle = (index) => [(index % 2 + 0.5) * side, (Math.floor(index / 2) + 0.5) * side];
  return [0, 1, 2, 3].flatMap((index) => [...context.getImageData(...middle(index), 1, 1).data]);
}

test("renditions of each format and chroma have the colors of the original", async (t) => {
  const acme = await tenant();
  const page = await open(t, "about:blank");
  const png = await page.evaluate(draw, [COLORS, SIDE]);
  const expected = await page.evaluate(quarters, [png, SIDE]);

  const form = new FormData();
  form.set("space", acme.handle);
  form.set("file", await (await fetch(png)).blob(), "colors.png");
  const headers = { authorization: `Bearer ${acme.account}` };
  const { data: file } = await (await fetch(`${API}/upload`, { method: "POST", headers, body: form })).json();

  for (const query of ["f=png", "f=webp&q=80", "f=jpeg&q=80", "f=jpeg&q=95", "f=avif&q=80", "f=avif&q=95"]) {
    const response = await fetch(`${file.url}?${query}`, { headers });
    assert.equal(response.status, 200, query);
    const bytes = Buffer.from(await response.arrayBuffer()).toString("base64");
    const url = `data:${response.headers.get("content-type")};base64,${bytes}`;
    const found = await page.evaluate(quarters, [url, SIDE]);
    const differences = found.map((sample, index) => Math.abs(sample - expected[index]));
    assert.ok(Math.max(...differences) <= TOLERANCE, `${query}: ${found} instead of ${expected}`);
  }
});
