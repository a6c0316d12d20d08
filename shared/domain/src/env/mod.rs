//! Environment: time and randomness, which callers inject.

pub(crate) mod random;
mod timestamp;

pub use random::{Env, Random};
pub use timestamp::{Clock, Timestamp};
