//! Cold start of the function `purge`.

use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::serve_worker(env!("CARGO_BIN_NAME"), purge::batch)
}
