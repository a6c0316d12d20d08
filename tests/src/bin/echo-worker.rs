//! Cold start of the tests' own worker.

use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::http::serve_worker(env!("CARGO_BIN_NAME"), tests::echo_worker)
}
