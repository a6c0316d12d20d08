//! `scripts/dead-letters`: lists, reads and redrives dead letters.

use std::{collections::BTreeMap, io::Write, process::ExitCode};

use operations::OperationError;

/// Exit status after an invalid command line.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    #[expect(
        clippy::disallowed_methods,
        reason = "the credentials of an operator are in the environment"
    )]
    let variables: BTreeMap<String, String> = std::env::vars().collect();
    let arguments = std::env::args_os().skip(1);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();

    let result = match runtime {
        Ok(runtime) => {
            let mut output = std::io::stdout().lock();
            runtime.block_on(operations::run(arguments, &variables, &mut output))
        }
        Err(error) => Err(error.into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "dead-letters: {error}");
            match error {
                OperationError::Usage(_) => ExitCode::from(USAGE),
                _ => ExitCode::FAILURE,
            }
        }
    }
}
