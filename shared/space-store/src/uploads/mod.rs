//! Uploads: their scopes and configs, the storage of their bytes and records, and the jobs that
//! follow.
//!
//! Invariants:
//! - Objects are stored before records, so an active record always has its bytes.
//! - Files become active only after their jobs were sent.

mod activation;
mod all_configs;
mod anonymous;
mod configs;
mod pending;
mod presigned;
mod processing;
mod quota;
mod replacement;
mod scopes;
mod staged_copies;
mod storage;
mod store;
mod unsigned;

pub use activation::{ActivationOutcome, name_taken};
pub use configs::{CONFIG_READ_ROLE, UploadConfigs};
pub use pending::{PendingFile, PendingRecord, PendingUploads};
pub use presigned::{PRESIGNED_URL_LIFETIME_MS, PresignRequest, PresignedUpload};
pub use processing::ProcessedFiles;
pub use replacement::{NewContent, replaced_by, require_replaceable};
pub use scopes::{PermittedUpload, UPLOAD_ROLE, UploadScope, UploadScopes};
pub use staged_copies::{StagedCopy, StagedCopyOutcome};
pub use storage::{Announced, UploadStorage};
pub use store::NewFile;
pub use table::files::ReplacementUpload;
pub use unsigned::{RequestOrigin, UnverifiedOrigin};

use bucket::Bucket;

use crate::spaces::SpaceScope;

/// The uploads to a space.
#[derive(Clone, Copy)]
pub struct Uploads<'a> {
    space: &'a SpaceScope,
    bucket: &'a Bucket,
    storage: &'a UploadStorage,
}

impl SpaceScope {
    pub fn uploads<'a>(&'a self, storage: &'a UploadStorage) -> Uploads<'a> {
        Uploads {
            space: self,
            bucket: &storage.bucket.0,
            storage,
        }
    }
}
