//! What is true of Larder without a network: ids, spaces, keys, roles, files, access and faults.
//!
//! Invariant: no async, no AWS, no HTTP, and nothing here reads the machine's time or randomness.

mod random;
mod time;

pub use random::{Random, Sources};
pub use time::{Clock, Timestamp};
