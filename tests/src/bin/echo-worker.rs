//! Cold start of the tests' own worker.

use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::serve_worker(tests::echo_worker)
}
