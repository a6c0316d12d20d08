//! Errors of the tools.

use std::{fmt::Debug, path::PathBuf};

use aws_sdk_sqs::error::{ProvideErrorMetadata, SdkError};
use domain::error_chain;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum OperationError {
    /// The command line is invalid.
    #[error("{0}\nTry --help.")]
    Usage(String),
    /// The local stack's file with URLs and credentials cannot be used.
    #[error("{} cannot be read: {reason}. Start the local stack with `cargo run`.", path.display())]
    LocalFile {
        /// The file.
        path: PathBuf,
        /// Why it cannot be read.
        reason: String,
    },
    /// The AWS CLI cannot be used, or has no credentials or no region.
    #[error("{0}")]
    AwsCli(String),
    /// A stack lacks an output of `template.yaml`.
    #[error(
        "the stack {stack} has no output {name}. Deploy this version of template.yaml completely, then try again."
    )]
    MissingOutput {
        /// The stack.
        stack: String,
        /// The output.
        name: &'static str,
    },
    /// The table of a stack cannot be used.
    #[error("{0}")]
    Table(String),
    /// A key cannot be recovered because there are no users.
    #[error("the stack has no user yet. Run the command without --recover.")]
    NoUser,
    /// A call of SQS failed.
    #[error("{operation} failed: {reason}")]
    Sqs {
        /// The operation.
        operation: &'static str,
        /// The error with its causes.
        reason: String,
    },
    /// The stack has no dead-letter queue of this name.
    #[error("the stack has no dead-letter queue {name}. It has: {existing}")]
    UnknownQueue {
        /// The requested name.
        name: String,
        /// The names of the existing ones.
        existing: String,
    },
    /// The messages of a dead-letter queue have no unambiguous destination.
    #[error("{0} is the dead-letter queue of several queues. Redrive it in the console of SQS.")]
    SeveralSources(String),
    /// A redrive was interrupted.
    #[error("{redriven} messages were sent back, then {cause}")]
    Interrupted {
        /// Number of messages that were sent back before.
        redriven: usize,
        /// The error.
        cause: Box<OperationError>,
    },
    /// The output cannot be written.
    #[error("the output cannot be written: {0}")]
    Output(#[from] std::io::Error),
}

impl OperationError {
    /// Returns a conversion for errors of an operation of SQS.
    pub(crate) fn sqs<E, R>(operation: &'static str) -> impl Fn(SdkError<E, R>) -> OperationError
    where
        E: std::error::Error + ProvideErrorMetadata + 'static,
        R: Debug + 'static,
    {
        move |error| OperationError::Sqs {
            operation,
            reason: describe(&error),
        }
    }
}

/// Returns code and message of an error response, or the error with its causes. The SDK's own text of an
/// error response contains Rust debug output.
fn describe<E, R>(error: &SdkError<E, R>) -> String
where
    E: std::error::Error + ProvideErrorMetadata + 'static,
    R: Debug + 'static,
{
    match (error.code(), error.message()) {
        (Some(code), Some(message)) => format!("{code}: {message}"),
        (Some(code), None) => code.to_owned(),
        (None, _) => error_chain(error),
    }
}
