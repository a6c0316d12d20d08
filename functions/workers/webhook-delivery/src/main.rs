//! Binary of the worker `webhook-delivery`.

use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::serve_worker(env!("CARGO_BIN_NAME"), webhook_delivery::handler)
}
