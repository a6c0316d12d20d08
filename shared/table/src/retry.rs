//! How often the table repeats a call that DynamoDB throttled, did in part, or cancelled because of a conflict.
//!
//! Throttling is not a conflict: a request fails after two tries, so that its caller retries after `Retry-After`; a
//! background job, which has no caller, waits for seconds. Conflicts with other requests end soon, so both repeat them.

use std::time::Duration;

use domain::Sources;

use crate::{Error, Table};

/// Tries of a transaction that conflicts with others.
pub(crate) const CONFLICT_TRIES: u32 = 8;
/// Longest pause before the second try after a conflict, in milliseconds; doubled for each further one.
const CONFLICT_PAUSE_MS: u64 = 10;

/// Which pauses and tries a table's calls have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RetryPolicy {
    /// Tries of a batch of which DynamoDB left items unprocessed.
    pub(crate) batch_tries: u32,
    /// Tries of a call that DynamoDB throttles; the SDK makes two of each.
    pub(crate) call_tries: u32,
    /// Tries of a transaction that DynamoDB cancels because of throttling, which the SDK does not repeat.
    pub(crate) transaction_tries: u32,
    /// Longest pause before the second try, doubled for each further one.
    first_pause: Duration,
    /// Longest pause before any try.
    longest_pause: Duration,
}

impl RetryPolicy {
    /// Policy of requests, which pause for 300 ms in all at most.
    pub(crate) const REQUEST: RetryPolicy = RetryPolicy {
        batch_tries: 5,
        call_tries: 1,
        transaction_tries: 2,
        first_pause: Duration::from_millis(20),
        longest_pause: Duration::from_millis(160),
    };

    /// Policy of background jobs, which pause for 12 s in all at most.
    pub(crate) const BACKGROUND_JOB: RetryPolicy = RetryPolicy {
        batch_tries: 10,
        call_tries: 10,
        transaction_tries: 10,
        first_pause: Duration::from_millis(100),
        longest_pause: Duration::from_secs(2),
    };

    /// Whether a throttled call is repeated beyond the SDK's own tries.
    pub(crate) fn repeats_throttled_calls(&self) -> bool {
        self.call_tries > 1
    }

    /// Pauses before retry `attempt` (1-based).
    pub(crate) async fn pause(&self, sources: &Sources, attempt: u32) {
        let longest = self.first_pause.saturating_mul(2_u32.saturating_pow(attempt - 1)).min(self.longest_pause);
        tokio::time::sleep(drawn(sources, longest)).await;
    }
}

/// The tries of one transaction so far.
pub(crate) struct TransactionTries<'a> {
    policy: &'a RetryPolicy,
    sources: &'a Sources,
    conflicts: u32,
    throttled: u32,
}

impl<'a> TransactionTries<'a> {
    pub(crate) fn new(policy: &'a RetryPolicy, sources: &'a Sources) -> TransactionTries<'a> {
        TransactionTries { policy, sources, conflicts: 0, throttled: 0 }
    }

    /// Pauses after a conflict. Fails with [`Error::Contended`] if no try is left.
    pub(crate) async fn after_conflict(&mut self) -> Result<(), Error> {
        self.conflicts += 1;
        if self.conflicts == CONFLICT_TRIES {
            return Err(Error::contended("a transaction kept conflicting with others"));
        }
        pause(self.sources, self.conflicts).await;
        Ok(())
    }

    /// Pauses after throttling. Fails with [`Error::Throttled`] if no try is left.
    pub(crate) async fn after_throttling(&mut self) -> Result<(), Error> {
        self.throttled += 1;
        if self.throttled == self.policy.transaction_tries {
            return Err(Error::Throttled("a transaction was cancelled because of throttling".into()));
        }
        self.policy.pause(self.sources, self.throttled).await;
        Ok(())
    }
}

impl Table {
    /// Pauses before retry `attempt` (1-based) after a conflict: jittered exponential backoff.
    pub async fn pause(&self, attempt: u32) {
        pause(&self.sources, attempt).await;
    }
}

async fn pause(sources: &Sources, attempt: u32) {
    let longest = Duration::from_millis(CONFLICT_PAUSE_MS << attempt);
    tokio::time::sleep(drawn(sources, longest)).await;
}

/// Draws a pause up to `longest`, so that requests that met once do not meet again.
fn drawn(sources: &Sources, longest: Duration) -> Duration {
    let longest_ms = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX).max(1);
    Duration::from_millis(u64::from_be_bytes(sources.bytes()) % longest_ms + 1)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;

    use domain::{Clock, Random, Timestamp};
    use tokio::time::Instant;

    use super::*;

    struct Fixed;
    impl Clock for Fixed {
        fn now(&self) -> Timestamp {
            Timestamp::from_ms(0)
        }
    }
    impl Random for Fixed {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(0xfe);
        }
    }

    /// A clock that stands still, and the same bytes again and again.
    pub(crate) fn sources() -> Sources {
        Sources::new(Arc::new(Fixed), Arc::new(Fixed))
    }

    async fn throttled_tries(policy: &RetryPolicy) -> (u32, Duration) {
        let sources = sources();
        let started = Instant::now();
        let mut tries = TransactionTries::new(policy, &sources);
        let mut made = 1;
        while tries.after_throttling().await.is_ok() {
            made += 1;
        }
        (made, started.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn throttled_request_gives_up_after_two_tries_and_job_after_seconds() {
        let (tries, pauses) = throttled_tries(&RetryPolicy::REQUEST).await;
        assert_eq!(tries, 2);
        assert!(pauses <= Duration::from_millis(20), "{pauses:?}");

        let (tries, pauses) = throttled_tries(&RetryPolicy::BACKGROUND_JOB).await;
        assert_eq!(tries, 10);
        assert!(pauses > Duration::from_secs(1) && pauses < Duration::from_secs(12), "{pauses:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn conflicting_transaction_is_tried_eight_times() {
        let (policy, sources) = (RetryPolicy::REQUEST, sources());
        let mut tries = TransactionTries::new(&policy, &sources);
        let mut made = 1;
        let error = loop {
            match tries.after_conflict().await {
                Ok(()) => made += 1,
                Err(error) => break error,
            }
        };
        assert_eq!(made, CONFLICT_TRIES);
        assert!(matches!(error, Error::Contended(_)), "{error}");
    }
}
