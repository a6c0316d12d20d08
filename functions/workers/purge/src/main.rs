//! Binary of the worker `purge`.

use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::http::serve_worker(env!("CARGO_BIN_NAME"), purge::handler)
}
