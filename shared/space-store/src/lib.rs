//! Tenant-scoped access to DynamoDB, S3 and SQS.
//!
//! Invariants:
//! - This is the only crate that reads and writes through `table`, `bucket` and `queue`; `runtime`
//!   only opens them, and hides the messages that a worker returns to its queue.
//! - A [`SpaceScope`](spaces::SpaceScope) exists only for an authorized [`Caller`](spaces::Caller),
//!   a verified [`UploadScope`](uploads::UploadScope), a valid confirm token, or a background job.
//!   It reads and writes only its own space.
//! - Reads outside of a scope are limited to authentication, the lookup of the space that an id
//!   belongs to, delivery's lookup of a storage path, and the lists of a space key's own space
//!   ([`SpaceLists`](spaces::SpaceLists)), which are returned with a scope only.
//! - Only the background jobs reach all spaces: `Purge`, `Sweep`, `PendingUploads`,
//!   `ProcessedFiles` and `Webhooks`.
//! - A module uses only those above it in the list below.

pub mod objects;

pub mod spaces;

pub mod requests;

pub mod keys;

pub mod webhooks;

pub mod folders;

pub mod files;

pub mod delivery;

pub mod uploads;

pub mod jobs;
