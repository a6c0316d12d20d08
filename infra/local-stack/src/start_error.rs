//! Errors of the start.

use std::{io, path::PathBuf};

use domain::errors::ServiceError;
use runtime::context::ConfigurationError;
use sam_template::TemplateError;

/// Reason why the local stack did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The stack cannot listen on a port.
    #[error("cannot listen on 127.0.0.1:{port}: {reason}. Choose another port with --port.")]
    Port {
        port: u16,
        /// Error of the operating system.
        reason: io::Error,
    },
    /// A file in the data directory cannot be read or written.
    #[error("{} cannot be used: {reason}", path.display())]
    File {
        path: PathBuf,
        /// Error of the operating system.
        reason: io::Error,
    },
    /// The emulators did not start.
    #[error(transparent)]
    Emulators(#[from] emulators::EmulatorStartError),
    /// A resource of the template could not be created.
    #[error(transparent)]
    Provision(#[from] emulators::ProvisionError),
    /// A parameter that only local stacks have is invalid.
    #[error("Parameters.{name}: the value must be {expected}")]
    Parameter {
        name: &'static str,
        /// Values that are valid, in words.
        expected: &'static str,
    },
    /// The template is invalid or not supported.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The template and this program do not have the same functions.
    #[error("{0}")]
    Functions(String),
    /// A function could not be configured.
    #[error("{function}: {reason}")]
    Function {
        function: String,
        /// Errors in the configuration.
        reason: ConfigurationError,
    },
    /// The first user, space or key could not be created.
    #[error("the first API key could not be created: {0}")]
    Bootstrap(#[from] ServiceError),
    /// cargo-lambda did not start.
    #[error("cargo-lambda did not start: {0}")]
    CargoLambda(String),
}
