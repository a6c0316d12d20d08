//! Handles SQS batches of worker functions.
//!
//! Invariants:
//! - The jobs of a batch are independent: an error or panic of one does not fail others.
//! - The response always is a partial batch response. Any other response would make Lambda delete
//!   the whole batch.

mod context;
mod handler;

pub use context::JobContext;
pub use handler::{BatchHandler, JobError, Worker};
