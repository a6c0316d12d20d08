//! Deletion of a space: purge jobs first, then the tombstone, then the keys.
//!
//! Invariants:
//! - The transaction that writes the tombstone frees the space's name.
//! - The keys' authentication items are deleted before the response, so no key works after a
//!   confirmed deletion. If the function stops before that, the purge deletes them.
//! - A deletion without `force` locks the space before it checks for the last time that the space
//!   is empty, and writes the tombstone only while it holds the lock. An upload reads the space
//!   after its write, and rolls back if the space is locked. So either the deletion sees the file,
//!   or the upload fails; no accepted upload is lost.

use domain::{
    env::Timestamp,
    errors::{FieldError, ServiceError},
    settings::{DeleteLock, Security},
};
use queue::{DelayedJob, PurgeJob, PurgePass, Queue};
use tracing::instrument;

use super::SpaceScope;

/// Lifetime of the lock of a space or a folder, in milliseconds: longer than a request takes. After
/// it, a deletion that crashed no longer blocks uploads.
pub(crate) const DELETE_LOCK_MS: i64 = 35_000;
/// Delay of a purge job, in seconds, so that the tombstone exists when the job is received.
pub(crate) const PURGE_DELAY_SECONDS: i32 = 1;

impl SpaceScope {
    /// Deletes the space. The purge deletes its contents later. Fails with 409 if the space is not
    /// empty, unless `force` is set.
    #[instrument(skip_all)]
    pub async fn delete(
        mut self,
        force: bool,
        purge: &Queue<PurgeJob>,
    ) -> Result<(), ServiceError> {
        if force {
            self.tombstone(None, purge).await?;
        } else {
            self.tombstone_if_empty(purge).await?;
        }
        self.table
            .keys()
            .delete_authentication(self.record.id)
            .await?;
        Ok(())
    }

    async fn tombstone_if_empty(&mut self, purge: &Queue<PurgeJob>) -> Result<(), ServiceError> {
        self.require_empty().await?;
        let token = self.table.env().ulid().to_string();
        self.lock_for_delete(&token).await?;

        let deleted = match self.require_empty().await {
            Ok(()) => self.tombstone(Some(&token), purge).await,
            not_empty => not_empty,
        };
        if deleted.is_err() {
            // If this fails too, the lock expires.
            let _ = self.unlock(&token).await;
        }
        deleted
    }

    /// Sends the purge jobs and writes the tombstone. With a token, fails if the space is not
    /// locked by this token.
    async fn tombstone(
        &mut self,
        token: Option<&str>,
        purge: &Queue<PurgeJob>,
    ) -> Result<(), ServiceError> {
        let requested_at = self.now();
        let job = |pass| DelayedJob {
            job: PurgeJob::Space {
                space_id: self.record.id,
                pass,
                requested_at,
            },
            delay_seconds: PURGE_DELAY_SECONDS,
        };
        purge.send(&PurgePass::ALL.map(job)).await?;

        let tombstone = |space: &mut domain::spaces::Space, now| {
            if token.is_some_and(|token| !is_locked_by(space, token, now)) {
                return Err(ServiceError::contended(
                    "the lock of the space expired before the deletion ended",
                ));
            }
            space.deleted_at = Some(requested_at);
            // The rest of the record only identifies what the purge deletes.
            space.enabled = false;
            space.description = None;
            space.webhook_url = None;
            space.custom_domain = None;
            space.security = Security::default();
            space.stored_watermark = None;
            Ok(())
        };
        self.try_change(tombstone).await
    }

    /// Locks the space for a deletion. Fails with 409 and `Retry-After` if it is locked already.
    async fn lock_for_delete(&mut self, token: &str) -> Result<(), ServiceError> {
        let lock = |space: &mut domain::spaces::Space, now: Timestamp| {
            if space.is_locked(now) {
                let ends_at = space.delete_lock.as_ref().map(|lock| lock.expires_at);
                let field_error =
                    FieldError::Custom("must not be the id of a space that is being deleted");
                return Err(ServiceError {
                    retry_after_seconds: ends_at.map(|ends_at| ends_at.seconds_after(now)),
                    ..ServiceError::conflict(
                        "The space is already being deleted. Retry after the number of seconds in Retry-After.",
                        "id",
                        field_error,
                    )
                });
            }

            space.delete_lock = Some(DeleteLock {
                token: token.to_owned(),
                expires_at: now.plus_ms(DELETE_LOCK_MS),
            });
            Ok(())
        };

        self.try_change(lock).await
    }

    /// Removes the lock with this token.
    async fn unlock(&mut self, token: &str) -> Result<(), ServiceError> {
        let unlock = |space: &mut domain::spaces::Space, _| {
            space.delete_lock.take_if(|lock| lock.token == token);
            Ok(())
        };
        self.try_change(unlock).await
    }

    async fn require_empty(&self) -> Result<(), ServiceError> {
        if !self
            .table
            .spaces()
            .has_files_or_folders(self.record.id)
            .await?
        {
            return Ok(());
        }
        Err(ServiceError::conflict(
            "The space is not empty. Delete its files and folders first, or use force=true to delete everything.",
            "id",
            FieldError::Custom("must be the id of an empty space"),
        ))
    }

    /// Fails if the space accepts no uploads: with 403 if it is disabled, with 503 if it is locked
    /// for a deletion.
    pub fn require_uploads(&self) -> Result<(), ServiceError> {
        if self.record.is_locked(self.now()) {
            return Err(space_locked());
        }
        if !self.record.enabled {
            return Err(ServiceError::forbidden(
                "This space is disabled and does not accept uploads.",
            ));
        }
        Ok(())
    }
}

fn is_locked_by(space: &domain::spaces::Space, token: &str, now: Timestamp) -> bool {
    let lock = space.delete_lock.as_ref();
    lock.is_some_and(|lock| lock.token == token) && space.is_locked(now)
}

/// Returns the error of uploads to a space that is locked for a deletion.
pub(crate) fn space_locked() -> ServiceError {
    ServiceError {
        message: "The space is being deleted. Retry after the number of seconds in Retry-After."
            .into(),
        ..ServiceError::contended("the space is locked for a deletion")
    }
}
