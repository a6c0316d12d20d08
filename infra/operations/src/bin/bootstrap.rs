//! `scripts/bootstrap`: creates the first account key of a stack on AWS.

use std::process::ExitCode;

fn main() -> ExitCode {
    operations::run_program("bootstrap", async |arguments, variables| {
        let mut output = std::io::stdout().lock();
        let mut notes = std::io::stderr().lock();
        operations::bootstrap(arguments, variables, &mut output, &mut notes).await
    })
}
