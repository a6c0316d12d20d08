//! `scripts/bootstrap`: creates the first account key of a stack, or with `--recover` another one.

use std::{
    io::{self, Write as _},
    process::ExitCode,
};

use bootstrap::BootstrapError;
use runtime::context::{FunctionContext, system_env};

fn main() -> ExitCode {
    match create_key() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "bootstrap: {error}");
            ExitCode::FAILURE
        }
    }
}

fn create_key() -> Result<(), BootstrapError> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the script passes the table and the credentials in the environment"
    )]
    let variables = std::env::vars().collect();
    let context = FunctionContext::new("bootstrap", variables, system_env());
    let recover = std::env::args().any(|argument| argument == "--recover");

    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let output = &mut io::stdout().lock();
    let notes = &mut io::stderr().lock();
    runtime.block_on(bootstrap::run(&context, recover, output, notes))
}
