//! Compares the estimated memory of renderings with the measured peak of the process, which includes
//! everything: the allocations of Rust and C, stacks, and unused parts of allocations that were
//! written. Each case runs in a separate process, so that no case reuses the memory of another.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(
    clippy::print_stdout,
    reason = "a case reports its memory to its parent"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "a case is selected by the environment"
)]

mod cases;
mod sources;

use std::{env, fs, process::Command};

use media::{PlanOptions, RenderOptions, Source, WatermarkLayer, render};

use crate::{
    cases::{Case, SharedCase, cases, shared_cases},
    sources::SourceKind,
};

/// Variable that selects all cases. By default, every sixteenth case is measured.
const THOROUGH: &str = "LARDER_THOROUGH";
/// Distance between two cases that are measured by default.
const DEFAULT_STEP: usize = 16;
/// Variable with the index of a case.
const CASE: &str = "MEMORY_CASE";
/// Beginning of the line with the estimated and the measured bytes.
const RESULT: &str = "memory:";
/// Memory that an estimate may exceed three times the peak by, in bytes: the fixed memory of decoders
/// and encoders, and that of watermarks, which is estimated for the largest one.
const FIXED_BYTES: u64 = 16 << 20;
const WATERMARK_BYTES: u64 = 96 << 20;
/// Memory of code tables that is estimated for every animated WebP, in bytes: its frames may contain them.
const FRAME_TABLE_BYTES: u64 = 128 << 20;
/// Size from which an allocation has separate pages, so that it is returned when it is freed.
const PAGED_BYTES: &str = "65536";

/// Returns the memory that an estimate may exceed three times the peak by, without a watermark.
fn fixed_bytes(source: SourceKind) -> u64 {
    if source == SourceKind::AnimatedWebP {
        FIXED_BYTES + FRAME_TABLE_BYTES
    } else {
        FIXED_BYTES
    }
}

#[test]
fn estimate_covers_the_measured_peak() {
    let step = if env::var_os(THOROUGH).is_some() {
        1
    } else {
        DEFAULT_STEP
    };
    let mut failures = Vec::new();
    for (index, case) in cases().iter().enumerate().step_by(step) {
        let memory = measured_in_process("report_memory_of_case", index);
        let Memory { estimated, peak } = memory;
        let ratio = estimated * 100 / peak.max(1);
        println!("{case:?}: {estimated} estimated, {peak} measured, {ratio} %");

        let fixed = if case.has_watermark {
            WATERMARK_BYTES
        } else {
            fixed_bytes(case.source)
        };
        if estimated < peak || estimated > 3 * peak + fixed {
            failures.push(format!("{case:?}: {memory:?} {ratio} %"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn shared_estimate_covers_the_measured_peak() {
    let mut failures = Vec::new();
    for (index, case) in shared_cases().iter().enumerate() {
        let memory = measured_in_process("report_memory_of_shared_case", index);
        let Memory { estimated, peak } = memory;
        let ratio = estimated * 100 / peak.max(1);
        println!("{case:?}: {estimated} estimated, {peak} measured, {ratio} %");

        if estimated < peak || estimated > 3 * peak + fixed_bytes(case.source) {
            failures.push(format!("{case:?}: {memory:?} {ratio} %"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Memory of a rendering, in bytes.
#[derive(Clone, Copy, Debug)]
struct Memory {
    estimated: u64,
    peak: u64,
}

fn measured_in_process(name: &str, index: usize) -> Memory {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", name, "--ignored", "--nocapture"])
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
        estimated: next(),
        peak: next(),
    }
}

#[test]
#[ignore = "runs one case in a separate process"]
fn report_memory_of_case() {
    let index: usize = env::var(CASE).unwrap().parse().unwrap();
    let Memory { estimated, peak } = measure(&cases()[index]);
    println!("{RESULT} {estimated} {peak}");
}

#[test]
#[ignore = "runs one case in a separate process"]
fn report_memory_of_shared_case() {
    let index: usize = env::var(CASE).unwrap().parse().unwrap();
    let Memory { estimated, peak } = measure_shared(&shared_cases()[index]);
    println!("{RESULT} {estimated} {peak}");
}

fn measure_shared(case: &SharedCase) -> Memory {
    let file = case.source.file(case.width, case.height);
    let outputs: Vec<RenderOptions> = case
        .resizes
        .iter()
        .map(|resize| RenderOptions {
            resize: *resize,
            format: case.format,
            quality: domain::Quality::Fixed(80),
            watermark: None,
        })
        .collect();
    let planned: Vec<PlanOptions> = outputs.iter().map(PlanOptions::from).collect();

    reset_peak();
    let before = status_bytes("VmRSS");
    let source = Source::read(&file).unwrap();
    let plan = source.plan_shared(&planned).unwrap();
    let mut decoded = source.decode(&plan).unwrap();
    for options in &outputs {
        decoded.render(options).unwrap();
    }
    let peak = status_bytes("VmHWM");

    Memory {
        estimated: plan.memory_bytes,
        peak: peak - before,
    }
}

fn measure(case: &Case) -> Memory {
    let file = case.source.file(case.width, case.height);
    let watermark = case.has_watermark.then(sources::watermark);
    let options = PlanOptions {
        resize: case.resize,
        format: case.format,
        quality: case.quality,
        has_watermark: case.has_watermark,
    };
    let plan = Source::read(&file).unwrap().plan(&options).unwrap();

    reset_peak();
    let before = status_bytes("VmRSS");
    let layer = watermark
        .map(|file| WatermarkLayer::decode(&file, domain::Gravity::Southeast, 0.5).unwrap());
    let rendered = render(
        &file,
        &RenderOptions {
            resize: case.resize,
            format: case.format,
            quality: case.quality,
            watermark: layer.as_ref(),
        },
    );
    rendered.unwrap();
    let peak = status_bytes("VmHWM");

    Memory {
        estimated: plan.memory_bytes,
        peak: peak - before,
    }
}

/// Sets the peak to the current memory.
fn reset_peak() {
    fs::write("/proc/self/clear_refs", "5").unwrap();
}

/// Returns a field of the process' status, in bytes.
fn status_bytes(field: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    let kilobytes: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes << 10
}
