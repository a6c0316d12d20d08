//! The machine's own clock and randomness: the one place where they are read.

use std::{sync::Arc, time::SystemTime};

use domain::{Clock, Env, Random, Timestamp};

/// The machine's clock.
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the injected clock's production side"
        )]
        let since_1970 = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        Timestamp::from_ms(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX))
    }
}

/// The operating system's randomness.
pub struct SystemRandom;

impl Random for SystemRandom {
    fn fill(&self, bytes: &mut [u8]) {
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the injected randomness' production side"
        )]
        getrandom::fill(bytes).expect("the operating system has randomness once it has started");
    }
}

/// Time and randomness as in production.
pub fn system_sources() -> Env {
    Env::new(Arc::new(SystemClock), Arc::new(SystemRandom))
}
