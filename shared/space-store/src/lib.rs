//! Tenant-scoped access to DynamoDB, S3 and SQS.
//!
//! Invariants:
//! - This is the only crate that reads and writes through `table`, `bucket` and `queue`; `runtime`
//!   only opens them.
//! - A [`SpaceScope`] exists only for an authorized [`Caller`], a verified [`UploadScope`], a valid
//!   confirm token, or a background job. It reads and writes only its own space.
//! - Reads outside of a scope are limited to authentication, the lookup of the space that an id
//!   belongs to, delivery's lookup of a storage path, and the lists of a space key's own space
//!   ([`SpaceLists`]), which are returned with a scope only.
//! - Only the background jobs [`Purge`], [`PendingUploads`], [`UploadedFiles`], [`Webhooks`] and [`Sweep`] reach all
//!   spaces.

mod account;
mod activation;
mod anonymous_variants;
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
mod presigned_uploads;
mod purge;
mod space_lists;
mod space_scope;
mod spaces;
mod staged_copies;
mod sweep;
mod unsigned_uploads;
mod upload_config_lists;
mod upload_configs;
mod upload_scope;
mod upload_storage;
mod uploaded_files;
mod variants;
mod watermarks;
mod webhook_log;
mod webhooks;

pub use account::Account;
pub use activation::{ActivationOutcome, name_taken};
pub use anonymous_variants::AnonymousLimits;
pub use authorized_file::{AccessContext, AccessGrant, AuthorizedFile, ResolvedFile, UrlSignature};
pub use bootstrap::{Bootstrap, bootstrap, recover_key};
pub use bucket::{
    BucketError, ObjectHead, ObjectReader, Payload, ResponseHeaders, StoredVariant, VariantInfo,
};
pub use caller::{Caller, SpaceRole};
pub use file_store::{FileBucket, FileStore, NewFile};
pub use files::DeletionQueues;
pub use folder_chains::FolderChains;
pub use folder_targets::{FolderSelector, Placement};
pub use folders::{FolderMove, FolderSetting, NewFolder, ResolvedFolder};
pub use job_limits::{JobLimits, JobTime};
pub use keys::{CreatedKey, Keys, NewKey};
pub use pending_uploads::PendingUploads;
pub use presigned_uploads::{PRESIGNED_URL_LIFETIME_MS, PresignRequest, PresignedUpload};
pub use purge::{Purge, PurgeOutcome};
pub use queue::{
    ConfirmCheck, DelayedJob, Job, MAX_DELAY_SECONDS, ProcessingJob, PurgeJob, PurgePass, Queue,
    SweepJob, WebhookJob, recheck_delay_seconds,
};
pub use space_lists::SpaceLists;
pub use space_scope::{Scoped, SpaceScope};
pub use spaces::ListedSpace;
pub use staged_copies::{StagedCopy, StagedCopyOutcome};
pub use sweep::{Sweep, SweepOutcome};
pub use table::{AnonymousCount, FileInSpace, HostReaction, RESERVATION_LEASE_MS, WebhookClaim};
pub use unsigned_uploads::{RequestOrigin, UnverifiedUpload};
pub use upload_configs::CONFIG_READ_ROLE;
pub use upload_scope::{Selected, UploadScope, VerifiedUpload};
pub use upload_storage::{Announced, UploadStorage};
pub use uploaded_files::UploadedFiles;
pub use variants::{NewVariant, PresignedRead, collect};
pub use watermarks::{NewFolderSecurity, NewSecurity};
pub use webhooks::{DeliveryInSpace, Webhooks};

use caches::{ActiveConfigCache, AncestorCache};
use domain::{
    IdempotencyReservation, KeySecret, RateLimit, RateLimitStatus, ReservationOutcome, ServiceError,
};
use table::{KeyCheck, Table};

/// Access to all spaces. A [`Caller`] reaches one of them through a [`SpaceScope`], and the lists of a
/// space key's own space through [`SpaceLists`].
#[derive(Clone, Debug)]
pub struct Tenants {
    table: Table,
    ancestors: AncestorCache,
    active_configs: ActiveConfigCache,
}

/// Outcome of the authentication of a request with a key.
#[derive(Clone, Copy, Debug)]
pub enum Authentication {
    /// The key is unknown, revoked or expired.
    InvalidKey,
    /// The key has no requests left in this minute.
    RateLimited(RateLimitStatus),
    /// The request is counted.
    Authenticated {
        caller: Caller,
        /// The remaining requests of the key.
        rate_limit: RateLimitStatus,
    },
}

impl Tenants {
    /// Creates access to the spaces in a table, with empty caches.
    pub fn new(table: Table) -> Tenants {
        Tenants {
            table,
            ancestors: AncestorCache::default(),
            active_configs: ActiveConfigCache::default(),
        }
    }

    /// Authenticates a request by its key and counts it against the key's rate limit.
    pub async fn authenticate_and_count(
        &self,
        secret: &KeySecret,
        limit: RateLimit,
    ) -> Result<Authentication, ServiceError> {
        let check = self
            .table
            .keys()
            .authenticate_and_count(&secret.hash(), limit)
            .await?;
        Ok(match check {
            KeyCheck::InvalidKey => Authentication::InvalidKey,
            KeyCheck::RateLimited(rate_limit) => Authentication::RateLimited(rate_limit),
            KeyCheck::Counted { key, rate_limit } => Authentication::Authenticated {
                caller: Caller::new(key.key_id, key.scope),
                rate_limit,
            },
        })
    }

    /// Authenticates a request without counting it. Returns `None` if the key is unknown, revoked or
    /// expired.
    pub async fn authenticate(&self, secret: &KeySecret) -> Result<Option<Caller>, ServiceError> {
        let key = self.table.keys().authenticate(&secret.hash()).await?;
        Ok(key.map(|key| Caller::new(key.key_id, key.scope)))
    }

    /// Counts a request of an anonymous client, unless its limit for this minute is reached.
    pub async fn count_anonymous_request(
        &self,
        client: &str,
        limit: RateLimit,
    ) -> Result<AnonymousCount, ServiceError> {
        Ok(self
            .table
            .rates()
            .count_anonymous_request(client, limit)
            .await?)
    }

    /// Reserves the request with this idempotency key and payload. Both are opaque hashes.
    pub async fn reserve(
        &self,
        request_hash: &str,
        payload: &str,
    ) -> Result<ReservationOutcome, ServiceError> {
        Ok(self
            .table
            .idempotency()
            .reserve(request_hash, payload)
            .await?)
    }

    /// Releases the reservation of a request that failed.
    pub async fn release(&self, reservation: &IdempotencyReservation) -> Result<(), ServiceError> {
        Ok(self.table.idempotency().release(reservation).await?)
    }
}
