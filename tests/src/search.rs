//! How long random searches and races run: a share with fixed seeds by default, all of it under
//! `scripts/test --thorough`.

use std::ops::Range;

/// Set where the tests run under `scripts/test --thorough`.
const THOROUGH: &str = "LARDER_THOROUGH";

/// How long a search runs.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Seeds or rounds of a run that somebody waits for.
    pub default: u64,
    /// Seeds or rounds of a thorough run.
    pub thorough: u64,
    /// The environment variable that names other seeds, or another number of rounds.
    pub variable: &'static str,
}

impl Extent {
    /// Returns the seeds of this run, or those that the variable names: `0..1000`, or `57..58` for
    /// one alone.
    ///
    /// Panics if the variable is no such range.
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

    /// Returns the rounds of this run, or as many as the variable says.
    ///
    /// Panics if the variable is no number.
    pub fn rounds(self) -> u64 {
        let Some(rounds) = variable(self.variable) else {
            return self.count();
        };
        rounds
            .parse()
            .unwrap_or_else(|_| panic!("{} is {rounds:?}, and should be a number", self.variable))
    }

    fn count(self) -> u64 {
        if is_thorough() {
            self.thorough
        } else {
            self.default
        }
    }
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
