//! Pauses of attempts for which no slot is free.

use std::ops::RangeInclusive;

use super::retries::random_ms;
use crate::env::{Env, Timestamp};

/// Bounds of a pause in milliseconds: a second, and a minute.
const PAUSE_MS: RangeInclusive<i64> = 1_000..=60_000;
/// A pause is one part of this many of the time that the attempt has waited.
const WAITED_DIVISOR: i64 = 4;
/// Maximum random extension of a pause, as a part of it.
const JITTER_DIVISOR: i64 = 4;
/// Maximum random extension of the time until an open circuit permits an attempt, in milliseconds.
/// It is the same for all, so that an attempt that has waited for long is as likely as others to be
/// the next one.
const CIRCUIT_JITTER_MS: i64 = 10_000;
/// Time for which an attempt waits at most, in milliseconds: 18 hours, about as long as a series of
/// attempts.
const MAX_WAIT_MS: i64 = 64_800_000;

/// An attempt for which no slot is free.
#[derive(Clone, Copy, Debug)]
pub struct WebhookSlotWait {
    /// Time from which the attempt has waited.
    pub since: Timestamp,
    /// Time before which an open circuit permits no attempt.
    pub not_before: Option<Timestamp>,
}

impl WebhookSlotWait {
    /// Returns when the attempt is tried again; `None` if it has waited too long. The pauses grow
    /// to a minute only, so that attempts that have waited for long are not overtaken by all later
    /// ones.
    pub fn end(self, now: Timestamp, env: &Env) -> Option<Timestamp> {
        let waited_ms = now.ms() - self.since.ms();
        if waited_ms >= MAX_WAIT_MS {
            return None;
        }

        let pause_ms = (waited_ms / WAITED_DIVISOR).clamp(*PAUSE_MS.start(), *PAUSE_MS.end());
        let earliest = now.plus_ms(pause_ms);
        let (earliest, jitter_ms) = match self.not_before {
            Some(not_before) if not_before >= earliest => (not_before, CIRCUIT_JITTER_MS),
            _ => (earliest, pause_ms / JITTER_DIVISOR),
        };
        Some(earliest.plus_ms(random_ms(jitter_ms, env)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::random::tests::counting;

    #[test]
    fn attempt_waits_for_a_minute_or_an_open_circuit_and_for_18_hours_in_all() {
        let env = counting();
        let since = env.now();
        let pause_ms = |waited_ms: i64, open_ms: i64| {
            let now = since.plus_ms(waited_ms);
            let not_before = Some(now.plus_ms(open_ms));
            let end = WebhookSlotWait { since, not_before }.end(now, &env);
            end.map(|end| end.ms() - now.ms())
        };

        for (waited_ms, open_ms, pauses_ms) in [
            (0, 0, 1_000..=1_250),
            (40_000, 0, 10_000..=12_500),
            (MAX_WAIT_MS - 1, 0, 60_000..=75_000),
            (0, 60_000, 60_000..=70_000),
            (MAX_WAIT_MS - 1, 60_000, 60_000..=70_000),
        ] {
            let pause_ms = pause_ms(waited_ms, open_ms).expect("a pause");
            assert!(pauses_ms.contains(&pause_ms), "{pause_ms}");
        }

        assert_eq!(pause_ms(MAX_WAIT_MS, 0), None);
    }
}
