//! Tools of operators: the dead letters of a stack, on AWS or on this machine, and the first user, space
//! and key of one on AWS.
//!
//! Invariants:
//! - Only a redrive changes a queue.
//! - A dead letter is deleted only after its copy was sent to the source queue.

mod aws;
mod bootstrap;
mod cli;
mod error;
mod list;
mod program;
mod queues;
mod read;
mod redrive;

use std::{collections::BTreeMap, ffi::OsString, io::Write};

use cli::{Arguments, Command, Parsed};
use queues::Stack;

pub use bootstrap::bootstrap;
pub use error::OperationError;
pub use program::run_program;

/// Runs a command line of `scripts/dead-letters` without the name of the program. `variables` is the environment, which has the
/// credentials and the region for AWS.
pub async fn dead_letters(
    arguments: impl IntoIterator<Item = OsString>,
    variables: &BTreeMap<String, String>,
    output: &mut impl Write,
) -> Result<(), OperationError> {
    let Arguments { command, target } = match cli::parse(arguments)? {
        Parsed::Help => {
            output.write_all(cli::HELP.as_bytes())?;
            return Ok(());
        }
        Parsed::Run(arguments) => arguments,
    };
    let stack = Stack::connect(target, variables)?;

    match command {
        Command::List => list::list(&stack, output).await,
        Command::Read(queue) => read::read(&stack, &queue, output).await,
        Command::Redrive(queue) => redrive::redrive(&stack, &queue, output).await,
    }
}
