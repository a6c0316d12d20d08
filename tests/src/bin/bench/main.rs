//! `scripts/bench library`: how long calls take in a library of a thousand, a hundred thousand and
//! a million files.

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

/// How it is called.
const USAGE: &str = "scripts/bench library [--records N], with at least 1,000 records";
/// Exit status of a wrong command line.
const MISUSED: u8 = 2;

/// Files of the largest library, where no number is said.
const RECORDS: usize = 1_000_000;
/// Files of the smallest one: less would not fill the pages that are read.
const LEAST_RECORDS: usize = 1_000;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(records) = records(&arguments) else {
        say_aside(USAGE);
        return ExitCode::from(MISUSED);
    };

    match Box::pin(library(records)).await {
        Ok(report) => {
            say(&report.to_string());
            if report.slower().is_empty() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(message) => {
            say_aside(&message);
            ExitCode::FAILURE
        }
    }
}

/// How many files the command line asks for.
fn records(arguments: &[String]) -> Option<usize> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let records = match arguments[..] {
        ["library"] => RECORDS,
        ["library", "--records", records] => records.parse().ok()?,
        _ => return None,
    };
    (records >= LEAST_RECORDS).then_some(records)
}

/// Makes a library and fills it in steps.
async fn library(records: usize) -> Result<Report, String> {
    let mut sizes = [records / 1_000, records / 10, records]
        .map(|size| size.max(LEAST_RECORDS))
        .to_vec();
    sizes.dedup();
    let mut library = Box::pin(Library::new()).await;
    let report = measured(&mut library, &sizes).await;
    library.stack.stop_undrained().await;
    report
}

/// Fills a library in steps, and measures at each.
async fn measured(library: &mut Library, sizes: &[usize]) -> Result<Report, String> {
    let mut report = Report::default();
    for size in sizes {
        library.fill(*size).await?;
        say_aside(&format!("measuring at {}", report::grouped(*size)));
        report.add(*size, calls::measure(library).await);
    }
    Ok(report)
}

fn say(text: &str) {
    // Nobody may be reading, which is no failure of ours.
    let _ = writeln!(io::stdout(), "{text}");
}

fn say_aside(text: &str) {
    let _ = writeln!(io::stderr(), "bench: {text}");
}
