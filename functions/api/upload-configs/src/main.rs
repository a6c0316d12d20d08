//! Entry point of the Lambda function `upload-configs`.

use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::http::serve_http(
        env!("CARGO_BIN_NAME"),
        runtime::http::EventSource::HttpApi,
        upload_configs::router,
    )
}
