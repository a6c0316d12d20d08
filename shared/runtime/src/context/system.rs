//! The system clock and random source, which only this module reads.

use std::{sync::Arc, time::SystemTime};

use domain::env::{Clock, Env, Random, Timestamp};

pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the production implementation of the injected clock"
        )]
        let since_1970 = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        Timestamp::from_ms(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX))
    }
}

/// The operating system's random source.
pub struct SystemRandom;

impl Random for SystemRandom {
    fn fill(&self, bytes: &mut [u8]) {
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the production implementation of the injected random source"
        )]
        getrandom::fill(bytes).expect("the random source of the operating system is available");
    }
}

/// Returns the environment of production: system clock and random source.
pub fn system_env() -> Env {
    Env::new(Arc::new(SystemClock), Arc::new(SystemRandom))
}
