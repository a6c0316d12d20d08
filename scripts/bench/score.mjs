// Scores rendered images, for benchmarks:
//
//   node score.mjs BINARY SHARP FILE RESIZE OUTPUT …     prints the score of each output

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Lobes of the Lanczos filter. */
const LOBES = 3;

/** Returns mode and sides of an operation that is written like `fit:400x400`. */
export function sides(resize) {
    const [mode, size] = resize.split(":");
    const [width, height] = size.split("x").map(Number);
    return { mode, width, height };
}

function lanczos(x) {
    const sinc = (x) => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));
    return Math.abs(x) < LOBES ? sinc(x) * sinc(x / LOBES) : 0;
}

/** Resizes each row of `length` RGBA samples to `target` pixels, and transposes the result. */
function resizeRows(samples, length, target) {
    const scale = length / target;
    const rows = samples.length / length / 4;
    const resized = new Float32Array(rows * target * 4);
    for (let x = 0; x < target; x++) {
        const center = (x + 0.5) * scale - 0.5;
        const first = Math.max(0, Math.ceil(center - LOBES * scale));
        const last = Math.min(length - 1, Math.floor(center + LOBES * scale));
        const weights = Array.from({ length: last - first + 1 }, (_, tap) => lanczos((first + tap - center) / scale));
        const sum = weights.reduce((a, b) => a + b);
        for (let y = 0; y < rows; y++) {
            const to = (x * rows + y) * 4;
            for (let channel = 0; channel < 4; channel++) {
                const from = (y * length + first) * 4 + channel;
                let value = 0;
                for (let tap = 0; tap < weights.length; tap++) {
                    value += weights[tap] * samples[from + tap * 4];
                }
                resized[to + channel] = value / sum;
            }
        }
    }
    return resized;
}

/**
 * Writes the reference of a file as PNG.
 *
 * Larder, sharp and thumbor resize sRGB samples with Lanczos3, so this is that filter, but the code of none of them, in floats
 * and from all pixels. The score then shows what is lost by decoding at a smaller scale, by rounding and by encoding, and the
 * choice of another filter favors none of them.
 */
async function writeReference(sharp, file, resize, path) {
    const { data, info } = await sharp(file).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    const samples = Float32Array.from(data);
    for (let at = 0; at < samples.length; at += 4) {
        for (let channel = at; channel < at + 3; channel++) {
            samples[channel] *= samples[at + 3] / 255;
        }
    }

    const { mode, ...box } = sides(resize);
    const scales = [info.width / box.width, info.height / box.height];
    const scale = mode === "fill" ? Math.min(...scales) : Math.max(...scales);
    const whole = { width: Math.round(info.width / scale), height: Math.round(info.height / scale) };
    const size = mode === "fill" ? box : whole;
    // Both engines crop whole pixels.
    const cropped = (samples, rowLength, from, to) => {
        const start = Math.ceil((from - to) / 2) * rowLength * 4;
        return samples.subarray(start, start + to * rowLength * 4);
    };
    const columns = cropped(resizeRows(samples, info.width, whole.width), info.height, whole.width, size.width);
    const resized = cropped(resizeRows(columns, info.height, whole.height), size.width, whole.height, size.height);

    const bytes = Uint8ClampedArray.from(resized);
    for (let at = 0; at < bytes.length; at += 4) {
        for (let channel = at; channel < at + 3 && resized[at + 3] > 0; channel++) {
            bytes[channel] = (resized[channel] * 255) / resized[at + 3];
        }
    }
    await sharp(bytes, { raw: { ...size, channels: 4 } }).png({ compressionLevel: 1 }).toFile(path);
}

/** Calls `use` with a function that returns the score of an image: 100 if it equals the file, resized. */
export async function withScores({ binary, sharp, file, resize }, use) {
    // It caches images by the names of their files, which are used again.
    sharp.cache(false);
    const directory = mkdtempSync(join(tmpdir(), "bench-score-"));
    try {
        const reference = join(directory, "reference.png");
        await writeReference(sharp, file, resize, reference);
        return await use(async (image) => {
            const png = join(directory, "image.png");
            await sharp(image).png({ compressionLevel: 1 }).toFile(png);
            return Number(execFileSync(binary, ["score", reference, png], { encoding: "utf8" }));
        });
    } finally {
        rmSync(directory, { recursive: true });
    }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const [binary, sharpPath, file, resize, ...outputs] = process.argv.slice(2);
    const sharp = createRequire(import.meta.url)(sharpPath);
    await withScores({ binary, sharp, file, resize }, async (score) => {
        for (const image of outputs) {
            console.log(await score(image));
        }
    });
}
