//! Entry point of the Lambda function `not-found`.

use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::http::serve_http(
        env!("CARGO_BIN_NAME"),
        runtime::http::EventSource::HttpApi,
        not_found::router,
    )
}
