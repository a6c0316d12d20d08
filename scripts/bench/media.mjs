// Benchmark of image rendering against sharp. scripts/bench/run media runs it; see there.
//
//   node media.mjs BINARY SHARP IMAGES [ROW …]      all rows, or those whose names contain a text
//   node media.mjs --sharp SHARP JOB                one measurement in its own process

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sides, withScores } from "./score.mjs";

/** Options of sharp's encoders. AVIF has the quality whose score is ours, and the options of its row. */
const OPTIONS = {
    jpeg: { quality: 80, progressive: true },
    webp: { quality: 80 },
    png: { adaptiveFiltering: true },
};
/** Pairs of measurements of a row. The result is their median. */
const ROUNDS = 7;
/** CPU time of one measurement, in milliseconds. */
const MEASURE_MS = 1500;

const ROWS = [
    { name: "12 MP JPEG → 400 px JPEG", file: "12mp.jpg", resize: "fit:400x400", format: "jpeg", goal: 1 },
    { name: "12 MP JPEG → 320×320 fill WebP", file: "12mp.jpg", resize: "fill:320x320", format: "webp", goal: 1 },
    { name: "12 MP progressive → 400 px JPEG", file: "12mp-progressive.jpg", resize: "fit:400x400", format: "jpeg", goal: 1 },
    { name: "PNG with alpha → 500 px PNG", file: "alpha.png", resize: "fit:500x500", format: "png", goal: 1.2 },
    { name: "PNG with alpha → 500 px WebP", file: "alpha.png", resize: "fit:500x500", format: "webp", goal: 1.2 },
    { name: "12 MP → 1600 px + watermark → JPEG", file: "12mp.jpg", resize: "fit:1600x1600", format: "jpeg", watermark: "watermark.png", goal: 1.2 },
    { name: "12 MP → 1000 px JPEG", file: "12mp.jpg", resize: "fit:1000x1000", format: "jpeg", goal: 0.95 },
    { name: "12 MP → 1600 px JPEG", file: "12mp.jpg", resize: "fit:1600x1600", format: "jpeg", goal: 0.95 },
    { name: "48 MP → 400 px JPEG", file: "48mp.jpg", resize: "fit:400x400", format: "jpeg", goal: 0.95 },
    { name: "12 MP AVIF → 400 px JPEG", file: "12mp.avif", resize: "fit:400x400", format: "jpeg", goal: 0.5 },
    { name: "12 MP HEIC of tiles → 400 px JPEG, Larder alone", file: "12mp.heic", resize: "fit:400x400", format: "jpeg", isAlone: true },
    { name: "12 MP → 32 px, for a blurhash", file: "12mp.jpg", resize: "fit:32x32", format: "png", goal: 0.95 },
    ...[1, 2, 4].flatMap((effort) => ["4:2:0", "4:4:4"].map((chromaSubsampling) => ({
        name: `12 MP → 1600 px AVIF, effort ${effort}, ${chromaSubsampling}`, file: "12mp.jpg", resize: "fit:1600x1600",
        format: "avif", options: { effort, chromaSubsampling }, goal: 1,
    }))),
];

async function render(sharp, job, input, overlay) {
    const { mode, ...box } = sides(job.resize);
    let image = sharp(input).rotate().resize({ ...box, fit: mode === "fill" ? "cover" : "inside", withoutEnlargement: true });
    if (overlay) {
        // One pipeline returns the same bytes, but takes twice the CPU time.
        const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
        image = sharp(data, { raw: info }).composite([{ input: overlay, gravity: "southeast" }]);
    }
    return image.toFormat(job.format, { ...OPTIONS[job.format], ...job.options }).toBuffer();
}

function memoryKilobytes(field) {
    const line = readFileSync("/proc/self/status", "utf8").split("\n").find((line) => line.startsWith(field));
    return Number(line.split(/\s+/)[1]);
}

/** Measures one row with sharp in this process, and prints the result as JSON. */
async function measureSharp(sharpPath, job) {
    const sharp = createRequire(import.meta.url)(sharpPath);
    sharp.cache(false);
    sharp.concurrency(1);
    const input = readFileSync(job.input);
    const overlay = job.overlay && (await sharp(job.overlay).resize(400, 300, { fit: "inside" }).toBuffer());
    const idle = memoryKilobytes("VmRSS");

    const bytes = await render(sharp, job, input, overlay);
    writeFileSync(job.output, bytes);
    const memory = memoryKilobytes("VmHWM") - idle;
    const started = performance.now();
    const before = process.cpuUsage();
    const worker = async () => {
        for (let index = 0; index < job.count; index++) {
            await render(sharp, job, input, overlay);
        }
    };
    await Promise.all(Array.from({ length: job.threads }, worker));
    const used = process.cpuUsage(before);

    const images = job.count * job.threads;
    const cpu = (used.user + used.system) / 1000 / images;
    const wall = (performance.now() - started) / images;
    console.log(JSON.stringify({ cpu, wall, memory, bytes: bytes.length }));
}

function median(values) {
    return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function benchmark(binary, sharpPath, images) {
    const run = (command, parameters) => execFileSync(command, parameters, { encoding: "utf8" });
    const ours = (row, count, threads) => JSON.parse(run(binary, [
        "render", count, threads, row.format, row.resize, join(images, row.file), join(images, "ours.out"),
        ...(row.watermark ? [join(images, row.watermark)] : []),
    ].map(String)));
    const theirs = (row, count, threads) => JSON.parse(run(process.execPath, [
        fileURLToPath(import.meta.url), "--sharp", sharpPath, JSON.stringify({
            ...row, count, threads, input: join(images, row.file), output: join(images, "sharp.out"),
            overlay: row.watermark && join(images, row.watermark),
        }),
    ]));
    return { ours, theirs };
}

/** Returns medians of paired measurements of a row. */
function paired(bench, row, threads) {
    const count = Math.max(2, Math.round(MEASURE_MS / bench.ours(row, 1, 1).cpu));
    const pairs = Array.from({ length: ROUNDS }, () => ({ ours: bench.ours(row, count, threads), sharp: bench.theirs(row, count, threads) }));
    const of = (select) => median(pairs.map(select));
    return {
        speed: of(({ ours, sharp }) => sharp.cpu / ours.cpu),
        throughput: of(({ ours, sharp }) => sharp.wall / ours.wall),
        ours: of(({ ours }) => ours.cpu),
        sharp: of(({ sharp }) => sharp.cpu),
        kilobytes: { ours: of(({ ours }) => ours.bytes) / 1000, sharp: of(({ sharp }) => sharp.bytes) / 1000 },
        memory: { ours: of(({ ours }) => ours.memory) / 1024, sharp: of(({ sharp }) => sharp.memory) / 1024 },
    };
}

/** Returns the cells of a row whose file sharp cannot decode. */
function alone(bench, row) {
    const runs = Array.from({ length: ROUNDS }, () => bench.ours(row, 1, 1));
    const of = (select, digits) => `${median(runs.map(select)).toFixed(digits)} / -`;
    const memory = of((run) => run.memory / 1024, 0);
    return [row.name, "-", "-", of((run) => run.cpu, 1), "-", "-", of((run) => run.bytes / 1000, 1), memory, "-"];
}

/** Returns the row with the AVIF quality of sharp whose score is closest to ours. */
async function atEqualScore(bench, sharp, row, { images, score }) {
    bench.ours(row, 1, 1);
    const goal = await score(join(images, "ours.out"));
    const input = readFileSync(join(images, row.file));
    let [low, high] = [1, 100];
    let best = { difference: Infinity };
    while (low <= high) {
        const options = { ...row.options, quality: Math.floor((low + high) / 2) };
        const difference = (await score(await render(sharp, { ...row, options }, input))) - goal;
        if (Math.abs(difference) < Math.abs(best.difference)) {
            best = { difference, row: { ...row, options } };
        }
        [low, high] = difference < 0 ? [options.quality + 1, high] : [low, options.quality - 1];
    }
    return best.row;
}

/** Measures a row. The scores are those of the last outputs. */
async function measure(bench, { binary, sharp, images, row: planned }) {
    return withScores({ binary, sharp, file: join(images, planned.file), resize: planned.resize }, async (score) => {
        const row = planned.format === "avif" ? await atEqualScore(bench, sharp, planned, { images, score }) : planned;
        const single = paired(bench, row, 1);
        const scores = [];
        for (const engine of row.watermark ? [] : ["ours", "sharp"]) {
            scores.push((await score(join(images, `${engine}.out`))).toFixed(1));
        }
        return { row, single, all: paired(bench, row, cpus().length), scores };
    });
}

/** Returns a bar chart of speeds. */
function chart(results) {
    const bars = results.map(({ row, single }, index) => {
        const top = 40 + index * 26;
        const width = Math.min(single.speed, 3) * 150;
        const color = single.speed >= row.goal ? "#2a7" : "#c63";
        return `<text x="8" y="${top + 13}">${row.name}</text><rect x="260" y="${top}" width="${width.toFixed(1)}" height="18" fill="${color}"/>`
            + `<text x="${(266 + width).toFixed(1)}" y="${top + 13}">${single.speed.toFixed(2)}</text>`;
    });
    const height = 50 + results.length * 26;
    return `<svg xmlns="http://www.w3.org/2000/svg" width="760" height="${height}" font-family="sans-serif" font-size="13">`
        + `<text x="8" y="20">CPU time of sharp / CPU time of Larder, single-threaded (above 1: Larder is faster)</text>`
        + `${bars.join("")}<line x1="410" y1="30" x2="410" y2="${height}" stroke="#333" stroke-dasharray="4"/></svg>\n`;
}

async function main([binary, sharpPath, images, ...names]) {
    const sharp = createRequire(import.meta.url)(sharpPath);
    const bench = benchmark(binary, sharpPath, images);
    const cores = cpus().length;
    const rows = ROWS.filter((row) => names.length === 0 || names.some((name) => row.name.includes(name)));
    console.log(`sharp ${sharp.versions.sharp ?? ""} (libvips ${sharp.versions.vips}), ${cores} cores, median of ${ROUNDS} pairs`);
    console.log(`| row | goal | speed, 1 thread | CPU ms, ours / sharp | speed, ${cores} threads | throughput, ${cores} threads | kB, ours / sharp | peak MB, ours / sharp | score, ours / sharp |`);
    console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");

    const results = [];
    for (const planned of rows) {
        if (planned.isAlone) {
            console.log(`| ${alone(bench, planned).join(" | ")} |`);
            continue;
        }
        const { row, single, all, scores } = await measure(bench, { binary, sharp, images, row: planned });
        results.push({ row, single });
        const cells = [
            row.name, `≥ ${row.goal}`, single.speed.toFixed(2), `${single.ours.toFixed(1)} / ${single.sharp.toFixed(1)}`,
            all.speed.toFixed(2), all.throughput.toFixed(2), `${single.kilobytes.ours.toFixed(1)} / ${single.kilobytes.sharp.toFixed(1)}`,
            `${single.memory.ours.toFixed(0)} / ${single.memory.sharp.toFixed(0)}`,
            scores.join(" / ") || "-",
        ];
        console.log(`| ${cells.join(" | ")} |`);
    }
    const svg = join(images, "chart.svg");
    writeFileSync(svg, chart(results));
    console.log(`\nChart: ${svg}`);
}

const parameters = process.argv.slice(2);
if (parameters[0] === "--sharp") {
    await measureSharp(parameters[1], JSON.parse(parameters[2]));
} else {
    await main(parameters);
}
