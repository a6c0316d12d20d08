//! Changes of records with optimistic concurrency.

use std::time::Duration;

use domain::errors::{FieldErrors, ServiceError};
use tokio::time::Instant;

use crate::{
    connection::{Table, retry::Backoff},
    errors::{Reason, TableError, WriteError},
};

/// Maximum tries of a change of a record.
const MAX_CHANGE_TRIES: u32 = 32;
/// Time after which a change is not tried again: early enough to respond before the function's
/// deadline.
const MAX_CHANGE_TIME: Duration = Duration::from_secs(12);
/// Backoff after a change of an outdated version.
const CHANGE_BACKOFF: Backoff = Backoff {
    initial: Duration::from_millis(5),
    max: Duration::from_millis(80),
};

/// Why a change of a record was not written.
#[derive(Debug)]
pub enum ChangeError {
    /// The record changed since it was read. The change is repeated on the new version.
    Conflict,
    /// Any other failure. The change is not repeated.
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
    /// Changes a record with optimistic concurrency. `write` writes the change of a version on the
    /// condition that this version is current. On a conflict, `load` reads the current version and
    /// `write` is called again. Fails with a contended error after 32 tries or 12 s.
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
        let mut next = Some(record);

        for attempt in 1..=MAX_CHANGE_TRIES {
            let current = match next.take() {
                Some(record) => record,
                None => Box::pin(load()).await?,
            };
            // Boxed to keep the futures of requests small.
            match Box::pin(write(current)).await {
                Ok(written) => return Ok(written),
                Err(ChangeError::Failed(error)) => return Err(error),
                Err(ChangeError::Conflict) if started.elapsed() >= MAX_CHANGE_TIME => break,
                Err(ChangeError::Conflict) => self.back_off(CHANGE_BACKOFF, attempt).await,
            }
        }
        Err(ServiceError::contended(
            "concurrent requests kept changing the record",
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::connection::retry::tests::table;

    /// Returns a write that succeeds only for one version.
    fn write_version(wanted: u32) -> impl Fn(u32) -> std::future::Ready<Result<u32, ChangeError>> {
        move |version| {
            std::future::ready(if version == wanted {
                Ok(version)
            } else {
                Err(ChangeError::Conflict)
            })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn change_is_repeated_on_the_loaded_version_until_it_is_written() {
        let loads = Cell::new(0);
        let load = || async {
            loads.set(loads.get() + 1);
            Ok(loads.get())
        };
        let table = table();

        let first = table.retry_on_conflict(0, &load, write_version(0)).await;
        let fourth = table.retry_on_conflict(0, &load, write_version(3)).await;

        assert_eq!(first.ok(), Some(0));
        assert_eq!(fourth.ok(), Some(3));
        assert_eq!(loads.get(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn change_fails_as_contended_after_its_last_try() {
        let loads = Cell::new(0);
        let load = || async {
            loads.set(loads.get() + 1);
            Ok(loads.get())
        };

        let contended = table()
            .retry_on_conflict(0, &load, write_version(u32::MAX))
            .await
            .expect_err("no version can be written");

        assert_eq!(contended.kind, domain::errors::ErrorKind::Contended);
        assert_eq!(loads.get(), MAX_CHANGE_TRIES - 1);
    }

    #[tokio::test(start_paused = true)]
    async fn change_is_not_repeated_after_12_seconds() {
        let loads = Cell::new(0);
        let load = || async {
            loads.set(loads.get() + 1);
            Ok(loads.get())
        };
        let write_slowly = |_| async {
            tokio::time::sleep(Duration::from_secs(5)).await;
            Err::<(), _>(ChangeError::Conflict)
        };

        table()
            .retry_on_conflict(0, &load, write_slowly)
            .await
            .expect_err("no version can be written");

        assert_eq!(loads.get(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn change_that_fails_for_another_reason_is_not_repeated() {
        let load = || async { Ok(0) };
        let fail = |_| async { Err::<(), _>(ServiceError::not_found().into()) };

        let failed = table()
            .retry_on_conflict(0, &load, fail)
            .await
            .expect_err("the change fails");

        assert_eq!(failed.kind, domain::errors::ErrorKind::NotFound);
    }
}
