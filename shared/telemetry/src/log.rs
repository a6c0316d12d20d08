//! The log: one JSON object a line.
//!
//! Invariant: at no level do libraries log whole requests, whose headers hold keys.

use std::fmt;

use tracing::{Event, Subscriber, field::Field};
use tracing_subscriber::{
    filter::{LevelFilter, Targets},
    fmt::{
        FmtContext, FormatEvent, FormatFields, MakeWriter,
        format::{Format, Json, Writer},
    },
    layer::SubscriberExt as _,
    registry::LookupSpan,
};

/// Target of the events whose message is a line of metrics.
pub const METRICS: &str = "metrics";

/// Libraries, by the prefix of their modules' names, that log events, headers or bodies below the
/// level `info`.
const CAPPED: [&str; 6] = [
    "aws_",
    "h2",
    "hyper",
    "lambda_http",
    "lambda_runtime",
    "rustls",
];

/// Whether the log contains the lines of metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricsLines {
    /// It does, at every level: CloudWatch reads the metrics from them.
    Written,
    /// It does not, for people read it.
    LeftOut,
}

/// Returns the filter that passes what has at least this level; of libraries that log headers or
/// bodies below `info`, no more than that.
pub fn log_filter(level: LevelFilter, metrics: MetricsLines) -> Targets {
    let metrics = if metrics == MetricsLines::Written {
        LevelFilter::INFO
    } else {
        LevelFilter::OFF
    };
    let capped = CAPPED.map(|library| (library, level.min(LevelFilter::INFO)));
    Targets::new()
        .with_default(level)
        .with_targets(capped)
        .with_target(METRICS, metrics)
}

/// Returns the log of a function: JSON with the event's fields at the root and those of its spans
/// in `spans`, and lines of metrics.
pub fn subscriber<W>(level: LevelFilter, writer: W) -> impl Subscriber + Send + Sync
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let json = tracing_subscriber::fmt::format()
        .json()
        .flatten_event(true)
        .with_current_span(false);
    let lines = tracing_subscriber::fmt::layer()
        .json()
        .event_format(Lines { json })
        .with_writer(writer);
    tracing_subscriber::registry()
        .with(log_filter(level, MetricsLines::Written))
        .with(lines)
}

/// Formats events as JSON, but lines of metrics as they are: CloudWatch only reads those that begin
/// with its own object.
struct Lines {
    json: Format<Json>,
}

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        if event.metadata().target() != METRICS {
            return self.json.format_event(context, writer, event);
        }

        let mut written = Ok(());
        event
            .record(&mut |_: &Field, line: &dyn fmt::Debug| written = writeln!(writer, "{line:?}"));
        written
    }
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn libraries_log_no_more_than_the_level_and_never_requests() {
        for (level, cap) in [
            (LevelFilter::TRACE, Some(Level::INFO)),
            (LevelFilter::DEBUG, Some(Level::INFO)),
            (LevelFilter::ERROR, Some(Level::ERROR)),
            (LevelFilter::OFF, None),
        ] {
            let filter = log_filter(level, MetricsLines::LeftOut);
            for level in [
                Level::TRACE,
                Level::DEBUG,
                Level::INFO,
                Level::WARN,
                Level::ERROR,
            ] {
                let passes = cap.is_some_and(|cap| level <= cap);
                assert_eq!(
                    filter.would_enable("aws_smithy_runtime::client", &level),
                    passes,
                    "{level}"
                );
                assert_eq!(
                    filter.would_enable("hyper::proto", &level),
                    passes,
                    "{level}"
                );
            }
            assert_eq!(
                filter.would_enable("files", &Level::DEBUG),
                level >= LevelFilter::DEBUG
            );
        }
    }

    #[test]
    fn metrics_are_written_at_every_level_or_left_out() {
        for level in [LevelFilter::TRACE, LevelFilter::ERROR] {
            assert!(log_filter(level, MetricsLines::Written).would_enable(METRICS, &Level::INFO));
            assert!(!log_filter(level, MetricsLines::LeftOut).would_enable(METRICS, &Level::INFO));
        }
    }
}
