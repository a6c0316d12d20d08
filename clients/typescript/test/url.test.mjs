// URLs of transformed images, placeholders, and pages.

import assert from "node:assert/strict";
import test from "node:test";

import { pages } from "../dist/api.js";
import { placeholder, srcset, url } from "../dist/index.js";

const URLS = [
  ["/a.jpg", {}, "/a.jpg"],
  ["/a.jpg", { width: 400 }, "/a.jpg?w=400"],
  ["/a.jpg", { width: undefined, download: false }, "/a.jpg"],
  ["/a.jpg", { download: true }, "/a.jpg?download="],
  [
    "https://cdn.example/a.jpg",
    { width: 4, height: 3, crop: "fill", gravity: "auto", format: "webp", quality: 80 },
    "https://cdn.example/a.jpg?w=4&h=3&r=fill&g=auto&f=webp&q=80",
  ],
  ["/a.jpg?v=2&w=1", { width: 400 }, "/a.jpg?v=2&w=400"],
  ["/a.jpg?expires=1&kid=1&signature=ab", {}, "/a.jpg?expires=1&kid=1&signature=ab"],
  [{ url: "/a.jpg" }, { quality: "auto" }, "/a.jpg?q=auto"],
];
for (const [file, transformation, expected] of URLS) {
  test(`the URL ${expected}`, () => assert.equal(url(file, transformation), expected));
}

test("a pending file has no URL", () => assert.throws(() => url({ url: null }), /pending/));

const ofWidth = (width) => ({ url: "/a.jpg", storage_meta: { width, height: 300 } });
const SRCSETS = [
  ["an unknown width has the default widths", "/a.jpg", {}, [320, 640, 960, 1280, 1920, 2560], []],
  ["no width exceeds the original", ofWidth(1000), {}, [320, 640, 960, 1000], []],
  ["a small original has its own width", ofWidth(200), {}, [200], []],
  ["a width of null is unknown", ofWidth(null), { widths: [10] }, [10], []],
  ["widths are sorted, and each occurs once", "/a.jpg", { widths: [200, 1000, 200] }, [200, 1000], []],
  ["the height follows the width", ofWidth(300), { width: 4, height: 3, crop: "fill" }, [300], ["h=225", "r=fill"]],
  ["a height alone stays", "/a.jpg", { height: 50, widths: [100] }, [100], ["h=50"]],
];
for (const [name, file, options, widths, parameters] of SRCSETS) {
  test(`srcset: ${name}`, () => {
    const result = srcset(file, options);
    const expected = widths.map((width) => `${["/a.jpg?w=" + width, ...parameters].join("&")} ${width}w`);
    if (widths.length > 1 || parameters.length < 2) assert.equal(result.srcset, expected.join(", "));
    for (const parameter of parameters) assert.ok(result.src.includes(parameter), result.src);
    assert.ok(result.src.startsWith(`/a.jpg?w=${widths.at(-1)}`));
    assert.equal(result.sizes, "100vw");
  });
}

/** Returns the size and the average color of a BMP in a data URL. */
function read(dataUrl) {
  const bmp = Buffer.from(dataUrl.replace("data:image/bmp;base64,", ""), "base64");
  assert.equal(bmp.toString("latin1", 0, 2), "BM");
  assert.equal(bmp.readUInt32LE(2), bmp.length);
  const [width, height] = [bmp.readInt32LE(18), -bmp.readInt32LE(22)];
  const sums = [0, 0, 0];
  for (let at = 54; at < bmp.length; at += 4) [2, 1, 0].forEach((channel, part) => (sums[part] += bmp[at + channel]));
  return { width, height, average: sums.map((sum) => Math.round(sum / (width * height))) };
}

test("a placeholder of one component has its color", () => {
  // The average is 4 digits of base 83: 0xff8000 is "TNoS" for the digits 0 to 9, A to Z.
  assert.deepEqual(read(placeholder("00TNoS")), { width: 16, height: 16, average: [0xff, 0x80, 0] });
});

test("a placeholder of a known image is near its colors", () => {
  const { average } = read(placeholder("LEHV6nWB2yk8pyo0adR*.7kCMdnj"));
  // The sample of blurha.sh: a beige image.
  assert.ok(average.every((channel, part) => Math.abs(channel - [148, 130, 125][part]) < 25), `${average}`);
});

test("a placeholder has the aspect ratio of its image, and a bounded size", () => {
  for (const [size, width, height] of [[{ width: 4000, height: 3000 }, 32, 24], [{ width: 8 }, 8, 8], [{ width: 1, height: 9999 }, 1, 32]]) {
    const found = read(placeholder("00TNoS", size));
    assert.deepEqual([found.width, found.height], [width, height]);
  }
});

test("a malformed BlurHash is an error", () => {
  for (const hash of ["", "0", "00TNo", "00TNoSA", "00TN\u00e9S", "LEHV6nWB2yk8pyo0adR*.7kCMdn"]) {
    assert.throws(() => placeholder(hash), /BlurHash is malformed/, hash);
  }
});

test("pages yields all items, also after an empty page, and stops without a cursor", async () => {
  const list = { first: { data: [1, 2], next_cursor: "b" }, b: { data: [], next_cursor: "c" }, c: { data: [3], next_cursor: null } };
  const cursors = [];
  const items = [];
  for await (const item of pages(async (cursor = "first") => (cursors.push(cursor), list[cursor]))) items.push(item);
  assert.deepEqual([items, cursors], [[1, 2, 3], ["first", "b", "c"]]);
});
