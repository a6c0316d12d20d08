//! Binary of the worker `webhooks`.

use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::http::serve_worker(env!("CARGO_BIN_NAME"), webhooks::handler)
}
