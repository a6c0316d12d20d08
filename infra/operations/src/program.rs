//! The process around a tool: its environment, its runtime and its exit status.

use std::{collections::BTreeMap, ffi::OsString, io::Write, process::ExitCode};

use crate::OperationError;

/// Exit status after an invalid command line.
const USAGE: u8 = 2;

/// Runs a tool with the command line and the environment of the process. Prints its error.
pub fn run_program(
    name: &str,
    tool: impl AsyncFnOnce(Vec<OsString>, &BTreeMap<String, String>) -> Result<(), OperationError>,
) -> ExitCode {
    #[expect(
        clippy::disallowed_methods,
        reason = "the credentials of an operator are in the environment"
    )]
    let variables: BTreeMap<String, String> = std::env::vars().collect();
    let arguments = std::env::args_os().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();

    let result = match runtime {
        Ok(runtime) => runtime.block_on(tool(arguments, &variables)),
        Err(error) => Err(error.into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{name}: {error}");
            match error {
                OperationError::Usage(_) => ExitCode::from(USAGE),
                _ => ExitCode::FAILURE,
            }
        }
    }
}
