//! Presigned uploads: creation of a pending file, and the URL that its bytes are sent to.

use std::time::Duration;

use bucket::{ObjectKey, PutGrant};
use domain::{
    env::Timestamp, errors::ServiceError, files::File, id::FileId, requests::Completion,
    settings::FileStatus,
};
use queue::{ConfirmCheck, DelayedJob, MAX_DELAY_SECONDS, Queue};
use table::{errors::WriteError, files::NewFileRecords};
use tracing::instrument;

use super::{Uploads, replaced_by};

/// Lifetime of a presigned upload URL from the creation of its file, in milliseconds: an hour. The
/// last pass of a purge starts later.
pub const PRESIGNED_URL_LIFETIME_MS: i64 = 60 * 60 * 1_000;
/// Time after which an unconfirmed file is checked, in milliseconds.
const CHECK_DELAY_MS: i64 = 2 * PRESIGNED_URL_LIFETIME_MS;

/// What a presigned upload URL allows.
#[derive(Clone, Copy, Debug)]
pub struct PresignRequest<'a> {
    pub file: FileId,
    /// Content type of the upload.
    pub content_type: &'a str,
    /// Exact size of the upload, in bytes.
    pub size_bytes: u64,
    /// Start of the lifetime.
    pub now: Timestamp,
    /// Lifetime of the URL, unless the signing credentials expire earlier.
    pub lifetime: Duration,
}

/// A presigned upload URL. Not `Debug`: everyone who has the URL may upload.
#[derive(Clone)]
pub struct PresignedUpload {
    pub url: String,
    /// Remaining lifetime, in whole seconds.
    pub lifetime: Duration,
    /// Key of the uploaded object.
    pub object_key: String,
}

impl Uploads<'_> {
    /// Creates a pending file. Before that, sends the job that later checks the file, so that no
    /// pending file is forgotten. Fails with 429 if the client of an unsigned upload presigned too
    /// many in this hour, and with 503 if no URL for the file could be signed.
    #[instrument(skip_all)]
    pub async fn create_pending(
        self,
        file: &File,
        checks: &Queue<ConfirmCheck>,
        completion: Option<&Completion>,
    ) -> Result<(), ServiceError> {
        if file.status != FileStatus::Pending {
            return Err(ServiceError::internal("the file is not pending"));
        }
        self.bucket.require_url_credentials().await?;

        let check = ConfirmCheck {
            space_id: file.space_id,
            file_id: file.id,
            is_replacement: replaced_by(file).is_some(),
            due_at: file.created_at.plus_ms(CHECK_DELAY_MS),
        };
        checks
            .send(&[DelayedJob {
                job: check,
                delay_seconds: MAX_DELAY_SECONDS,
            }])
            .await?;

        if replaced_by(file).is_some() {
            return self.write_replacement(file, completion).await;
        }
        let new = NewFileRecords {
            files: std::slice::from_ref(file),
            ..NewFileRecords::default()
        };
        let quota = file.pending_quota(file.created_at);
        let written = self.write_records(new, quota.as_ref(), completion).await;
        written.map_err(|failed| failed.error)
    }

    /// Writes the record of an upload that replaces the bytes of a file. If that is deleted
    /// meanwhile, the check removes the upload.
    async fn write_replacement(
        self,
        upload: &File,
        completion: Option<&Completion>,
    ) -> Result<(), ServiceError> {
        let files = self.space.table.files();
        match files.create_replacement(upload, completion).await {
            Err(WriteError::Failed(error)) => {
                let uploads = std::slice::from_ref(upload);
                let reservation = completion.map(|completion| &completion.reservation);
                let exists = files.resolve_unknown_commit(uploads, reservation).await;
                if exists? { Ok(()) } else { Err(error.into()) }
            }
            written => Ok(written?),
        }
    }

    /// Returns a URL to which the bytes of a pending file can be sent.
    pub async fn presign(
        self,
        request: PresignRequest<'_>,
    ) -> Result<PresignedUpload, ServiceError> {
        let key = ObjectKey::staged(self.space.record.id, request.file);
        let grant = PutGrant {
            content_type: request.content_type,
            size_bytes: request.size_bytes,
            now: request.now,
            lifetime: request.lifetime,
        };

        let presigned = self.bucket.presign_put(&key, grant).await?;
        Ok(PresignedUpload {
            url: presigned.url,
            lifetime: presigned.lifetime,
            object_key: key.as_str().to_owned(),
        })
    }
}
