//! AWS calls that fail or lose their responses, and functions that die at any call.

pub(crate) mod aws_calls;
pub(crate) mod batches;
pub(crate) mod chaos;
mod deletion_setup;
pub(crate) mod deletions;
pub(crate) mod idempotency;
pub(crate) mod idempotency_panics;
pub(crate) mod purge;
pub(crate) mod replacements;
mod watermarks;
