//! How often the table repeats a call that DynamoDB throttled, did in part, or refused because of a
//! conflict, and a change of a record that others changed at the same time.
//!
//! Throttling is not a conflict: a request fails after two tries, so that its caller retries after
//! `Retry-After`; a background job, which has no caller, waits for seconds. Conflicts with other
//! requests end soon, so both repeat them.

use std::{error::Error as StdError, time::Duration};

use aws_sdk_dynamodb::{
    config::http::HttpResponse,
    error::{ProvideErrorMetadata, SdkError},
};
use domain::{FieldErrors, ServiceError};
use tokio::time::Instant;

use crate::{Reason, Table, TableError, WriteError};

/// Maximum tries of a change of a record.
const CHANGE_TRIES_MAX: u32 = 32;
/// Time after which a change is not tried again: early enough to answer before the function's
/// deadline.
const CHANGE_TIME_MAX: Duration = Duration::from_secs(12);
/// Maximum tries of a call that meets transactions on the same items.
const CONFLICT_TRIES_MAX: u32 = 8;

/// Exponential backoff with full jitter.
#[derive(Clone, Copy, Debug)]
struct Backoff {
    /// Longest pause before the second try. It doubles with each further one.
    first: Duration,
    /// Longest pause before any try.
    longest: Duration,
}

/// Pauses after a conflict.
const CONFLICT: Backoff = Backoff {
    first: Duration::from_millis(20),
    longest: Duration::from_millis(1_280),
};
/// Pauses after a change that was made on an old version.
const CHANGE: Backoff = Backoff {
    first: Duration::from_millis(5),
    longest: Duration::from_millis(80),
};

/// How often and after which pauses a table repeats calls that DynamoDB throttles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RetryPolicy {
    /// Maximum tries of a batch of which DynamoDB left items unprocessed.
    pub(crate) batch_tries: u32,
    /// Maximum tries of a call that DynamoDB throttles; the SDK makes two of each.
    pub(crate) call_tries: u32,
    /// Maximum tries of a transaction that DynamoDB cancels because of throttling, which the SDK
    /// does not repeat.
    pub(crate) transaction_tries: u32,
    throttled: Backoff,
}

impl RetryPolicy {
    /// Policy of requests, which pause for 300 ms in all at most.
    pub(crate) const REQUEST: RetryPolicy = RetryPolicy {
        batch_tries: 5,
        call_tries: 1,
        transaction_tries: 2,
        throttled: Backoff {
            first: Duration::from_millis(20),
            longest: Duration::from_millis(160),
        },
    };

    /// Policy of background jobs, which pause for 12 s in all at most.
    pub(crate) const BACKGROUND_JOB: RetryPolicy = RetryPolicy {
        batch_tries: 10,
        call_tries: 10,
        transaction_tries: 10,
        throttled: Backoff {
            first: Duration::from_millis(100),
            longest: Duration::from_secs(2),
        },
    };

    /// Whether a throttled call is repeated beyond the SDK's own tries.
    pub(crate) fn repeats_throttled_calls(&self) -> bool {
        self.call_tries > 1
    }
}

/// Why a change of a record was not written.
#[derive(Debug)]
pub enum ChangeError {
    /// The record changed since it was read: the change is repeated on the new version.
    Conflict,
    /// Another reason, which ends the change.
    Failed(ServiceError),
}

impl From<WriteError> for ChangeError {
    fn from(error: WriteError) -> ChangeError {
        match error {
            WriteError::ConditionFailed(Reason::VersionConflict) => ChangeError::Conflict,
            error => ChangeError::Failed(error.into()),
        }
    }
}

impl From<TableError> for ChangeError {
    fn from(error: TableError) -> ChangeError {
        ChangeError::Failed(error.into())
    }
}

impl From<ServiceError> for ChangeError {
    fn from(error: ServiceError) -> ChangeError {
        ChangeError::Failed(error)
    }
}

impl From<FieldErrors> for ChangeError {
    fn from(field_errors: FieldErrors) -> ChangeError {
        ChangeError::Failed(field_errors.into())
    }
}

impl Table {
    /// Changes a record. `write` makes the change on the version that it is given, on the condition
    /// that it is still the current one; as long as it is not, `load` reads the record again. Fails
    /// with a contended error after 32 tries or 12 s.
    pub async fn retry_on_conflict<R, T, L, W>(
        &self,
        record: R,
        load: impl Fn() -> L,
        write: impl Fn(R) -> W,
    ) -> Result<T, ServiceError>
    where
        L: Future<Output = Result<R, ServiceError>>,
        W: Future<Output = Result<T, ChangeError>>,
    {
        let started = Instant::now();
        let mut record = Some(record);
        for attempt in 1..=CHANGE_TRIES_MAX {
            let current = match record.take() {
                Some(record) => record,
                None => Box::pin(load()).await?,
            };
            // In boxes, so that the futures of requests stay small.
            match Box::pin(write(current)).await {
                Ok(written) => return Ok(written),
                Err(ChangeError::Failed(error)) => return Err(error),
                Err(ChangeError::Conflict) if started.elapsed() >= CHANGE_TIME_MAX => break,
                Err(ChangeError::Conflict) => self.pause(CHANGE, attempt).await,
            }
        }
        Err(ServiceError::contended("others kept changing the record"))
    }

    /// Makes a call; repeats it like [`Table::retry`].
    pub(crate) async fn call<T, E, F>(&self, call: impl Fn() -> F) -> Result<T, TableError>
    where
        E: StdError + ProvideErrorMetadata + Send + Sync + 'static,
        F: Future<Output = Result<T, SdkError<E, HttpResponse>>>,
    {
        // In a box, so that the futures of requests stay small.
        self.retry(|| async { Box::pin(call()).await.map_err(TableError::from_sdk) })
            .await
    }

    /// Repeats a call while it meets transactions on the same items, or while DynamoDB throttles
    /// it, as often as the table's policy allows.
    pub(crate) async fn retry<T, F>(&self, call: impl Fn() -> F) -> Result<T, TableError>
    where
        F: Future<Output = Result<T, TableError>>,
    {
        let mut conflicts = 0;
        let mut throttled = 0;
        loop {
            let answer = call().await;
            let throttled_tries = match &answer {
                Err(TableError::Contended(_)) if conflicts + 1 < CONFLICT_TRIES_MAX => {
                    conflicts += 1;
                    self.pause_after_conflict(conflicts).await;
                    continue;
                }
                Err(TableError::Throttled(_)) => self.retries.call_tries,
                Err(TableError::TransactionThrottled(_)) => self.retries.transaction_tries,
                _ => return answer,
            };
            throttled += 1;
            if throttled == throttled_tries {
                return answer;
            }
            self.pause_after_throttling(throttled).await;
        }
    }

    /// Pauses before retry `attempt` (1-based) after a conflict.
    pub async fn pause_after_conflict(&self, attempt: u32) {
        self.pause(CONFLICT, attempt).await;
    }

    /// Pauses before retry `attempt` (1-based) after throttling.
    pub(crate) async fn pause_after_throttling(&self, attempt: u32) {
        self.pause(self.retries.throttled, attempt).await;
    }

    async fn pause(&self, backoff: Backoff, attempt: u32) {
        let longest = backoff
            .first
            .saturating_mul(2_u32.saturating_pow(attempt - 1))
            .min(backoff.longest);
        let longest_ms = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX);
        let drawn_ms = u64::from_be_bytes(self.env.random_bytes()) % longest_ms + 1;
        tokio::time::sleep(Duration::from_millis(drawn_ms)).await;
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::{cell::Cell, sync::Arc};

    use domain::{Clock, Env, Random, Timestamp};

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

    /// A table that answers nothing, with a clock that stands still and the same random bytes again
    /// and again.
    pub(crate) fn table() -> Table {
        let config = aws_sdk_dynamodb::Config::builder()
            .behavior_version_latest()
            .build();
        let env = Env::new(Arc::new(Fixed), Arc::new(Fixed));
        Table::new(
            aws_sdk_dynamodb::Client::from_conf(config),
            "table".to_owned(),
            env,
        )
    }

    /// Tries of a transaction that always fails so, the time they take, and the error.
    async fn tries(table: &Table, fail: impl Fn() -> TableError) -> (u32, Duration, TableError) {
        let started = Instant::now();
        let made = Cell::new(0);
        let call = || async {
            made.set(made.get() + 1);
            Err::<(), TableError>(fail())
        };
        let error = table.retry(call).await.expect_err("it always fails");
        (made.get(), started.elapsed(), error)
    }

    #[tokio::test(start_paused = true)]
    async fn throttled_request_gives_up_after_two_tries_and_job_after_seconds() {
        let throttled = || TableError::TransactionThrottled("throttled".into());
        let (made, pauses, error) = tries(&table(), throttled).await;
        assert_eq!(made, 2);
        assert!(pauses <= Duration::from_millis(20), "{pauses:?}");
        assert!(
            matches!(error, TableError::TransactionThrottled(_)),
            "{error}"
        );

        let (made, _, _) = tries(&table(), || {
            TableError::Throttled("throttled, after two tries of the SDK".into())
        })
        .await;
        assert_eq!(made, 1);

        let (made, pauses, _) = tries(&table().for_background_job(), throttled).await;
        assert_eq!(made, 10);
        assert!(
            pauses > Duration::from_secs(1) && pauses < Duration::from_secs(12),
            "{pauses:?}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn conflicting_transaction_is_tried_eight_times() {
        let (made, _, error) = tries(&table(), || TableError::Contended("conflict".into())).await;
        assert_eq!(made, CONFLICT_TRIES_MAX);
        assert!(matches!(error, TableError::Contended(_)), "{error}");
    }

    #[tokio::test(start_paused = true)]
    async fn change_is_repeated_on_what_is_loaded_until_it_is_written_or_fails() {
        let loaded = Cell::new(0);
        let load = || async {
            loaded.set(loaded.get() + 1);
            Ok(loaded.get())
        };
        let write = |wanted| {
            move |version| async move {
                if version == wanted {
                    Ok(version)
                } else {
                    Err(ChangeError::Conflict)
                }
            }
        };
        let table = table();

        assert_eq!(
            table.retry_on_conflict(0, &load, write(0)).await.ok(),
            Some(0)
        );
        assert_eq!(
            table.retry_on_conflict(0, &load, write(3)).await.ok(),
            Some(3)
        );
        let contended = table
            .retry_on_conflict(0, &load, write(0xffff))
            .await
            .expect_err("never written");
        assert_eq!(contended.kind, domain::ErrorKind::Contended);
        assert_eq!(loaded.get(), 3 + CHANGE_TRIES_MAX - 1);

        loaded.set(0);
        let slow = |_| async {
            tokio::time::sleep(Duration::from_secs(5)).await;
            Err::<(), _>(ChangeError::Conflict)
        };
        table
            .retry_on_conflict(0, &load, slow)
            .await
            .expect_err("never written");
        assert_eq!(loaded.get(), 2, "a change is not begun after 12 s");

        let fail = |_| async { Err::<(), _>(ServiceError::not_found().into()) };
        let failed = table
            .retry_on_conflict(0, &load, fail)
            .await
            .expect_err("it fails");
        assert_eq!(failed.kind, domain::ErrorKind::NotFound);
    }
}
