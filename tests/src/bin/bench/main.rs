//! `scripts/bench library`: measures the latency of API calls in a space of a thousand, a hundred
//! thousand and a million files.

mod calls;
mod fill;
mod record;
mod report;
mod stopwatch;
mod tree;

use std::{
    io::{self, Write},
    process::ExitCode,
};

use fill::Library;
use report::Report;

const USAGE: &str = "scripts/bench library [--records N], with at least 1,000 records";
/// Exit status for an invalid command line.
const EXIT_USAGE: u8 = 2;

/// Default number of files in the largest library.
const DEFAULT_RECORDS: usize = 1_000_000;
/// Minimum number of files. A smaller library would not fill the measured pages.
const MIN_RECORDS: usize = 1_000;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(records) = parse_records(&arguments) else {
        log(USAGE);
        return ExitCode::from(EXIT_USAGE);
    };

    match Box::pin(benchmark_library(records)).await {
        Ok(report) => {
            // A closed standard output is not an error of the benchmark.
            let _ = writeln!(io::stdout(), "{report}");
            if report.calls_above_ratio().is_empty() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(message) => {
            log(&message);
            ExitCode::FAILURE
        }
    }
}

/// Returns the number of files that the command line requests, or `None` if it is invalid.
fn parse_records(arguments: &[String]) -> Option<usize> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let records = match arguments[..] {
        ["library"] => DEFAULT_RECORDS,
        ["library", "--records", records] => records.parse().ok()?,
        _ => return None,
    };
    (records >= MIN_RECORDS).then_some(records)
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
