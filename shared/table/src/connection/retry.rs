//! Retry policy of calls to DynamoDB.
//!
//! A request gives up on a throttled call after two tries, and its caller retries after
//! `Retry-After`. A background job has no caller, so it retries for seconds. Both retry conflicts
//! with concurrent transactions, which end soon.

use std::{error::Error as StdError, time::Duration};

use aws_sdk_dynamodb::{
    config::http::HttpResponse,
    error::{ProvideErrorMetadata, SdkError},
};

use crate::{connection::Table, errors::TableError};

/// Maximum tries of a call that conflicts with transactions on the same items.
const MAX_CONFLICT_TRIES: u32 = 8;

/// Exponential backoff with full jitter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backoff {
    /// Maximum pause before the second try. It doubles with every further try.
    pub(crate) initial: Duration,
    /// Maximum pause before any try.
    pub(crate) max: Duration,
}

/// Backoff after a conflict with concurrent transactions.
const CONFLICT_BACKOFF: Backoff = Backoff {
    initial: Duration::from_millis(20),
    max: Duration::from_millis(1_280),
};

/// Retry policy of calls that DynamoDB throttles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RetryPolicy {
    /// Maximum tries of a batch while DynamoDB leaves items unprocessed.
    pub(crate) batch_tries: u32,
    /// Maximum tries of a throttled call. Each try is two attempts of the SDK.
    pub(crate) call_tries: u32,
    /// Maximum tries of a transaction that is cancelled because of throttling. The SDK does not
    /// repeat it.
    pub(crate) transaction_tries: u32,
    throttled: Backoff,
}

impl RetryPolicy {
    /// Policy of requests: pauses of at most 300 ms in total.
    pub(crate) const REQUEST: RetryPolicy = RetryPolicy {
        batch_tries: 5,
        call_tries: 1,
        transaction_tries: 2,
        throttled: Backoff {
            initial: Duration::from_millis(20),
            max: Duration::from_millis(160),
        },
    };

    /// Policy of background jobs: pauses of at most 12 s in total.
    pub(crate) const BACKGROUND_JOB: RetryPolicy = RetryPolicy {
        batch_tries: 10,
        call_tries: 10,
        transaction_tries: 10,
        throttled: Backoff {
            initial: Duration::from_millis(100),
            max: Duration::from_secs(2),
        },
    };

    /// Returns whether throttled calls are repeated beyond the SDK's own attempts.
    pub(crate) fn repeats_throttled_calls(&self) -> bool {
        self.call_tries > 1
    }
}

impl Table {
    /// Sends a call, and repeats it as [`Table::retry`] does.
    pub(crate) async fn call<T, E, F>(&self, call: impl Fn() -> F) -> Result<T, TableError>
    where
        E: StdError + ProvideErrorMetadata + Send + Sync + 'static,
        F: Future<Output = Result<T, SdkError<E, HttpResponse>>>,
    {
        // Boxed to keep the futures of requests small.
        self.retry(|| async { Box::pin(call()).await.map_err(TableError::from_sdk) })
            .await
    }

    /// Repeats a call that conflicts with concurrent transactions or is throttled, as often as the
    /// table's retry policy allows.
    pub(crate) async fn retry<T, F>(&self, call: impl Fn() -> F) -> Result<T, TableError>
    where
        F: Future<Output = Result<T, TableError>>,
    {
        let mut conflicts = 0;
        let mut throttled = 0;
        loop {
            let result = call().await;
            let throttled_tries = match &result {
                Err(TableError::Contended(_)) if conflicts + 1 < MAX_CONFLICT_TRIES => {
                    conflicts += 1;
                    self.back_off_after_conflict(conflicts).await;
                    continue;
                }
                Err(TableError::Throttled(_)) => self.retries.call_tries,
                Err(TableError::TransactionThrottled(_)) => self.retries.transaction_tries,
                _ => return result,
            };

            throttled += 1;
            if throttled == throttled_tries {
                return result;
            }
            self.back_off_after_throttling(throttled).await;
        }
    }

    /// Waits before retry `attempt` (1-based) after a conflict.
    pub async fn back_off_after_conflict(&self, attempt: u32) {
        self.back_off(CONFLICT_BACKOFF, attempt).await;
    }

    /// Waits before retry `attempt` (1-based) after throttling.
    pub(crate) async fn back_off_after_throttling(&self, attempt: u32) {
        self.back_off(self.retries.throttled, attempt).await;
    }

    /// Waits for a random time: exponential backoff with full jitter.
    pub(crate) async fn back_off(&self, backoff: Backoff, attempt: u32) {
        let max = backoff
            .initial
            .saturating_mul(2_u32.saturating_pow(attempt - 1))
            .min(backoff.max);
        let max_ms = u64::try_from(max.as_millis()).unwrap_or(u64::MAX);
        let pause_ms = u64::from_be_bytes(self.env.random_bytes()) % max_ms + 1;
        tokio::time::sleep(Duration::from_millis(pause_ms)).await;
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::{cell::Cell, sync::Arc};

    use domain::env::{Clock, Env, Random, Timestamp};
    use tokio::time::Instant;

    use super::*;

    /// A clock that stands still and a source of constant bytes.
    struct FixedEnv;

    impl Clock for FixedEnv {
        fn now(&self) -> Timestamp {
            Timestamp::from_ms(0)
        }
    }

    impl Random for FixedEnv {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(0xfe);
        }
    }

    /// Creates a table without a server.
    pub(crate) fn table() -> Table {
        let config = aws_sdk_dynamodb::Config::builder()
            .behavior_version_latest()
            .build();
        let client = aws_sdk_dynamodb::Client::from_conf(config);
        let env = Env::new(Arc::new(FixedEnv), Arc::new(FixedEnv));
        Table::new(client, "table".to_owned(), env)
    }

    struct FailedCall {
        tries: u32,
        elapsed: Duration,
        error: TableError,
    }

    /// Retries a call that always fails.
    async fn retry_failing_call(table: &Table, fail: impl Fn() -> TableError) -> FailedCall {
        let started = Instant::now();
        let tries = Cell::new(0);
        let call = || async {
            tries.set(tries.get() + 1);
            Err::<(), TableError>(fail())
        };

        let error = table.retry(call).await.expect_err("every try fails");

        FailedCall {
            tries: tries.get(),
            elapsed: started.elapsed(),
            error,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn request_gives_up_on_a_throttled_transaction_after_two_tries() {
        let throttled = || TableError::TransactionThrottled("throttled".into());

        let failed = retry_failing_call(&table(), throttled).await;

        assert_eq!(failed.tries, 2);
        assert!(
            failed.elapsed <= Duration::from_millis(20),
            "{:?}",
            failed.elapsed
        );
        assert!(
            matches!(failed.error, TableError::TransactionThrottled(_)),
            "{}",
            failed.error
        );
    }

    #[tokio::test(start_paused = true)]
    async fn request_does_not_repeat_a_throttled_call() {
        let throttled = || TableError::Throttled("throttled".into());

        let failed = retry_failing_call(&table(), throttled).await;

        assert_eq!(failed.tries, 1);
    }

    #[tokio::test(start_paused = true)]
    async fn background_job_repeats_a_throttled_transaction_for_seconds() {
        let throttled = || TableError::TransactionThrottled("throttled".into());

        let failed = retry_failing_call(&table().for_background_job(), throttled).await;

        assert_eq!(failed.tries, 10);
        assert!(
            failed.elapsed > Duration::from_secs(1) && failed.elapsed < Duration::from_secs(12),
            "{:?}",
            failed.elapsed
        );
    }

    #[tokio::test(start_paused = true)]
    async fn conflicting_transaction_is_tried_eight_times() {
        let conflict = || TableError::Contended("conflict".into());

        let failed = retry_failing_call(&table(), conflict).await;

        assert_eq!(failed.tries, MAX_CONFLICT_TRIES);
        assert!(
            matches!(failed.error, TableError::Contended(_)),
            "{}",
            failed.error
        );
    }
}
