//! Replacement of the bytes of active files, by a request or by a presigned upload. The upload has
//! a record that is no file, with an id of its kind.
//!
//! Invariants:
//! - The new bytes are stored under their own revision. One write gives it to the file, so a reader
//!   gets the old bytes or the new ones.
//! - The write applies to the current version of the record. Of concurrent replacements, the last
//!   one remains; a change of other fields is kept; a deletion ends both.
//! - The job that deletes what a replacement leaves behind is sent before anything is stored. A
//!   failed attempt deletes nothing: its write may still take effect.

use bucket::Payload;
use domain::{
    env::Timestamp,
    errors::{FieldError, ServiceError},
    files::{File, ProcessedMedia, StoredContent},
    id::FileId,
    settings::FileStatus,
    uploads::UploadRules,
};
use futures::future;
use table::{change::ChangeError, errors::WriteError};
use tracing::instrument;

use super::{ActivationOutcome, Announced, PendingFile, Uploads, staged_copies::staged_key};
use crate::files::require_untrashed;

/// Validated bytes that replace those of a file.
#[derive(Clone, Debug)]
pub struct NewContent {
    pub content: StoredContent,
    pub payload: Payload,
}

/// A replacement whose jobs are sent and whose bytes are stored.
pub(super) struct Replacement<'a> {
    pub(super) uploads: Uploads<'a>,
    pub(super) content: StoredContent,
    /// The results of the processing, if they are known already.
    pub(super) media: Option<ProcessedMedia>,
    pub(super) announced: Announced,
    pub(super) at: Timestamp,
}

/// The records that a replacement writes.
struct Records {
    /// The file; `None` if it was deleted.
    file: Option<File>,
    /// The upload that has the bytes; `None` for those of a request, and if it was removed.
    upload: Option<File>,
}

/// Returns the id of the file whose bytes an upload replaces; `None` if it becomes a file itself.
pub fn replaced_by(upload: &File) -> Option<FileId> {
    upload.pending_upload.as_ref()?.replaces
}

/// Returns a file as it is announced, before its new bytes are known.
pub(super) fn replacing(file: &File, now: Timestamp) -> File {
    File {
        media: None,
        replaced_at: Some(now),
        ..file.clone()
    }
}

/// Fails with 409 unless the bytes of a file can be replaced. `field` is what names the file.
pub fn require_replaceable(file: &File, field: &str) -> Result<(), ServiceError> {
    require_untrashed(file)?;
    if file.status == FileStatus::Active {
        return Ok(());
    }
    Err(ServiceError::conflict(
        "This file is not active yet. Confirm its upload first.",
        field,
        FieldError::Custom("must be the id of an active file"),
    ))
}

impl Uploads<'_> {
    /// Replaces the bytes of a file by bytes that comply with these rules. Fails with 404 if the
    /// file was deleted.
    #[instrument(skip_all)]
    pub async fn replace(
        self,
        file: File,
        new: NewContent,
        rules: &UploadRules,
    ) -> Result<File, ServiceError> {
        let NewContent { content, payload } = new;
        let at = self.space.now();
        let media =
            (!content.media_type.resource_type.has_metadata()).then(ProcessedMedia::default);
        let mut replaced = file.clone();
        replaced.replace(content.clone(), at);
        replaced.media.clone_from(&media);

        let sent = future::join(
            self.storage
                .announce_replacement(&file, content.revision, at),
            self.storage
                .announce(self.space, std::slice::from_ref(&replaced), rules),
        );
        // Boxed to keep the futures of requests small.
        let (purge, announced) = Box::pin(sent).await;
        purge?;
        let announced = announced?;
        self.put(&replaced, payload).await?;

        let id = file.id;
        let records = Records {
            file: Some(file),
            upload: None,
        };
        let load = || async {
            Ok(Records {
                file: self.space.files().get(id).await?,
                upload: None,
            })
        };
        let replacement = Replacement {
            uploads: self,
            content,
            media,
            announced,
            at,
        };
        let written = self
            .space
            .table
            .retry_on_conflict(records, load, |found| replacement.write(found))
            .await?;
        written.ok_or_else(ServiceError::not_found)
    }
}

impl PendingFile<'_> {
    /// Sends the job that deletes what the replacement leaves behind, before it stores anything.
    /// Returns `false` if the client has sent no bytes. Does nothing for an upload that becomes a
    /// file.
    pub async fn announce_storage(self) -> Result<bool, ServiceError> {
        let Some(replaced) = self.replaced else {
            return Ok(true);
        };

        let Uploads {
            space,
            bucket,
            storage,
        } = self.uploads;

        // Clients may ask again and again until they have sent all bytes.
        let staged = bucket.head_with_prefix(&staged_key(self.file), 1).await?;
        if staged.is_none() {
            return Ok(false);
        }

        storage
            .announce_replacement(replaced, self.revision, space.now())
            .await?;
        Ok(true)
    }

    /// Gives validated and stored bytes to the file that they are to replace those of.
    pub(super) async fn replace(
        self,
        replaced: &File,
        content: StoredContent,
        announced: Announced,
    ) -> Result<ActivationOutcome, ServiceError> {
        let space = self.uploads.space;
        let records = Records {
            file: Some(replaced.clone()),
            upload: Some(self.file.clone()),
        };
        let load = || async {
            let (file, upload) =
                future::try_join(space.files().get(replaced.id), self.reload()).await?;
            Ok(Records { file, upload })
        };

        let replacement = Replacement {
            uploads: self.uploads,
            content,
            media: None,
            announced,
            at: space.now(),
        };
        let write = |found: Records| {
            let is_open = |upload: &File| upload.status == FileStatus::Pending;
            let is_over = !found.upload.as_ref().is_some_and(is_open);
            let replacement = &replacement;
            async move {
                // Another confirmation has replaced the bytes, or a check has removed the upload.
                if is_over {
                    return Ok(found.upload.and(found.file));
                }
                replacement.write(found).await
            }
        };

        let written = space.table.retry_on_conflict(records, load, write).await?;
        Ok(written.into())
    }
}

impl Replacement<'_> {
    /// Gives the bytes to the current version of the file; `None` if it was deleted.
    async fn write(&self, found: Records) -> Result<Option<File>, ChangeError> {
        let Records { file, upload } = found;
        let Some(from) = file.filter(|file| file.status == FileStatus::Active) else {
            return Ok(None);
        };
        if self.is_written(&from) {
            return Ok(Some(from));
        }

        let mut to = from.clone();
        to.replace(self.content.clone(), self.at);
        to.media.clone_from(&self.media);
        to.record_activation_snapshot(&from);
        to.updated_at = self.at;
        let webhooks = self
            .announced
            .webhook_messages(std::slice::from_ref(&to), self.at)?;

        let files = self.uploads.space.table.files();
        match files
            .change_by(&from, &to, &webhooks, upload.as_ref())
            .await
        {
            Ok(version) => Ok(Some(File { version, ..to })),
            Err(WriteError::Failed(error)) => {
                let found = self.uploads.space.files().get(from.id).await;
                match found {
                    Ok(Some(file)) if self.is_written(&file) => Ok(Some(file)),
                    _ => Err(error.into()),
                }
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Whether an attempt whose response was lost has given the bytes to the file.
    fn is_written(&self, file: &File) -> bool {
        file.revision == Some(self.content.revision)
    }
}
