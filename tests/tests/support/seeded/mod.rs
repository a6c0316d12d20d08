//! Random changes of the folders and files of one space: how they are drawn and sent, what they do
//! to a model, and which invariants hold in the table afterwards.

pub(crate) mod invariants;
pub(crate) mod model;
pub(crate) mod operations;

use std::fmt;

use rand::{RngExt, rngs::SmallRng};
use tests::{Stack, StackOptions};

/// Where a random sequence is, for panic messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) seed: u64,
    /// Number of steps or rounds before.
    pub(crate) step: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "seed {}, step {}", self.seed, self.step)
    }
}

/// Starts a stack with a seed and without rate limits.
pub(crate) async fn start_stack(seed: u64) -> Stack {
    Stack::start_with(StackOptions {
        seed,
        ..StackOptions::without_rate_limits()
    })
    .await
}

/// Returns a random item.
pub(crate) fn pick<'a, T>(draws: &mut SmallRng, items: &'a [T]) -> &'a T {
    &items[draws.random_range(0..items.len())]
}

/// Returns a random item of a table, each as often as its weight says.
pub(crate) fn pick_weighted<T: Copy>(draws: &mut SmallRng, items: &[(u32, T)]) -> T {
    let sum = items.iter().map(|(weight, _)| weight).sum();
    let mut number: u32 = draws.random_range(0..sum);
    for (weight, item) in items {
        if number < *weight {
            return *item;
        }
        number -= weight;
    }
    unreachable!("the number is below the sum of all weights")
}
