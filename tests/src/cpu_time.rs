//! CPU time of tests, of which `scripts/test` prints the ten largest.
//!
//! It is that of the threads of the test's runtime, on Linux. Programs that a test starts do not
//! count.

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::runtime::Builder;

/// File in the directory of temporary files, with a line for each test: its CPU time in
/// milliseconds, and its name.
const FILE: &str = "test-cpu-times";

/// Runs a test on a new runtime, and appends its CPU time to a file in `directory`.
pub fn run_test(
    directory: &str,
    name: &str,
    is_multi_thread: bool,
    test: impl Future<Output = ()>,
) {
    let mut builder = if is_multi_thread {
        Builder::new_multi_thread()
    } else {
        Builder::new_current_thread()
    };
    let others = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&others);
    let before = thread_nanoseconds();

    let runtime = builder
        .enable_all()
        .on_thread_stop(move || {
            counter.fetch_add(thread_nanoseconds(), Ordering::Relaxed);
        })
        .build()
        .expect("a runtime");
    runtime.block_on(test);
    drop(runtime);

    let nanoseconds = thread_nanoseconds() - before + others.load(Ordering::Relaxed);
    let (_, name) = name.split_once("::").expect("a crate and a path");
    let line = format!("{} {name}\n", nanoseconds / 1_000_000);
    let path = Path::new(directory).join(FILE);
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(line.as_bytes()))
        .expect("a written line");
}

/// Returns the CPU time of this thread; or 0 if the system does not report it ("Scheduler
/// Statistics", documentation of Linux).
fn thread_nanoseconds() -> u64 {
    let statistics = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = statistics.split(' ').next();
    first.and_then(|text| text.parse().ok()).unwrap_or(0)
}
