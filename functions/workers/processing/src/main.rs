//! Binary of the worker `processing`.

use std::process::ExitCode;

fn main() -> ExitCode {
    av1::init();
    runtime::http::serve_worker(env!("CARGO_BIN_NAME"), processing::handler)
}
