//! Cold start of the function `delivery`.

use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::serve_http(runtime::Front::FunctionUrl, delivery::router)
}
