//! Pauses of attempts for which no slot is free.

use std::ops::RangeInclusive;

use super::delivery::random_ms;
use crate::{Env, Timestamp};

/// Bounds of a pause in milliseconds: a second, and the maximum delay of a message.
const PAUSE_MS: RangeInclusive<i64> = 1_000..=900_000;
/// A pause is one part of this many of the time that the attempt has waited.
const WAITED_DIVISOR: i64 = 4;
/// Maximum random extension of a pause, as a part of it.
const JITTER_DIVISOR: i64 = 2;

/// An attempt for which no slot is free.
#[derive(Clone, Copy, Debug)]
pub struct WebhookSlotWait {
    /// Time from which the attempt has waited.
    pub since: Timestamp,
    /// Time before which its host is not tried again.
    pub not_before: Option<Timestamp>,
}

impl WebhookSlotWait {
    /// Returns when the attempt is tried again. The longer it has waited, the longer it waits again, so the number
    /// of its messages grows with the logarithm of the time.
    pub fn end(self, now: Timestamp, env: &Env) -> Timestamp {
        let waited_ms = now.ms() - self.since.ms();
        let pause_ms = (waited_ms / WAITED_DIVISOR).clamp(*PAUSE_MS.start(), *PAUSE_MS.end());
        let earliest = now.plus_ms(pause_ms).max(self.not_before.unwrap_or(now));
        earliest.plus_ms(random_ms(pause_ms / JITTER_DIVISOR, env))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::random::tests::counting;

    #[test]
    fn attempt_that_has_waited_longer_waits_longer_again() {
        let env = counting();
        let since = env.now();
        for (waited_ms, blocked_ms, pauses_ms) in [
            (0, 0, 1_000..=1_500),
            (40_000, 0, 10_000..=15_000),
            (86_400_000, 0, 900_000..=1_350_000),
            (0, 60_000, 60_000..=60_500),
        ] {
            let now = since.plus_ms(waited_ms);
            let not_before = Some(now.plus_ms(blocked_ms));
            let end = WebhookSlotWait { since, not_before }.end(now, &env);
            let pause_ms = end.ms() - now.ms();
            assert!(pauses_ms.contains(&pause_ms), "{pause_ms}");
        }
    }
}
