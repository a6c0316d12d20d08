#!/usr/bin/env node
// Signs addresses for `POST /upload/signed`, with Node's own modules alone.
//
//   sign.mjs BASE_URL SECRET KID SPACE_ID UPLOAD_CONFIG_ID EXPIRES [filename=NAME] [content_type=TYPE]
//   sign.mjs --check vectors.json
//
// BASE_URL ends with /api/v1, EXPIRES is in unix seconds. What is signed is the path and all parameters but the
// signature, each name and value encoded by RFC 3986, sorted by name and then by value.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";

const PATH = "/api/v1/upload/signed";

/** `encodeURIComponent` leaves five characters as they are that RFC 3986 reserves. */
const encode = (text) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

const order = ([name, value], [otherName, otherValue]) =>
  name === otherName ? (value < otherValue ? -1 : 1) : (name < otherName ? -1 : 1);

function canonical(parameters) {
  const pairs = parameters.map((pair) => pair.map(encode)).sort(order);
  return `${PATH}?${pairs.map((pair) => pair.join("=")).join("&")}`;
}

const signature = (secret, text) => createHmac("sha256", secret).update(text).digest("hex");

function signedUrl(baseUrl, secret, parameters) {
  const text = canonical(parameters);
  return `${baseUrl.replace(/\/api\/v1$/, "")}${text}&signature=${signature(secret, text)}`;
}

function check(path) {
  const { secret, vectors } = JSON.parse(readFileSync(path, "utf8"));
  for (const vector of vectors) {
    assert.equal(canonical(vector.parameters), vector.canonical);
    assert.equal(signature(secret, vector.canonical), vector.signature);
  }
  console.log(`${vectors.length} vectors agree`);
}

const [first, ...rest] = process.argv.slice(2);
if (first === "--check") {
  check(rest[0]);
} else {
  const [secret, kid, space_id, upload_config_id, expires, ...named] = rest;
  const given = Object.entries({ kid, space_id, upload_config_id, expires });
  const more = named.map((pair) => [pair.split("=", 1)[0], pair.slice(pair.indexOf("=") + 1)]);
  console.log(signedUrl(first, secret, [...given, ...more]));
}
