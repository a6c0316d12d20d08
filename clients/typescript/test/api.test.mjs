// Generated functions.

import assert from "node:assert/strict";
import test from "node:test";

import * as api from "../dist/api.js";
import { json } from "./harness.mjs";

const { createClient, createConfig, pages: _, ...operations } = api;

test("the key is in the header, never in the URL", async () => {
  const requests = [];
  const fetch = async (request) => {
    requests.push(request);
    return json(200, { data: [] });
  };
  const client = createClient(createConfig({ baseUrl: "https://api.example", auth: "sk_secret", fetch }));

  const path = new Proxy({}, { get: () => "1" });

  for (const operation of Object.values(operations)) await operation({ client, path });

  assert.equal(requests.length, Object.keys(operations).length);
  for (const { url } of requests) assert.doesNotMatch(url, /api_key|sk_secret/);
  const authorized = requests.filter(({ headers }) => headers.get("authorization") === "Bearer sk_secret");
  assert.equal(requests.length - authorized.length, 4, "only uploads with a signature or from a page need no key");
});
