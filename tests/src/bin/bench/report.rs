//! What was measured, as a table and as a chart.

use std::{fmt, time::Duration};

use crate::stopwatch::{Figures, Stopwatch};

/// How many times as long as at one size a call may take at another.
const MOST_RATIO: f64 = 1.5;
/// Columns of the longest bar.
const BAR: usize = 60;
/// Steps in a column of a bar.
const STEPS: usize = 8;
/// What fills a part of a column, by its steps.
const PARTS: [&str; STEPS] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// The figures of all calls at all sizes.
#[derive(Default)]
pub(crate) struct Report {
    sizes: Vec<usize>,
    calls: Vec<Call>,
}

/// The figures of one call, size by size.
struct Call {
    name: &'static str,
    figures: Vec<Figures>,
}

impl Call {
    /// How many times as long as at the quickest size it takes at the slowest one.
    fn ratio(&self) -> f64 {
        let all = || self.figures.iter().map(|figures| figures.p95);
        let quickest = all().min().unwrap_or_default();
        let slowest = all().max().unwrap_or_default();
        slowest.div_duration_f64(quickest)
    }
}

impl Report {
    /// Adds what was measured at a size.
    pub(crate) fn add(&mut self, size: usize, stopwatch: Stopwatch) {
        self.sizes.push(size);
        for (name, figures) in stopwatch.figures() {
            match self.calls.iter_mut().find(|call| call.name == name) {
                Some(call) => call.figures.push(figures),
                None => self.calls.push(Call {
                    name,
                    figures: vec![figures],
                }),
            }
        }
    }

    /// The calls that take longer at one size than they may, compared with another.
    pub(crate) fn slower(&self) -> Vec<&'static str> {
        self.calls
            .iter()
            .filter(|call| call.ratio() > MOST_RATIO)
            .map(|call| call.name)
            .collect()
    }

    /// Columns of the longest name.
    fn width(&self) -> usize {
        self.calls
            .iter()
            .map(|call| call.name.chars().count())
            .max()
            .unwrap_or_default()
    }

    fn table(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.width();
        write!(formatter, "{:width$}", "files")?;
        for size in &self.sizes {
            write!(formatter, "  {:>17}", grouped(*size))?;
        }

        write!(formatter, "\n{:width$}", "milliseconds")?;
        for _ in &self.sizes {
            write!(formatter, "  {:>8} {:>8}", "p50", "p95")?;
        }

        writeln!(formatter, "  p95 ×")?;
        for call in &self.calls {
            write!(formatter, "{:width$}", call.name)?;
            for figures in &call.figures {
                write!(
                    formatter,
                    "  {:>8.2} {:>8.2}",
                    ms(figures.p50),
                    ms(figures.p95)
                )?;
            }
            writeln!(formatter, "  {:>5.2}", call.ratio())?;
        }

        Ok(())
    }

    fn chart(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let longest = self
            .calls
            .iter()
            .flat_map(|call| &call.figures)
            .map(|figures| figures.p95)
            .max();
        let longest = longest.unwrap_or_default();
        writeln!(formatter, "p95 in milliseconds, by the number of files")?;
        for call in &self.calls {
            writeln!(formatter, "\n{}", call.name)?;
            for (size, figures) in self.sizes.iter().zip(&call.figures) {
                let bar = bar(figures.p95, longest);
                writeln!(
                    formatter,
                    "{:>10} {bar} {:.2}",
                    grouped(*size),
                    ms(figures.p95)
                )?;
            }
        }

        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.table(formatter)?;
        writeln!(formatter)?;
        self.chart(formatter)?;
        let slower = self.slower();
        if slower.is_empty() {
            write!(formatter, "\nevery call stays within {MOST_RATIO}×")
        } else {
            write!(formatter, "\nabove {MOST_RATIO}×: {}", slower.join("; "))
        }
    }
}

/// A number with a comma after each three digits.
pub(crate) fn grouped(number: usize) -> String {
    if number < 1_000 {
        return number.to_string();
    }
    format!("{},{:03}", grouped(number / 1_000), number % 1_000)
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}

/// A bar as long as a duration, the longest of which fills all columns.
fn bar(duration: Duration, longest: Duration) -> String {
    let steps = duration.as_nanos() * (BAR * STEPS) as u128 / longest.as_nanos().max(1);
    let steps = usize::try_from(steps).expect("no bar is longer than the longest");
    format!("{}{}", "█".repeat(steps / STEPS), PARTS[steps % STEPS])
}
