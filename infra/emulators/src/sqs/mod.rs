//! SQS: standard queues over AWS JSON 1.0, stored in SQLite.
//!
//! Invariants:
//! - The time is that of the injected clock.
//! - SQLite is never called on a thread that serves requests.

mod batch;
mod emulator;
mod error;
mod fairness;
mod long_poll;
mod message;
mod message_counter;
mod message_operation;
mod operations;
mod queue_store;
mod receive;

pub(crate) use emulator::SqsEmulator;
pub use message_counter::MessageCounter;
pub use queue_store::MessageCounts;
