//! Runs the functions as Lambda binaries under `cargo lambda watch`.
//!
//! cargo-lambda provides the Runtime API and the invoke API only. This module starts and supervises
//! the binaries, one process each, and enforces the limits of Lambda that cargo-lambda does not:
//! the size of events and responses.

mod processes;
mod remote;
mod stderr;
mod watch;

pub use watch::CargoLambda;

pub(crate) use remote::RemoteFunction;
pub(crate) use watch::CargoLambdaWatch;
