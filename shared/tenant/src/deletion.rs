//! Deletion of a space: announced to the purge first, then marked as deleted, then its keys.
//!
//! The transaction that marks the space frees its name. The keys' authentication items are deleted
//! before the request is answered, so a deletion that was confirmed leaves no key that works; where
//! the function dies before that, the purge deletes them.
//!
//! A space that is to be deleted only if it is empty is closed before it is looked at, and marked
//! only while it is still closed by the same deletion. Whoever stores a file looks at the space
//! after writing, and takes the file back where it is closed: so either the deletion sees the file,
//! or nobody was told that it is there, and no upload that was accepted is lost.

use domain::{DeleteLock, FieldError, Security, ServiceError};
use queue::{PurgeJob, PurgePass, Queue};
use tracing::instrument;

use crate::SpaceScope;

/// How long a space or a folder stays closed where its deletion does not get on, in milliseconds:
/// longer than a request works.
pub(crate) const CLOSED_MS: i64 = 35_000;
/// Seconds by which the announcement is kept back, so that the mark is there when it is read.
const ANNOUNCEMENT_SECONDS: i32 = 1;

impl SpaceScope {
    /// Deletes the space, if it is empty or `force` says so; the purge removes what is in it.
    #[instrument(skip_all)]
    pub async fn delete(
        mut self,
        force: bool,
        purge: &Queue<PurgeJob>,
    ) -> Result<(), ServiceError> {
        if force {
            self.mark(None, purge).await?;
        } else {
            self.mark_if_empty(purge).await?;
        }
        Ok(self
            .table
            .delete_space_authentication(self.record.id)
            .await?)
    }

    async fn mark_if_empty(&mut self, purge: &Queue<PurgeJob>) -> Result<(), ServiceError> {
        self.require_empty().await?;
        let token = self.table.env().ulid().to_string();
        self.close(&token).await?;

        let marked = match self.require_empty().await {
            Ok(()) => self.mark(Some(&token), purge).await,
            refused => refused,
        };
        if marked.is_err() {
            // Where this fails too, the space opens by itself.
            let _ = self.unlock(&token).await;
        }
        marked
    }

    /// Announces the deletion and marks the space as deleted; with a token, only while that one
    /// keeps it closed.
    async fn mark(
        &mut self,
        token: Option<&str>,
        purge: &Queue<PurgeJob>,
    ) -> Result<(), ServiceError> {
        let requested_at = self.now();
        let job = |pass| {
            (
                PurgeJob::Space {
                    space_id: self.record.id,
                    pass,
                    requested_at,
                },
                ANNOUNCEMENT_SECONDS,
            )
        };
        purge.send(&PurgePass::ALL.map(job)).await?;
        let mark = |space: &mut domain::Space, now| {
            let is_closed_by = |token| {
                space
                    .delete_lock
                    .as_ref()
                    .is_some_and(|lock| lock.token == token)
            };
            if token.is_some_and(|token| !is_closed_by(token) || !space.is_locked(now)) {
                return Err(ServiceError::contended(
                    "the deletion took so long that the space was open again",
                ));
            }
            space.deleted_at = Some(requested_at);
            // What it was for goes now; what is left of it only serves to find the rest.
            space.enabled = false;
            space.description = None;
            space.webhook_url = None;
            space.custom_domain = None;
            space.security = Security::default();
            Ok(())
        };
        self.change_if(mark).await
    }

    async fn close(&mut self, token: &str) -> Result<(), ServiceError> {
        let close = |space: &mut domain::Space, now| {
            if space.is_locked(now) {
                let field_error =
                    FieldError::Custom("must not be the id of a space that is being deleted");
                let expires_at = space.delete_lock.as_ref().map(|lock| lock.expires_at);
                return Err(ServiceError {
                    retry_after_seconds: expires_at.map(|expires_at| expires_at.seconds_after(now)),
                    ..ServiceError::conflict("The space is being deleted.", "id", field_error)
                });
            }
            space.delete_lock = Some(DeleteLock {
                token: token.to_owned(),
                expires_at: now.plus_ms(CLOSED_MS),
            });
            Ok(())
        };
        self.change_if(close).await
    }

    async fn unlock(&mut self, token: &str) -> Result<(), ServiceError> {
        let unlock = |space: &mut domain::Space, _| {
            space.delete_lock.take_if(|lock| lock.token == token);
            Ok(())
        };
        self.change_if(unlock).await
    }

    async fn require_empty(&self) -> Result<(), ServiceError> {
        if self.table.has_assets(self.record.id).await? {
            let message = "The space is not empty. Delete its files and folders first, or use force=true to delete everything.";
            return Err(ServiceError::conflict(
                message,
                "id",
                FieldError::Custom("must be the id of an empty space"),
            ));
        }
        Ok(())
    }

    /// Refuses files while the space is disabled, or it is being decided whether it is deleted.
    pub fn require_uploads(&self) -> Result<(), ServiceError> {
        if self.record.is_locked(self.now()) {
            return Err(closed());
        }
        if !self.record.enabled {
            return Err(ServiceError::forbidden(
                "This space is disabled and does not accept uploads.",
            ));
        }
        Ok(())
    }
}

/// The refusal of files by a space of which it is being decided whether it is deleted: a moment
/// later it is, or is not.
pub(crate) fn closed() -> ServiceError {
    ServiceError {
        message: "The space is being deleted. Please try again.".into(),
        ..ServiceError::contended("the space is closed by a deletion")
    }
}
