//! Entry point of the Lambda function `uploads`, which runs as a container too.

use std::process::ExitCode;

fn main() -> ExitCode {
    av1::init();
    runtime::http::serve_http_or_container(
        env!("CARGO_BIN_NAME"),
        runtime::http::EventSource::HttpApi,
        uploads::router,
    )
}
