// Large bodies: a player seeks for hours, and a file that is downloaded twice is transferred once.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test from "node:test";

import { API, open, required, tenant, TEXT, TIMEOUT_MS } from "./harness.mjs";

const WAV_BYTES = 40_000_000;
const BYTES_PER_SECOND = 44_100 * 2 * 2;
const WAV_HEADER_BYTES = 44;
/** Above the limit of a response, and small enough for the cache of a browser in private mode. */
const DOWNLOAD_BYTES = 6_000_000;
/** A position in seconds that is far beyond the bytes that a player loads first. */
const FAR_SECONDS = 200;

/** Returns a WAV of 16-bit stereo noise. */
function wav() {
  const header = Buffer.alloc(WAV_HEADER_BYTES);
  header.write("RIFF", 0);
  header.writeUInt32LE(WAV_BYTES - 8, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(2, 22);
  header.writeUInt32LE(44_100, 24);
  header.writeUInt32LE(BYTES_PER_SECOND, 28);
  header.writeUInt16LE(4, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36);
  header.writeUInt32LE(WAV_BYTES - WAV_HEADER_BYTES, 40);
  return Buffer.concat([header, Buffer.alloc(WAV_BYTES - WAV_HEADER_BYTES, randomBytes(4_096))]);
}

/** Uploads a file, and returns its delivery URL. */
async function upload({ handle, key }, name, type, bytes) {
  const form = new FormData();
  form.append("space", handle);
  form.append("file", new Blob([bytes], { type }), name);
  const response = await fetch(`${API}/upload`, { method: "POST", headers: { authorization: `Bearer ${key}` }, body: form });
  const text = await response.text();
  assert.equal(response.status, 201, text);
  return JSON.parse(text).data.url;
}

/** Opens a page of the CDN. Chromium asks before a page without an origin loads from the loopback interface. */
async function openPage(test, space) {
  return open(test, await upload(space, TEXT.name, TEXT.mimeType, TEXT.buffer));
}

/** Advances the clock of the stack by two hours: all URLs of objects expire. */
async function advanceClock() {
  await fetch(required("LARDER_CLOCK_URL"));
}

/** Moves the player to a position, and waits until it has played half a second from there. */
async function playFrom(page, seconds) {
  await page.evaluate((position) => {
    const player = document.querySelector("audio");
    player.currentTime = position;
    return player.play();
  }, seconds);
  const hasPlayed = (position) => {
    const { currentTime, error } = document.querySelector("audio");
    if (error) throw new Error(error.message);
    return currentTime >= position + 0.5 && currentTime < position + 30;
  };
  await page.waitForFunction(hasPlayed, seconds, { timeout: TIMEOUT_MS });
}

test("a player seeks in a large file after all URLs of objects have expired", async (t) => {
  const space = await tenant();
  const url = await upload(space, "noise.wav", "audio/wav", wav());
  const page = await openPage(t, space);
  const responses = [];
  page.on("response", (response) => responses.push(response));
  await page.evaluate((address) => {
    const player = document.createElement("audio");
    Object.assign(player, { muted: true, preload: "auto", src: address });
    document.body.append(player);
  }, url);

  await playFrom(page, 0);
  await advanceClock();
  await playFrom(page, FAR_SECONDS);
  await advanceClock();
  await playFrom(page, FAR_SECONDS / 2);

  const duration = await page.evaluate(() => document.querySelector("audio").duration);
  assert.equal(Math.round(duration), Math.round((WAV_BYTES - WAV_HEADER_BYTES) / BYTES_PER_SECOND));
  assert.ok(responses.length >= 3, `${responses.length} requests`);
  for (const response of responses) {
    assert.deepEqual([response.url(), response.status()], [url, 206]);
  }
});

test("a large file that is downloaded twice is transferred once", async (t) => {
  const bytes = randomBytes(DOWNLOAD_BYTES).fill(1, 0, 8);
  const space = await tenant();
  const url = await upload(space, "large.bin", "application/octet-stream", bytes);
  const page = await openPage(t, space);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.enable");
  let transferred = 0;
  devtools.on("Network.dataReceived", ({ encodedDataLength }) => (transferred += encodedDataLength));
  const targets = [];
  page.on("request", (request) => targets.push(new URL(request.url()).pathname));

  const download = () => page.evaluate(async (address) => (await (await fetch(address)).arrayBuffer()).byteLength, url);
  assert.equal(await download(), DOWNLOAD_BYTES);
  const afterFirst = transferred;
  assert.equal(await download(), DOWNLOAD_BYTES);

  assert.ok(afterFirst >= DOWNLOAD_BYTES, `${afterFirst} bytes`);
  assert.ok(transferred - afterFirst < 10_000, `${transferred - afterFirst} bytes of the second download`);
  assert.equal(targets.length, 4, `${targets}`);
  assert.ok(targets[1].startsWith("/_objects/"), targets[1]);
  assert.equal(targets[3], targets[1]);
});
