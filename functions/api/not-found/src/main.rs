//! Cold start of the function `not-found`.

use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::serve_http(runtime::Front::HttpApi, not_found::router)
}
