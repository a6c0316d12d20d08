//! Binary of the worker `blurhash`.

use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::serve_worker(env!("CARGO_BIN_NAME"), blurhash::handler)
}
