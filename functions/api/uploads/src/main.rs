//! Cold start of the function `uploads`.

use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::serve_http(runtime::Front::HttpApi, uploads::router)
}
