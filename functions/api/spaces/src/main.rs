//! Entry point of the Lambda function `spaces`.

use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::http::serve_http(
        env!("CARGO_BIN_NAME"),
        runtime::http::EventSource::HttpApi,
        spaces::router,
    )
}
