//! Compares the maximum memory of renderings with the measured peak of the process, which includes
//! everything: the allocations of Rust and C, stacks, and unused parts of allocations that were
//! written. Each case runs in a separate process, so that no case reuses the memory of another.

#![expect(
    clippy::print_stdout,
    reason = "a case reports its memory to its parent"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "a case is selected by the environment"
)]

use std::{env, fs, process::Command};

use domain::{
    renditions::{Focus, Quality, Resize},
    settings::Gravity,
};
use media::{
    format::Format,
    render::{PlanOptions, RenderOptions, WatermarkLayer, render},
};

use crate::{
    avif_originals,
    files::{both, crop, fill, fit, resized, to},
    memory_sources::{SOURCES, Source, watermark},
};

/// Variable that selects all cases. By default, every seventh case is measured, of each source at
/// least one.
const THOROUGH: &str = "LARDER_THOROUGH";
/// Distance between two cases that are measured by default.
const DEFAULT_STEP: usize = 7;
/// Variable with the index of a case.
const CASE: &str = "MEMORY_CASE";
/// Beginning of the line with the maximum and the measured bytes.
const RESULT: &str = "memory:";
/// Multiple of the peak that the maximum may have: it does not depend on how a source is coded.
const MAX_RATIO: u64 = 8;
/// Memory that the maximum may exceed this multiple by, in bytes: that of code tables, of the
/// largest watermark, and of decoders and encoders.
const FIXED_BYTES: u64 = 240 << 20;
/// Size from which an allocation has separate pages, so that it is returned when it is freed.
const PAGED_BYTES: &str = "65536";

/// Renderings of one image; several of them share its decoded pixels.
#[derive(Clone, Debug)]
struct Case {
    source: Source,
    width: u32,
    height: u32,
    resizes: Vec<Option<Resize>>,
    format: Format,
    quality: u8,
    has_watermark: bool,
}

const SMALL: Option<Resize> = Some(fit(200, 200));
const MEDIUM: Option<Resize> = Some(fit(800, 800));
const ENLARGED: Option<Resize> = Some(Resize::Scale(both(1_400, 1_000)));
const NARROW: Option<Resize> = Some(fill(8, 700, Focus::Auto));
const CROPPED: Option<Resize> = Some(crop(both(500, 700), Focus::At(Gravity::Center)));

/// Returns renderings of all sources in all modes, also of very wide and very high images, and in
/// all formats.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for source in SOURCES {
        let case = |width, height, resizes: &[Option<Resize>]| Case {
            source,
            width,
            height,
            resizes: resizes.to_vec(),
            format: Format::Png,
            quality: 80,
            has_watermark: false,
        };
        for resize in [None, SMALL, MEDIUM, ENLARGED, NARROW, CROPPED] {
            cases.push(case(1_200, 900, &[resize]));
        }
        let side = source.long_side();
        let flat = Some(Resize::Scale(both(1, 1_000)));
        cases.push(case(side, 20, &[flat]));
        cases.push(case(1, side, &[SMALL]));
        cases.push(case(1_600, 1_200, &[MEDIUM, SMALL, NARROW]));
        cases.push(case(1_600, 1_200, &[None, SMALL]));
        cases.push(Case {
            has_watermark: true,
            ..case(2_400, 1_800, &[MEDIUM])
        });

        if source.is_png() {
            for (format, quality, width) in [
                (Format::Jpeg, 80, 1_200),
                (Format::Jpeg, 100, 1_200),
                (Format::WebP, 80, 1_200),
                (Format::WebP, 100, 1_200),
                (Format::Avif, 80, 300),
                (Format::Avif, 100, 300),
                (Format::Gif, 80, 1_200),
            ] {
                let case = case(width, width * 3 / 4, &[None]);
                cases.push(Case {
                    format,
                    quality,
                    ..case
                });
            }
        }
    }
    cases
}

#[test]
fn maximum_covers_the_measured_peak() {
    let step = env::var_os(THOROUGH).map_or(DEFAULT_STEP, |_| 1);
    let mut failures = Vec::new();
    for (index, case) in cases().iter().enumerate().step_by(step) {
        let Memory { maximum, peak } = measured_in_process(index);
        let line = format!("{case:?}: {maximum} at most, {peak} measured");
        println!("{line}");
        if maximum < peak || maximum > MAX_RATIO * peak + FIXED_BYTES {
            failures.push(line);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Memory of a rendering, in bytes.
struct Memory {
    maximum: u64,
    peak: u64,
}

fn measured_in_process(index: usize) -> Memory {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "memory::report_memory_of_case"])
        .args(["--ignored", "--nocapture"])
        .env(CASE, index.to_string())
        .env("MALLOC_MMAP_THRESHOLD_", PAGED_BYTES)
        .env("MALLOC_TRIM_THRESHOLD_", PAGED_BYTES)
        .output()
        .unwrap();

    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find_map(|line| line.split_once(RESULT));
    let numbers = line.map(|(_, numbers)| numbers.split_whitespace());
    let mut numbers = numbers.unwrap_or_else(|| panic!("case {index}: {text} {errors}"));
    let mut next = || numbers.next().unwrap().parse().unwrap();

    Memory {
        maximum: next(),
        peak: next(),
    }
}

#[test]
#[ignore = "runs one case in a separate process"]
fn report_memory_of_case() {
    let index: usize = env::var(CASE).unwrap().parse().unwrap();
    let Memory { maximum, peak } = measure(&cases()[index]);
    println!("{RESULT} {maximum} {peak}");
}

fn measure(case: &Case) -> Memory {
    // Its own memory is not measured.
    avif_originals::use_decoder();
    let file = case.source.file(case.width, case.height);
    let watermark = case.has_watermark.then(watermark);

    // Sets the peak to the current memory.
    fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = status_bytes("VmRSS");
    let layer =
        watermark.map(|file| WatermarkLayer::decode(&file, Gravity::Southeast, 0.5).unwrap());
    let outputs = case.resizes.iter().map(|resize| RenderOptions {
        quality: Quality::Fixed(case.quality),
        watermark: layer.as_ref(),
        ..resized(to(case.format), *resize)
    });
    let planned: Vec<PlanOptions> = outputs.clone().map(|output| (&output).into()).collect();
    let source = media::render::Source::read(&file).unwrap();
    let maximum = if let [single] = &planned[..] {
        outputs.for_each(|options| drop(render(&file, &options).unwrap()));
        source.plan(single).unwrap().memory_bytes
    } else {
        let plan = source.plan_shared(&planned).unwrap();
        let mut decoded = source.decode(&plan).unwrap();
        outputs.for_each(|options| drop(decoded.render(&options).unwrap()));
        plan.memory_bytes
    };

    Memory {
        maximum,
        peak: status_bytes("VmHWM") - before,
    }
}

/// Returns a field of the process' status, in bytes.
fn status_bytes(field: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    let kilobytes: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes << 10
}
