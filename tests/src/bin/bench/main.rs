//! `scripts/bench/run library`: measures the latency of API calls in a space of a thousand, a
//! hundred thousand and a million files. `scripts/bench/run processing`: measures the jobs that
//! follow an upload.

mod calls;
mod codec;
mod fill;
mod processing;
mod record;
mod report;
mod stopwatch;
mod tree;

use std::{
    fmt::Display,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use fill::Library;
use report::Report;

const USAGE: &str = "scripts/bench/run library [--records N], with at least 1,000 records; or \
                     scripts/bench/run processing";
/// Exit status for an invalid command line.
const EXIT_USAGE: u8 = 2;

/// Default number of files in the largest library.
const DEFAULT_RECORDS: usize = 1_000_000;
/// Minimum number of files. A smaller library would not fill the measured pages.
const MIN_RECORDS: usize = 1_000;

/// A benchmark with its options.
enum Benchmark {
    Library { records: usize },
    Processing { photo: PathBuf },
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let report = match parse(&arguments) {
        Some(Benchmark::Library { records }) => Box::pin(report_library(records)).await,
        Some(Benchmark::Processing { photo }) => Box::pin(report_processing(&photo)).await,
        None => {
            log(USAGE);
            return ExitCode::from(EXIT_USAGE);
        }
    };

    report.unwrap_or_else(|message| {
        log(&message);
        ExitCode::FAILURE
    })
}

/// Returns the benchmark that the command line requests, or `None` if it is invalid.
fn parse(arguments: &[String]) -> Option<Benchmark> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let records = match arguments[..] {
        ["library"] => DEFAULT_RECORDS,
        ["library", "--records", records] => records.parse().ok()?,
        ["processing", photo] => {
            return Some(Benchmark::Processing {
                photo: photo.into(),
            });
        }
        _ => return None,
    };
    (records >= MIN_RECORDS).then_some(Benchmark::Library { records })
}

async fn report_library(records: usize) -> Result<ExitCode, String> {
    let report = benchmark_library(records).await?;
    print(&report);
    Ok(if report.calls_above_ratio().is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

async fn report_processing(photo: &Path) -> Result<ExitCode, String> {
    let photo = fs::read(photo).map_err(|error| format!("{}: {error}", photo.display()))?;
    print(&processing::benchmark(&photo).await?);
    Ok(ExitCode::SUCCESS)
}

/// Writes a report to standard output. Ignores a closed stream.
fn print(report: &impl Display) {
    let _ = writeln!(io::stdout(), "{report}");
}

/// Creates a library, measures it at each size, and stops its stack.
async fn benchmark_library(records: usize) -> Result<Report, String> {
    let mut sizes = [records / 1_000, records / 10, records]
        .map(|size| size.max(MIN_RECORDS))
        .to_vec();
    sizes.dedup();

    let mut library = Box::pin(Library::new()).await;
    let report = measure_sizes(&mut library, &sizes).await;
    library.stack.stop_undrained().await;
    report
}

/// Fills a library to each size and measures it there.
async fn measure_sizes(library: &mut Library, sizes: &[usize]) -> Result<Report, String> {
    let mut report = Report::default();
    for size in sizes {
        library.fill(*size).await?;
        log(&format!("measuring at {}", report::group_digits(*size)));
        report.add(*size, calls::measure(library).await);
    }
    Ok(report)
}

/// Writes a line to standard error. Ignores a closed stream.
fn log(text: &str) {
    let _ = writeln!(io::stderr(), "bench: {text}");
}
