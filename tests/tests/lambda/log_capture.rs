//! Capture of the log of the functions on the thread of a test.

use std::{cell::RefCell, io::Write, sync::Once};

use serde_json::Value;
use tracing_subscriber::{
    filter::{LevelFilter, dynamic_filter_fn},
    layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

thread_local! {
    /// Log of the functions on this thread, `None` until the test starts it. The stack of a test
    /// runs on its thread.
    static LOG: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

/// Writer of the log of this thread.
struct ThreadLog;

impl Write for ThreadLog {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        LOG.with_borrow_mut(|log| log.iter_mut().for_each(|log| log.extend_from_slice(bytes)));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Starts to log the functions on this thread, at the level of production. One subscriber serves
/// all threads, since `tracing` caches for all of them which events are enabled.
pub(crate) fn begin_log() {
    static SUBSCRIBER: Once = Once::new();
    SUBSCRIBER.call_once(|| {
        let is_read = dynamic_filter_fn(|_, _| LOG.with_borrow(Option::is_some));
        telemetry::subscriber(LevelFilter::INFO, || ThreadLog)
            .with(is_read)
            .init();
    });
    LOG.set(Some(Vec::new()));
}

/// Returns all lines since the start of the log.
pub(crate) fn lines() -> Vec<Value> {
    text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// Returns the size of all lines since the start of the log, without their ends, in bytes.
pub(crate) fn line_bytes() -> usize {
    text().lines().map(str::len).sum()
}

fn text() -> String {
    LOG.with_borrow(|log| String::from_utf8(log.clone().expect("the log has begun")).expect("text"))
}

/// Returns whether a line is that of a task, with its measurements.
pub(crate) fn is_task_line(line: &Value) -> bool {
    line.get("Latency").is_some()
}

/// Returns the lines of tasks since the start of the log, and restarts it.
pub(super) fn take_task_lines() -> Vec<Value> {
    let mut tasks = lines();
    tasks.retain(is_task_line);
    begin_log();
    tasks
}

/// Returns the line of the only task since the start of the log, and restarts it.
pub(super) fn take_task_line() -> Value {
    let mut tasks = take_task_lines();
    assert_eq!(tasks.len(), 1, "{tasks:?}");
    tasks.remove(0)
}

/// Returns the span of a request or a job that another line was logged in.
pub(super) fn task_of(line: &Value) -> Option<&Value> {
    line["spans"]
        .as_array()?
        .iter()
        .find(|span| span["name"] == "request" || span["name"] == "job")
}

/// Returns the names of the spans that a line was logged in, outermost first.
pub(super) fn spans_of(line: &Value) -> Vec<&str> {
    line["spans"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|span| span["name"].as_str())
        .collect()
}
