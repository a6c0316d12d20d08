//! Cold start of the function `files`.

use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::serve_http(runtime::Front::HttpApi, files::router)
}
