//! `scripts/dead-letters`: lists, reads and redrives dead letters.

use std::process::ExitCode;

fn main() -> ExitCode {
    operations::run_program("dead-letters", async |arguments, variables| {
        let mut output = std::io::stdout().lock();
        operations::dead_letters(arguments, variables, &mut output).await
    })
}
