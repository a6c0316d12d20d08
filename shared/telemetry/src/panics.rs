//! Panics in the log.

use std::{
    backtrace::{Backtrace, BacktraceStatus},
    panic::{self, PanicHookInfo},
};

/// From now on, logs each panic of the process as a line of level `error` within the span of the
/// task that panics, besides the line of the failed request or job, and not as text. The line
/// contains a backtrace if `RUST_BACKTRACE` is set. Unwinding by `resume_unwind`, which libjpeg
/// uses to report errors, is not logged.
pub fn log_panics() {
    panic::set_hook(Box::new(log_panic));
}

fn log_panic(info: &PanicHookInfo<'_>) {
    let location = info.location().map(ToString::to_string);
    let backtrace = Backtrace::capture();
    let backtrace =
        (backtrace.status() == BacktraceStatus::Captured).then(|| backtrace.to_string());
    tracing::error!(
        panic = info.payload_as_str(),
        location,
        backtrace,
        "panicked"
    );
}

#[cfg(test)]
mod tests {
    use std::{
        io::{self, Write},
        sync::{Mutex, PoisonError},
    };

    use serde_json::Value;
    use tracing::Instrument as _;
    use tracing_subscriber::{filter::LevelFilter, util::SubscriberInitExt as _};

    use super::*;
    use crate::spawn_blocking;

    static LOG: Mutex<Vec<u8>> = Mutex::new(Vec::new());

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
        let former = panic::take_hook();
        log_panics();

        let request = tracing::info_span!("request", request_id = "r-1");
        let work = async { spawn_blocking(|| panic!("codec of {}", "a test")).await };
        let result = work.instrument(request).await;
        panic::set_hook(former);

        result.expect_err("a panic");
        let log = String::from_utf8(LOG.lock().unwrap().clone()).expect("text");
        let mut lines = log
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"));
        let line: Value = lines
            .find(|line: &Value| line["message"] == "panicked")
            .expect("a line of the panic");
        assert_eq!(line["panic"], "codec of a test");
        let location = line["location"].as_str().expect("a location");
        assert!(location.contains("panics.rs:"), "{location}");
        assert_eq!(line["spans"][0]["request_id"], "r-1");
    }
}
