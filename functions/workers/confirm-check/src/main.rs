//! Binary of the worker `confirm-check`.

use std::process::ExitCode;

fn main() -> ExitCode {
    av1::init();
    runtime::http::serve_worker(env!("CARGO_BIN_NAME"), confirm_check::handler)
}
