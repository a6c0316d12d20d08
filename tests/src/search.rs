//! The extent of random searches and races: by default a share with fixed seeds, everything under
//! `scripts/test --thorough`.

use std::{ops::Range, panic::AssertUnwindSafe};

use futures::{FutureExt, StreamExt, stream};

/// Set by `scripts/test --thorough`.
const THOROUGH: &str = "LARDER_THOROUGH";

/// The extent of a search.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    default: u64,
    thorough: u64,
    variable: &'static str,
}

impl Extent {
    /// Creates an extent of these seeds or rounds in a default and in a thorough run. The
    /// environment variable names other seeds or another number of rounds.
    pub const fn new(default: u64, thorough: u64, variable: &'static str) -> Extent {
        Extent {
            default,
            thorough,
            variable,
        }
    }

    /// Returns the seeds of this run, or the range in the variable: `0..1000`, or `57..58` for a
    /// single seed.
    ///
    /// Panics if the variable is not a range.
    pub fn seeds(self) -> Range<u64> {
        let Some(range) = variable(self.variable) else {
            return 0..self.count();
        };
        let bounds = range
            .split_once("..")
            .and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
        bounds
            .unwrap_or_else(|| panic!("{} is {range:?}, and should be like 0..100", self.variable))
    }

    /// Returns the rounds of this run, or the number in the variable.
    ///
    /// Panics if the variable is not a number.
    pub fn rounds(self) -> u64 {
        let Some(rounds) = variable(self.variable) else {
            return self.count();
        };
        rounds
            .parse()
            .unwrap_or_else(|_| panic!("{} is {rounds:?}, and should be a number", self.variable))
    }

    /// Runs each seed of this run, several at once, and panics with all that failed.
    pub async fn run_seeds(self, at_once: usize, run: impl AsyncFn(u64)) {
        let runs = stream::iter(self.seeds()).map(async |seed| {
            let run = AssertUnwindSafe(run(seed)).catch_unwind();
            Box::pin(run).await.is_err().then_some(seed)
        });
        let results: Vec<Option<u64>> = runs.buffer_unordered(at_once).collect().await;
        let failed: Vec<u64> = results.into_iter().flatten().collect();

        assert!(
            failed.is_empty(),
            "failed seeds: {failed:?}. Run one of them with {}=SEED..SEED+1",
            self.variable
        );
    }

    fn count(self) -> u64 {
        if is_thorough() {
            self.thorough
        } else {
            self.default
        }
    }
}

/// Returns every `step`-th of these cases, or all of them in a thorough run.
pub fn share_of<T>(cases: impl IntoIterator<Item = T>, step: usize) -> impl Iterator<Item = T> {
    let step = if is_thorough() { 1 } else { step };
    cases.into_iter().step_by(step)
}

/// Distributes cases over a number of groups, one after the other.
pub fn distributed<T>(cases: impl IntoIterator<Item = T>, groups: usize) -> Vec<Vec<T>> {
    let mut distributed: Vec<Vec<T>> = (0..groups).map(|_| Vec::new()).collect();
    for (index, case) in cases.into_iter().enumerate() {
        distributed[index % groups].push(case);
    }
    distributed
}

/// Returns whether this is a run of `scripts/test --thorough`.
pub fn is_thorough() -> bool {
    variable(THOROUGH).is_some()
}

fn variable(name: &str) -> Option<String> {
    #[expect(
        clippy::disallowed_methods,
        reason = "how long a test takes is up to who runs it"
    )]
    std::env::var(name).ok()
}
