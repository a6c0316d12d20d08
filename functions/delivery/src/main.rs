//! Binary of the function `delivery`.

use std::process::ExitCode;

fn main() -> ExitCode {
    av1::init();
    runtime::http::serve_http(
        env!("CARGO_BIN_NAME"),
        runtime::http::EventSource::FunctionUrl,
        delivery::router,
    )
}
