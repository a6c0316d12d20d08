//! Formats the measurements as a table.

use std::{fmt, time::Duration};

use crate::stopwatch::{Percentiles, Stopwatch};

/// Maximum ratio between the p95 latencies of a call at any two sizes.
const MAX_RATIO: f64 = 1.5;
/// Percentiles of all calls at all sizes.
#[derive(Default)]
pub(crate) struct Report {
    sizes: Vec<usize>,
    calls: Vec<CallReport>,
}

/// Percentiles of one call, in the order of the sizes.
struct CallReport {
    name: &'static str,
    percentiles: Vec<Percentiles>,
}

impl CallReport {
    /// Returns the highest p95 latency divided by the lowest.
    fn ratio(&self) -> f64 {
        let p95 = || self.percentiles.iter().map(|percentiles| percentiles.p95);
        let lowest = p95().min().unwrap_or_default();
        let highest = p95().max().unwrap_or_default();

        highest.div_duration_f64(lowest)
    }
}

impl Report {
    /// Adds the measurements at one size.
    pub(crate) fn add(&mut self, size: usize, stopwatch: Stopwatch) {
        self.sizes.push(size);

        for measured in stopwatch.measurements() {
            match self
                .calls
                .iter_mut()
                .find(|call| call.name == measured.call)
            {
                Some(call) => call.percentiles.push(measured.percentiles),
                None => self.calls.push(CallReport {
                    name: measured.call,
                    percentiles: vec![measured.percentiles],
                }),
            }
        }
    }

    /// Returns the calls that exceed [`MAX_RATIO`].
    pub(crate) fn calls_above_ratio(&self) -> Vec<&'static str> {
        self.calls
            .iter()
            .filter(|call| call.ratio() > MAX_RATIO)
            .map(|call| call.name)
            .collect()
    }

    /// Returns the width of the name column.
    fn name_width(&self) -> usize {
        self.calls
            .iter()
            .map(|call| call.name.chars().count())
            .max()
            .unwrap_or_default()
    }

    fn write_table(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.name_width();
        write!(formatter, "{:width$}", "files")?;
        for size in &self.sizes {
            write!(formatter, "  {:>17}", group_digits(*size))?;
        }

        write!(formatter, "\n{:width$}", "milliseconds")?;
        for _ in &self.sizes {
            write!(formatter, "  {:>8} {:>8}", "p50", "p95")?;
        }

        writeln!(formatter, "  p95 ×")?;
        for call in &self.calls {
            write!(formatter, "{:width$}", call.name)?;
            for percentiles in &call.percentiles {
                write!(
                    formatter,
                    "  {:>8.2} {:>8.2}",
                    milliseconds(percentiles.p50),
                    milliseconds(percentiles.p95)
                )?;
            }
            writeln!(formatter, "  {:>5.2}", call.ratio())?;
        }

        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_table(formatter)?;

        let above_ratio = self.calls_above_ratio();
        if above_ratio.is_empty() {
            write!(formatter, "\nevery call stays within {MAX_RATIO}×")
        } else {
            write!(
                formatter,
                "\nabove {MAX_RATIO}×: {}",
                above_ratio.join("; ")
            )
        }
    }
}

/// Formats a number with commas between groups of three digits.
pub(crate) fn group_digits(number: usize) -> String {
    if number < 1_000 {
        return number.to_string();
    }
    format!("{},{:03}", group_digits(number / 1_000), number % 1_000)
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}
