//! Activation of pending files whose bytes are validated and stored.
//!
//! Invariant: a file is activated once. An attempt that another one preceded deletes only its own
//! bytes.

use domain::{
    env::Timestamp,
    errors::{FieldError, ServiceError},
    files::{File, StoredContent},
    id::{FileId, Revision},
    settings::FileStatus,
    uploads::{UploadConfig, UploadConfigReference},
};
use table::{
    change::ChangeError,
    errors::{Reason, WriteError},
};
use tracing::instrument;

use super::{
    Announced, PendingFile, Uploads,
    quota::quota_error,
    replacement::{replaced_by, replacing},
    staged_copies::staged_key,
};

/// Outcome of the activation of a pending file.
#[derive(Debug)]
pub enum ActivationOutcome {
    /// The file is active, perhaps by another attempt.
    Active(Box<File>),
    /// The file was deleted.
    Deleted,
    /// Another file has the stored name. The file is still pending.
    NameTaken { name: String },
    /// The hourly quota of the unsigned upload is exhausted. The file is still pending.
    OverQuota(ServiceError),
    /// The bytes break the rules. The file is still pending.
    Rejected(FieldError),
}

impl From<Option<File>> for ActivationOutcome {
    fn from(found: Option<File>) -> ActivationOutcome {
        found.map_or(ActivationOutcome::Deleted, |file| {
            ActivationOutcome::Active(file.into())
        })
    }
}

/// Returns the error of a request whose file cannot have a stored name, since another file has it.
pub fn name_taken(name: &str) -> ServiceError {
    WriteError::ConditionFailed(Reason::PathTaken).of_file(name)
}

/// One attempt to activate a file.
struct Activation<'a> {
    uploads: Uploads<'a>,
    id: FileId,
    content: StoredContent,
    announced: Announced,
    at: Timestamp,
}

impl PendingFile<'_> {
    /// Sends the jobs that follow the activation of the file, by the current rules of its upload
    /// config, or by those of the presign request if the config was deleted.
    pub async fn announce(self) -> Result<Announced, ServiceError> {
        let Uploads { space, storage, .. } = self.uploads;
        let reference = UploadConfigReference::Id(self.file.upload_config_id);
        let config = space.upload_configs().get(Some(&reference)).await?;

        let max_uploads_per_hour = config.as_ref().and_then(UploadConfig::max_uploads_per_hour);
        let presigned = || self.file.pending_upload.as_ref();
        let rules = config
            .map(|config| config.config)
            .or_else(|| presigned().map(|presigned| presigned.rules.clone()))
            .unwrap_or_default();

        let file = File {
            revision: Some(self.revision),
            ..self.replaced.map_or_else(
                || self.file.clone(),
                |replaced| replacing(replaced, space.now()),
            )
        };
        let files = std::slice::from_ref(&file);
        let mut announced = storage.announce(space, files, &rules).await?;
        announced.max_uploads_per_hour = max_uploads_per_hour;
        Ok(announced)
    }

    /// Activates the announced file with validated and stored bytes, and counts an unsigned upload.
    /// The bytes of a replacement are given to its file. Keeps concurrent changes of the record. A
    /// failed attempt deletes the bytes, unless they may be in use.
    #[instrument(skip_all)]
    pub async fn activate(
        self,
        content: StoredContent,
        announced: Announced,
    ) -> Result<ActivationOutcome, ServiceError> {
        if let Some(replaced) = self.replaced {
            return self.replace(replaced, content, announced).await;
        }

        let space = self.uploads.space;
        let activation = Activation {
            uploads: self.uploads,
            id: self.file.id,
            content,
            announced,
            at: space.now(),
        };

        let load = || space.files().get(self.file.id);
        space
            .table
            .retry_on_conflict(Some(self.file.clone()), load, |found| {
                activation.activate(found)
            })
            .await
    }

    /// Deletes the file and its staged object if it is still pending. Returns `false` if it is
    /// not.
    #[instrument(skip_all)]
    pub async fn discard(self) -> Result<bool, ServiceError> {
        let Uploads { space, bucket, .. } = self.uploads;
        let remove = |found: Option<File>| async move {
            let Some(pending) = found.filter(|file| file.status == FileStatus::Pending) else {
                return Ok(false);
            };
            let files = space.table.files();
            if replaced_by(&pending).is_some() {
                files.remove_replacement(&pending).await?;
            } else {
                files.remove(&pending, &[]).await?;
            }
            Ok(true)
        };
        let is_removed = space
            .table
            .retry_on_conflict(Some(self.file.clone()), || self.reload(), remove)
            .await?;

        if is_removed && let Err(error) = bucket.delete(&staged_key(self.file)).await {
            // The bucket's lifecycle rule deletes staged objects later.
            tracing::warn!(file_id = %self.file.id, %error, "the staged object of a discarded file could not be deleted");
        }
        Ok(is_removed)
    }
}

impl Activation<'_> {
    fn revision(&self) -> Revision {
        self.content.revision
    }

    /// Activates the current version of the file if it is pending.
    async fn activate(&self, found: Option<File>) -> Result<ActivationOutcome, ChangeError> {
        let space = self.uploads.space;
        let mut file = match found {
            Some(pending) if pending.status == FileStatus::Pending => pending,
            found => return Ok(self.outcome(found).await?.into()),
        };

        let max_uploads_per_hour = self.announced.max_uploads_per_hour;
        let quota = file
            .pending_quota(self.at)
            .map(|quota| quota.at_most(max_uploads_per_hour));
        file.activate(self.content.clone(), self.at, space.env());
        let files = std::slice::from_ref(&file);
        let webhooks = self.announced.webhook_messages(files, self.at)?;
        match space
            .table
            .files()
            .activate(&file, &webhooks, quota.as_ref())
            .await
        {
            Ok(()) => {
                file.version += 1;
                Ok(self.unless_space_deleted(file).await?.into())
            }
            Err(WriteError::ConditionFailed(Reason::QuotaExhausted(scope))) => {
                self.remove_bytes().await;
                let exceeded = quota_error(quota.as_ref(), scope, self.at);
                Ok(ActivationOutcome::OverQuota(exceeded))
            }
            Err(WriteError::ConditionFailed(Reason::PathTaken)) => {
                self.remove_bytes().await;
                Ok(ActivationOutcome::NameTaken { name: file.name })
            }
            Err(WriteError::Failed(error)) => Ok(self.after_failure(error.into()).await?.into()),
            Err(error) => Err(error.into()),
        }
    }

    /// Reverts an activation if the space was just deleted. The purge deletes the storage paths of
    /// only those files that it has read.
    async fn unless_space_deleted(&self, file: File) -> Result<Option<File>, ServiceError> {
        let table = &self.uploads.space.table;
        if table.spaces().get(file.space_id).await?.is_some() {
            return Ok(Some(file));
        }

        table.files().remove_path(&file).await?;
        self.remove_bytes().await;
        Ok(None)
    }

    /// Determines the outcome of an activation whose response was lost. While the file is pending,
    /// the attempt may still take effect, so the bytes are kept and the error is returned.
    async fn after_failure(&self, error: ServiceError) -> Result<Option<File>, ServiceError> {
        let is_pending = |found: &Option<File>| {
            found
                .as_ref()
                .is_some_and(|file| file.status == FileStatus::Pending)
        };
        match self.uploads.space.files().get(self.id).await {
            Ok(found) if !is_pending(&found) => self.outcome(found).await,
            _ => Err(error),
        }
    }

    /// Returns the outcome for a file that is no longer pending: this attempt activated it and its
    /// response was lost, another attempt activated it, or it was deleted.
    async fn outcome(&self, found: Option<File>) -> Result<Option<File>, ServiceError> {
        match found {
            Some(file) if file.revision == Some(self.revision()) => {
                self.unless_space_deleted(file).await
            }
            found => {
                self.remove_bytes().await;
                Ok(found)
            }
        }
    }

    /// Deletes the bytes of this attempt.
    async fn remove_bytes(&self) {
        self.uploads.remove_revision(self.id, self.revision()).await;
    }
}
