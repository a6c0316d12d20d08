//! Cold start of the function `not-found`.

use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::serve_http(
        env!("CARGO_BIN_NAME"),
        runtime::Front::HttpApi,
        not_found::router,
    )
}
