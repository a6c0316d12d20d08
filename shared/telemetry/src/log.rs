//! Format and filter of the log: one JSON object per line.
//!
//! Invariant: libraries log no requests at any level, since their headers contain keys.

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

/// Target of events whose message is the line of a task.
pub(crate) const LINES_TARGET: &str = "lines";

/// Prefixes of the module paths of libraries that log events, headers or bodies below `info`.
const CAPPED_LIBRARIES: [&str; 6] = [
    "aws_",
    "h2",
    "hyper",
    "lambda_http",
    "lambda_runtime",
    "rustls",
];

/// How the log shows the end of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskLines {
    /// As a line of JSON at every level, from which CloudWatch extracts the metrics.
    Json,
    /// As an event, for logs that people read.
    Events,
}

/// Returns a filter for events of at least this level. For libraries that log headers or bodies
/// below `info`, the level is `info` at least.
pub fn log_filter(level: LevelFilter, lines: TaskLines) -> Targets {
    let lines = match lines {
        TaskLines::Json => LevelFilter::INFO,
        TaskLines::Events => LevelFilter::OFF,
    };
    let capped = CAPPED_LIBRARIES.map(|library| (library, level.min(LevelFilter::INFO)));
    Targets::new()
        .with_default(level)
        .with_targets(capped)
        .with_target(LINES_TARGET, lines)
}

/// Returns the log subscriber of a function. It writes JSON with the fields of an event at the root
/// and those of its spans in `spans`, and the lines of tasks.
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
        .event_format(LineFormat { json })
        .with_writer(writer)
        // They would be printed to the standard error, which panics if it is closed.
        .log_internal_errors(false);
    tracing_subscriber::registry()
        .with(log_filter(level, TaskLines::Json))
        .with(lines)
}

/// Formats events as JSON, and writes the lines of tasks unchanged: CloudWatch requires the JSON
/// object of metrics to be the whole line.
struct LineFormat {
    json: Format<Json>,
}

impl<S, N> FormatEvent<S, N> for LineFormat
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
        if event.metadata().target() != LINES_TARGET {
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
    fn libraries_are_capped_at_level_info() {
        for (level, cap) in [
            (LevelFilter::TRACE, Some(Level::INFO)),
            (LevelFilter::DEBUG, Some(Level::INFO)),
            (LevelFilter::ERROR, Some(Level::ERROR)),
            (LevelFilter::OFF, None),
        ] {
            let filter = log_filter(level, TaskLines::Events);
            for event_level in [
                Level::TRACE,
                Level::DEBUG,
                Level::INFO,
                Level::WARN,
                Level::ERROR,
            ] {
                let passes = cap.is_some_and(|cap| event_level <= cap);
                for module in ["aws_smithy_runtime::client", "hyper::proto"] {
                    let is_enabled = filter.would_enable(module, &event_level);
                    assert_eq!(is_enabled, passes, "{level}: {module} {event_level}");
                }
            }

            let is_enabled = filter.would_enable("files", &Level::DEBUG);
            assert_eq!(is_enabled, level >= LevelFilter::DEBUG, "{level}");
        }
    }

    #[test]
    fn lines_of_tasks_do_not_depend_on_the_level() {
        for level in [LevelFilter::TRACE, LevelFilter::ERROR] {
            let json = log_filter(level, TaskLines::Json);
            let events = log_filter(level, TaskLines::Events);
            assert!(json.would_enable(LINES_TARGET, &Level::INFO));
            assert!(!events.would_enable(LINES_TARGET, &Level::INFO));
        }
    }
}
