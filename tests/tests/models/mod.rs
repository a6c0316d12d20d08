//! Random sequences of requests, compared with a model.

pub(crate) mod access;
pub(crate) mod upload_states;

use std::fmt;

/// Where a random sequence is, for panic messages.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    seed: u64,
    /// Number of operations before.
    step: u64,
}

impl fmt::Debug for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "seed {}, step {}", self.seed, self.step)
    }
}
