//! Binary of the function `delivery`.

use std::process::ExitCode;

fn main() -> ExitCode {
    av1::init();
    runtime::serve_http(
        env!("CARGO_BIN_NAME"),
        runtime::EventSource::FunctionUrl,
        delivery::router,
    )
}
