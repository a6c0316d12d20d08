//! Work on threads for blocking work, and panics.

use std::panic::{self, PanicHookInfo};

use tokio::task::{self, JoinHandle};
use tracing::Span;

/// Runs work on a thread for blocking work, within the span of the current task.
pub fn spawn_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> JoinHandle<T> {
    let span = Span::current();
    task::spawn_blocking(move || span.in_scope(work))
}

/// From now on, logs each panic of the process as one line, within the span of the task that panics,
/// instead of as text on the standard error. Codecs that report errors by unwinding do not panic.
pub fn log_panics() {
    panic::set_hook(Box::new(log_panic));
}

fn log_panic(info: &PanicHookInfo<'_>) {
    let location = info.location().map(ToString::to_string);
    tracing::error!(panic = info.payload_as_str(), location, "panicked");
}

#[cfg(test)]
mod tests {
    use std::{
        io::{self, Write},
        sync::{Mutex, PoisonError},
    };

    use serde_json::{Value, json};
    use tracing::Instrument as _;
    use tracing_subscriber::{filter::LevelFilter, util::SubscriberInitExt as _};

    use super::*;

    static LOG: Mutex<Vec<u8>> = Mutex::new(Vec::new());

    /// Writer of [`LOG`].
    struct Log;

    impl Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut log = LOG.lock().unwrap_or_else(PoisonError::into_inner);
            log.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn panic_on_a_thread_for_blocking_work_is_logged_in_the_span_of_its_request() {
        crate::subscriber(LevelFilter::INFO, || Log).init();
        log_panics();

        let request = tracing::info_span!("request", request_id = "r-1");
        let work = async { spawn_blocking(|| panic!("codec of {}", "a test")).await };
        work.instrument(request).await.expect_err("a panic");

        let log = LOG.lock().unwrap().clone();
        let line: Value = serde_json::from_slice(&log).expect("one line of JSON");
        assert_eq!(line["message"], "panicked");
        assert_eq!(line["panic"], "codec of a test");
        let location = line["location"].as_str().expect("a location");
        assert!(location.contains("blocking.rs:"), "{location}");
        assert_eq!(line["spans"][0]["request_id"], json!("r-1"));
    }
}
