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
//! - A module uses only those before it: `spaces`, `requests`, `keys`, `webhooks`, `folders`, `files`, `delivery`,
//!   `uploads`, `jobs`.

mod delivery;
mod files;
mod folders;
mod jobs;
mod keys;
mod requests;
mod spaces;
mod uploads;
mod webhooks;

pub use bucket::{
    BucketError, NewRendition, ObjectHead, ObjectReader, Payload, RenditionInfo, ResponseHeaders,
    StoredRendition,
};
pub use delivery::{
    AccessContext, AccessGrant, AnonymousLimits, AuthorizedFile, Delivery, FileObjects, GoneBytes,
    NewFolderSecurity, NewSecurity, PresignedRead, ResolvedFile, UrlSignature, collect,
};
pub use files::{DeletionQueues, FileBucket, Files, RestoredFile, require_untrashed};
pub use folders::{
    FolderChains, FolderMove, FolderSelector, Folders, NewFolder, Placement, ResolvedFolder,
};
pub use jobs::{JobLimits, JobTime, Purge, PurgeOutcome, Sweep, SweepOutcome};
pub use keys::{Account, Accounts, Bootstrap, CreatedKey, Keys, NewKey, bootstrap, recover_key};
pub use queue::{
    ConfirmCheck, DelayedJob, Job, MAX_DELAY_SECONDS, ProcessingJob, PurgeJob, PurgePass, Queue,
    SweepJob, WebhookJob, recheck_delay_seconds,
};
pub use requests::{Authentication, Requests};
pub use spaces::{Caller, ListedSpace, Scoped, SpaceLists, SpaceRole, SpaceScope, Spaces, Tenants};
pub use table::{
    files::{FileInSpace, ReplacementUpload},
    requests::{AnonymousCount, RESERVATION_LEASE_MS},
    webhooks::{HostReaction, WebhookClaim},
};
pub use uploads::{
    ActivationOutcome, Announced, CONFIG_READ_ROLE, NewContent, NewFile, PRESIGNED_URL_LIFETIME_MS,
    PendingFile, PendingRecord, PendingUploads, PresignRequest, PresignedUpload, RequestOrigin,
    StagedCopy, StagedCopyOutcome, UnverifiedUpload, UploadConfigs, UploadScope, UploadStorage,
    UploadTargets, UploadedFiles, Uploads, VerifiedUpload, name_taken, replaced_by,
    require_replaceable,
};
pub use webhooks::{WebhookMessageInSpace, WebhookMessages, Webhooks};
