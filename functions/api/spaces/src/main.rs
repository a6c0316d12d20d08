//! Cold start of the function `spaces`.

use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::serve_http(runtime::Front::HttpApi, spaces::router)
}
