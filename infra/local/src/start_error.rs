//! What can keep the local stack from starting.

use std::{io, path::PathBuf};

use domain::ServiceError;
use runtime::ConfigurationError;
use template::Diagnostics;

/// Why the local stack did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A port cannot be listened on.
    #[error("port {port} of 127.0.0.1 cannot be listened on: {reason}")]
    Port {
        /// The port.
        port: u16,
        /// What the system said.
        reason: io::Error,
    },
    /// A file of the data directory cannot be read or written.
    #[error("{} cannot be used: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
    /// The emulators did not start.
    #[error(transparent)]
    Emulators(#[from] emulators::EmulatorStartError),
    /// A resource of the template could not be provided.
    #[error(transparent)]
    Provision(#[from] emulators::ProvisionError),
    /// The template says what the local stack does not understand.
    #[error("{0}")]
    Template(Diagnostics),
    /// The template and this program do not have the same functions.
    #[error("{0}")]
    Functions(String),
    /// A function does not start.
    #[error("{function}: {reason}")]
    Function {
        /// The function's binary.
        function: String,
        /// What is wrong.
        reason: ConfigurationError,
    },
    /// The first user, space or key could not be made.
    #[error("the first key could not be made: {0}")]
    Bootstrap(#[from] ServiceError),
    /// cargo-lambda did not start.
    #[error("cargo-lambda did not start: {0}")]
    CargoLambda(String),
}

impl From<Diagnostics> for StartError {
    fn from(problems: Diagnostics) -> StartError {
        StartError::Template(problems)
    }
}
