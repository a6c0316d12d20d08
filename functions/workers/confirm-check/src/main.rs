//! Cold start of the function `confirm-check`.

use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::serve_worker(confirm_check::batch)
}
