//! What one caller may reach: a space's records and objects together, and nothing of any other
//! space.
//!
//! Invariants: this is the only crate that uses `table`, `bucket` and `queue`; a [`SpaceScope`] is had
//! only for a [`Caller`] that may know of it, or as a verified [`UploadScope`], and everything it
//! reads or writes is its own. The reads that are not scoped to a space are [`Tenants::admit`],
//! [`Tenants::authenticate`], the look-up of whose a bare id is, and delivery's of a path; and the
//! [`Purge`], the [`PendingUploads`] of presigned uploads and the [`Sweep`] are nobody's requests.

mod account;
mod authorized_file;
mod bootstrap;
mod caches;
mod caller;
mod deletion;
mod file_store;
mod files;
mod folder_chains;
mod folder_deletion;
mod folder_targets;
mod folders;
mod job_limits;
mod keys;
mod pending_uploads;
mod purge;
mod space_scope;
mod spaces;
mod sweep;
mod upload_configs;
mod upload_scope;

pub use account::Account;
pub use authorized_file::{AccessContext, AuthorizedFile, Grant, ResolvedFile};
pub use bootstrap::{BootstrapKey, bootstrap};
pub use bucket::{ObjectHead, ObjectReader, Payload, ResponseHeaders};
pub use caller::Caller;
pub use file_store::{FileBucket, FileStore, NewFile};
pub use folder_chains::FolderChains;
pub use folder_targets::{FolderSelector, Placement};
pub use folders::{FolderMove, FolderSetting, ResolvedFolder};
pub use job_limits::{JobLimits, JobTime};
pub use keys::{Keys, NewKey};
pub use pending_uploads::{
    PRESIGNED_URL_LIFETIME_MS, PendingUploads, Presigned, StagedCopy, StagedCopyOutcome,
};
pub use purge::{Purge, PurgeOutcome};
pub use queue::{ConfirmCheck, DELAY_MAX_SECONDS, PurgeJob, PurgePass, Queue, SweepJob};
pub use space_scope::SpaceScope;
pub use sweep::{Sweep, SweepOutcome};
pub use upload_configs::CONFIG_READ_ROLE;
pub use upload_scope::{RequestOrigin, UnverifiedUpload, UploadScope};

use caches::{ActiveConfigHints, AncestorCache};
use domain::{
    IdempotencyReservation, KeySecret, RateLimit, RateLimitStatus, ReservationOutcome, ServiceError,
};
use table::{KeyCheck, Table};

/// Every space's records; the way to one of them is through a [`Caller`].
#[derive(Clone, Debug)]
pub struct Tenants {
    table: Table,
    hints: AncestorCache,
    active_configs: ActiveConfigHints,
}

/// Outcome of the authentication of a request with a key.
#[derive(Clone, Copy, Debug)]
pub enum Authentication {
    /// The key is unknown, revoked or expired.
    UnknownKey,
    /// The key has no requests left in this minute.
    RateLimited(RateLimitStatus),
    /// The request is counted.
    Authenticated {
        /// The caller.
        caller: Caller,
        /// What is left of the key's requests.
        rate_limit: RateLimitStatus,
    },
}

impl Tenants {
    /// The records in this table.
    pub fn new(table: Table) -> Tenants {
        Tenants {
            table,
            hints: AncestorCache::default(),
            active_configs: ActiveConfigHints::default(),
        }
    }

    /// Authenticates a request by its key and counts it against the key's rate limit.
    pub async fn authenticate_and_count(
        &self,
        secret: &KeySecret,
        limit: RateLimit,
    ) -> Result<Authentication, ServiceError> {
        Ok(
            match self
                .table
                .authenticate_and_count(&secret.hash(), limit)
                .await?
            {
                KeyCheck::UnknownKey => Authentication::UnknownKey,
                KeyCheck::RateLimited(rate_limit) => Authentication::RateLimited(rate_limit),
                KeyCheck::Counted { key, rate_limit } => Authentication::Authenticated {
                    caller: Caller::new(key.key_id, key.scope),
                    rate_limit,
                },
            },
        )
    }

    /// Authenticates a request without counting it. Returns `None` if the key is unknown, revoked or
    /// expired.
    pub async fn authenticate(&self, secret: &KeySecret) -> Result<Option<Caller>, ServiceError> {
        let key = self.table.authenticate(&secret.hash()).await?;
        Ok(key.map(|key| Caller::new(key.key_id, key.scope)))
    }

    /// Reserves a request that is to be done once; mark and payload are opaque.
    pub async fn reserve(
        &self,
        mark: &str,
        payload: &str,
    ) -> Result<ReservationOutcome, ServiceError> {
        Ok(self.table.reserve(mark, payload).await?)
    }

    /// Releases the reservation of a request that failed.
    pub async fn release(&self, reservation: &IdempotencyReservation) -> Result<(), ServiceError> {
        Ok(self.table.release(reservation).await?)
    }
}
