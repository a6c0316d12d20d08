// Decodes a BlurHash (github.com/woltapp/blurhash) to pixels.

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~";

const number = (text) => [...text].reduce((value, digit) => value * 83 + DIGITS.indexOf(digit), 0);
const signedSquare = (value) => Math.sign(value) * value * value;

/** Converts a channel from 0 to 255 to linear light. */
function linear(channel) {
  const value = channel / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/** Converts linear light to a channel from 0 to 255. */
function channel(light) {
  const value = Math.min(1, Math.max(0, light));
  return Math.round(255 * (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055));
}

/** Returns the components of a hash as linear colors, row by row, and their number across. */
function components(hash) {
  const size = number(hash[0]);
  const across = (size % 9) + 1;
  const down = Math.floor(size / 9) + 1;
  if (hash.length !== 4 + 2 * across * down) throw new Error("The BlurHash has the wrong length.");

  const scale = (number(hash[1]) + 1) / 166;
  const average = number(hash.slice(2, 6));
  const colors = [[average >> 16, (average >> 8) & 255, average & 255].map(linear)];
  for (let start = 6; start < hash.length; start += 2) {
    const value = number(hash.slice(start, start + 2));
    const parts = [Math.floor(value / 361), Math.floor(value / 19) % 19, value % 19];
    colors.push(parts.map((part) => signedSquare((part - 9) / 9) * scale));
  }
  return { colors, across };
}

/** Draws a hash on a canvas, at the size of the canvas. */
function drawBlurhash(canvas, hash) {
  const { colors, across } = components(hash);
  const { width, height } = canvas;
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const light = [0, 0, 0];
      colors.forEach((color, index) => {
        const horizontal = Math.cos((Math.PI * x * (index % across)) / width);
        const vertical = Math.cos((Math.PI * y * Math.floor(index / across)) / height);
        for (let part = 0; part < 3; part += 1) light[part] += color[part] * horizontal * vertical;
      });
      image.data.set([...light.map(channel), 255], 4 * (y * width + x));
    }
  }
  context.putImageData(image, 0, 0);
}
