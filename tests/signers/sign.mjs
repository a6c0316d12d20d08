#!/usr/bin/env node
// Signs URLs for `POST /upload/signed` and for delivery, with Node's own modules alone.
//
//   sign.mjs BASE_URL SECRET KID KEY_ID SPACE_ID UPLOAD_CONFIG_ID EXPIRES [filename=NAME] [content_type=TYPE]
//   sign.mjs --delivery FILE_URL SECRET KID EXPIRES [w=400] [download=] …
//   sign.mjs --check vectors.json
//
// BASE_URL ends with /api/v1, KEY_ID is the id of an API key of the space, FILE_URL is a file's `url`, EXPIRES is in unix seconds. The signature covers the path and all
// parameters but the signature, each name and value encoded by RFC 3986, sorted by name and then by value.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";

const UPLOAD_PATH = "/api/v1/upload/signed";

/** RFC 3986 reserves five characters that `encodeURIComponent` does not encode. */
const encode = (text) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

const order = ([name, value], [otherName, otherValue]) =>
  name === otherName ? (value < otherValue ? -1 : 1) : (name < otherName ? -1 : 1);

function canonical(path, parameters) {
  const pairs = parameters.map((pair) => pair.map(encode)).sort(order);
  return `${path}?${pairs.map((pair) => pair.join("=")).join("&")}`;
}

const signature = (secret, text) => createHmac("sha256", secret).update(text).digest("hex");

function signedUrl(origin, path, secret, parameters) {
  const text = canonical(path, parameters);
  return `${origin}${text}&signature=${signature(secret, text)}`;
}

const named = (pairs) => pairs.map((pair) => [pair.split("=", 1)[0], pair.slice(pair.indexOf("=") + 1)]);

function upload(baseUrl, secret, kid, key_id, space_id, upload_config_id, expires, ...more) {
  const given = Object.entries({ kid, key_id, space_id, upload_config_id, expires });
  return signedUrl(baseUrl.replace(/\/api\/v1$/, ""), UPLOAD_PATH, secret, [...given, ...named(more)]);
}

function delivery(fileUrl, secret, kid, expires, ...more) {
  const { origin, pathname } = new URL(fileUrl);
  return signedUrl(origin, pathname, secret, [...Object.entries({ kid, expires }), ...named(more)]);
}

function check(path) {
  const { secret, vectors, delivery } = JSON.parse(readFileSync(path, "utf8"));
  for (const vector of [...vectors, ...delivery]) {
    assert.equal(canonical(vector.path ?? UPLOAD_PATH, vector.parameters), vector.canonical);
    assert.equal(signature(secret, vector.canonical), vector.signature);
  }
  return `${vectors.length} vectors of uploads and ${delivery.length} of deliveries agree`;
}

const [first, ...rest] = process.argv.slice(2);
const does = { "--check": check, "--delivery": delivery }[first];
console.log(does ? does(...rest) : upload(first, ...rest));
