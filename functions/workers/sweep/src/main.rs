//! Binary of the worker `sweep`.

use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::http::serve_worker(env!("CARGO_BIN_NAME"), sweep::handler)
}
