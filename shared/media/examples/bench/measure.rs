//! Measurement of renderings: CPU time of this process and of those that it starts, time, and
//! memory of this process alone.

#![expect(clippy::cast_precision_loss, reason = "durations are approximate")]
#![expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]

use std::{fs, thread, time::Instant};

use domain::{
    renditions::{Focus, Quality, Resize, Sides},
    settings::Gravity,
};
use media::{
    format::Format,
    render::{RenderOptions, RenderedImage, WatermarkLayer, render as render_image},
};

/// Quality of all outputs with a quality.
const QUALITY: u8 = 80;

/// Unit of the times of processes: a hundredth of a second.
const TICK_NANOSECONDS: u64 = 10_000_000;

/// Renders a file and returns the measurements as JSON.
pub(crate) fn render(arguments: &[&str]) -> String {
    let [count, threads, format, resize, file, output, watermark @ ..] = arguments else {
        panic!("arguments are missing")
    };
    let count: u32 = count.parse().unwrap();
    let threads: u32 = threads.parse().unwrap();
    let bytes = fs::read(file).unwrap();
    let watermark = watermark.first().map(|path| {
        WatermarkLayer::decode(&fs::read(path).unwrap(), Gravity::Southeast, 0.5).unwrap()
    });
    let options = RenderOptions {
        resize: Some(resize_named(resize)),
        format: format_named(format),
        quality: Quality::Fixed(QUALITY),
        watermark: watermark.as_ref(),
    };
    let idle_memory = memory_kilobytes("VmRSS");

    let rendered: RenderedImage = render_image(&bytes, &options).unwrap();
    fs::write(output, &rendered.bytes).unwrap();
    let peak_memory = memory_kilobytes("VmHWM") - idle_memory;
    let started = Instant::now();
    let before = children_nanoseconds();
    let cpu_nanoseconds: u64 = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| scope.spawn(|| repeat(count, || drop(render_image(&bytes, &options)))))
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap())
            .sum()
    });
    let cpu_nanoseconds = cpu_nanoseconds + children_nanoseconds() - before;

    let images = f64::from(count * threads);
    format!(
        r#"{{"cpu":{},"wall":{},"memory":{peak_memory},"bytes":{}}}"#,
        cpu_nanoseconds as f64 / 1e6 / images,
        started.elapsed().as_secs_f64() * 1e3 / images,
        rendered.bytes.len()
    )
}

/// Returns the CPU time of a number of calls, in nanoseconds.
fn repeat(count: u32, work: impl Fn()) -> u64 {
    let before = cpu_nanoseconds();
    for _ in 0..count {
        work();
    }
    cpu_nanoseconds() - before
}

/// Returns the CPU time of this thread, in nanoseconds.
fn cpu_nanoseconds() -> u64 {
    let statistics = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    statistics.split(' ').next().unwrap().parse().unwrap()
}

/// Returns the CPU time of the processes that this one has started and that have ended, in
/// nanoseconds.
fn children_nanoseconds() -> u64 {
    let statistics = fs::read_to_string("/proc/self/stat").unwrap();
    let fields = statistics.rsplit(") ").next().unwrap();
    let ticks = fields.split(' ').skip(13).take(2);
    let ticks: u64 = ticks.map(|ticks| ticks.parse::<u64>().unwrap()).sum();
    ticks * TICK_NANOSECONDS
}

fn memory_kilobytes(field: &str) -> i64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn format_named(name: &str) -> Format {
    match name {
        "jpeg" => Format::Jpeg,
        "png" => Format::Png,
        "webp" => Format::WebP,
        "avif" => Format::Avif,
        "gif" => Format::Gif,
        _ => panic!("unknown format {name}"),
    }
}

/// Returns an operation that is written like `fit:400x400`.
fn resize_named(name: &str) -> Resize {
    let (mode, sides) = name.split_once(':').unwrap();
    let (width, height) = sides.split_once('x').unwrap();
    let width = width.parse().unwrap();
    let height = height.parse().unwrap();
    if mode == "fill" {
        Resize::Fill {
            width,
            height,
            focus: Focus::At(Gravity::Center),
        }
    } else {
        Resize::Fit(Sides::Both { width, height })
    }
}
