//! When an attempt is repeated that failed.

use crate::env::{Env, Timestamp};

/// Milliseconds in a second.
const SECOND_MS: i64 = 1_000;
/// Milliseconds in a minute.
pub(super) const MINUTE_MS: i64 = 60 * SECOND_MS;
/// Milliseconds in an hour.
const HOUR_MS: i64 = 60 * MINUTE_MS;
/// Milliseconds in a day.
pub(super) const DAY_MS: i64 = 24 * HOUR_MS;

/// Pauses between the attempts of a series, in milliseconds.
pub(super) const RETRY_DELAYS_MS: [i64; 6] = [
    5 * SECOND_MS,
    5 * MINUTE_MS,
    30 * MINUTE_MS,
    2 * HOUR_MS,
    5 * HOUR_MS,
    10 * HOUR_MS,
];
/// Maximum deviation of a pause, as a part of it.
const JITTER_DIVISOR: i64 = 10;
/// Maximum pause that an endpoint can ask for with `Retry-After`, in milliseconds.
const MAX_RETRY_AFTER_MS: i64 = DAY_MS;

/// Returns when to try again after the attempt with this index in its series, from 0, fails at
/// `now`; `None` if it is the last one. `retry_after` is the time that the endpoint asks for: it
/// delays the attempt by a day at most, and never advances it.
pub(super) fn retry_at(
    index: u32,
    retry_after: Option<Timestamp>,
    now: Timestamp,
    env: &Env,
) -> Option<Timestamp> {
    let delay_ms = *RETRY_DELAYS_MS.get(usize::try_from(index).ok()?)?;
    let scheduled = now.plus_ms(delay_ms + jitter_ms(delay_ms / JITTER_DIVISOR, env));

    let latest = now.plus_ms(MAX_RETRY_AFTER_MS);
    let asked = retry_after.map(|asked| asked.min(latest));
    Some(asked.map_or(scheduled, |asked| asked.max(scheduled)))
}

/// Returns a random number from `-max` to `max`.
fn jitter_ms(max: i64, env: &Env) -> i64 {
    random_ms(2 * max, env) - max
}

/// Returns a random number from 0 to `max`.
pub(super) fn random_ms(max: i64, env: &Env) -> i64 {
    let random = u64::from_be_bytes(env.random_bytes());
    let range = u64::try_from(max + 1).unwrap_or(1);
    i64::try_from(random % range).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::random::tests::counting;

    #[test]
    fn retry_after_delays_by_a_day_at_most_and_never_advances() {
        let env = counting();
        let now = env.now();
        let pause = |asked_ms: i64| {
            let asked = Some(now.plus_ms(asked_ms));
            retry_at(0, asked, now, &env).expect("a retry").ms() - now.ms()
        };

        assert_eq!(pause(60_000), 60_000);
        assert_eq!(pause(DAY_MS), DAY_MS);
        assert_eq!(pause(365 * DAY_MS), DAY_MS);
        for asked_ms in [-1_000, 0, 1_000] {
            assert!((4_500..=5_500).contains(&pause(asked_ms)));
        }
    }
}
