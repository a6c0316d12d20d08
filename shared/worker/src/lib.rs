//! Handles SQS batches of worker functions.
//!
//! Invariants:
//! - The jobs of a batch are independent: an error or panic of one does not fail others.
//! - The response always is a partial batch response. Any other response would make Lambda delete
//!   the whole batch.
//! - A message whose job failed is received again soon, and ever later the more often it failed.

mod context;
mod handler;
mod job_error;
mod redelivery;
#[cfg(test)]
mod tests;

pub use context::JobContext;
pub use handler::{BatchHandler, BatchSettings, Worker};
pub use job_error::JobError;
pub use redelivery::{LAST_FULL_RECEIVE, RedeliveryFuture, ServedQueue};
