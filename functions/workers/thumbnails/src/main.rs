//! Binary of the worker `thumbnails`.

use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::serve_worker(env!("CARGO_BIN_NAME"), thumbnails::handler)
}
