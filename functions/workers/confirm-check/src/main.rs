//! Binary of the worker `confirm-check`.

use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::serve_worker(env!("CARGO_BIN_NAME"), confirm_check::handler)
}
