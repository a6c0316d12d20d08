//! Presigned uploads that replace the bytes of files: stored by space and id, with a lookup item as
//! files have.
//!
//! Invariants:
//! - An upload is no file: its sort key is not among those of files, and no list contains it.
//! - The transaction that gives its bytes to the file also ends the upload. An ended one remains
//!   until it expires, so that a repeated confirmation succeeds.

use domain::{
    files::File,
    id::{FileId, SpaceId},
    requests::Completion,
    settings::FileStatus,
    webhooks::WebhookMessage,
};
use serde::{Deserialize, Serialize};
use tracing::instrument;

use crate::{
    connection::FileRecords,
    errors::{Reason, WriteError},
    files::FileLookup,
    key::Key,
    spaces::SpaceResource,
    transaction::Transaction,
};

/// Time for which an ended upload remains, in milliseconds.
const ENDED_MS: i64 = 24 * 60 * 60 * 1_000;

/// A presigned upload that replaces the bytes of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReplacementUpload {
    /// The upload in the form of a file: pending, or active once it has ended.
    #[serde(flatten)]
    pub upload: File,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at_seconds: Option<i64>,
}

impl SpaceResource for ReplacementUpload {
    type Id = FileId;

    const KEY: fn(SpaceId, FileId) -> Key = Key::replacement;
    const LOOKUP_KEY: fn(FileId) -> Key = Key::file_lookup;
}

impl FileRecords<'_> {
    /// Creates the pending upload of a replacement.
    #[instrument(skip_all)]
    pub async fn create_replacement(
        self,
        upload: &File,
        completion: Option<&Completion>,
    ) -> Result<(), WriteError> {
        let lookup = FileLookup {
            space_id: Some(upload.space_id),
            expires_at_seconds: None,
        };
        let record = ReplacementUpload {
            upload: upload.clone(),
            expires_at_seconds: None,
        };

        let mut transaction = self.table.transaction();
        let key = Key::replacement(upload.space_id, upload.id);
        transaction.insert(key, &record, Reason::IdTaken);
        transaction.insert(Key::file_lookup(upload.id), &lookup, Reason::IdTaken);
        transaction.commit_with(completion).await
    }

    /// Replaces a file as [`FileRecords::change`] does, and ends the upload of its new bytes, if
    /// there is one.
    pub async fn change_by(
        self,
        from: &File,
        to: &File,
        webhooks: &[WebhookMessage],
        upload: Option<&File>,
    ) -> Result<u64, WriteError> {
        let to = &File {
            version: from.version + 1,
            ..to.clone()
        };

        let mut transaction = self.table.transaction();
        transaction.change_file(from, to);
        transaction.insert_webhook_messages(webhooks);
        if let Some(upload) = upload {
            transaction.end_replacement(upload, to);
        }
        transaction.commit().await?;
        Ok(to.version)
    }

    /// Deletes the upload of a replacement if it is still this version.
    #[instrument(skip_all)]
    pub async fn remove_replacement(self, upload: &File) -> Result<(), WriteError> {
        let mut transaction = self.table.transaction();
        let key = Key::replacement(upload.space_id, upload.id);
        transaction.delete_version(key, upload.version);
        transaction.delete(Key::file_lookup(upload.id));
        transaction.commit().await
    }
}

impl Transaction<'_> {
    fn end_replacement(&mut self, upload: &File, file: &File) {
        let expires_at_seconds = Some(self.now().plus_ms(ENDED_MS).seconds());
        let lookup = FileLookup {
            space_id: Some(upload.space_id),
            expires_at_seconds,
        };
        let ended = ReplacementUpload {
            upload: File {
                status: FileStatus::Active,
                revision: file.revision,
                version: upload.version + 1,
                ..upload.clone()
            },
            expires_at_seconds,
        };

        let key = Key::replacement(upload.space_id, upload.id);
        self.replace(key, &ended, upload.version);
        self.put(Key::file_lookup(upload.id), &lookup);
    }
}
