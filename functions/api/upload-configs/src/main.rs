//! Cold start of the function `upload-configs`.

use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::serve_http(runtime::Front::HttpApi, upload_configs::router)
}
