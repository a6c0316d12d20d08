//! Cold start of the function `purge`.

use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::serve_worker(purge::batch)
}
