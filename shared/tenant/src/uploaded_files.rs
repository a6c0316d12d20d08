//! Access to uploaded files for the background jobs that process them.
//!
//! Invariant: a job finds a file only if it is active. The job is sent before the record is written,
//! so it waits for the record until every request that could write it has ended.

use std::{ops::RangeInclusive, time::Duration};

use bucket::Bucket;
use bytes::Bytes;
use domain::{
    EffectiveSecurity, ErrorKind, File, FileStatus, ServiceError, UploadConfigReference,
    UploadRules, VariantId, WebhookEvent, error_chain, requires_auth, variants_require_auth,
};
use queue::{
    AnnouncedFile, AnnouncedJob, DelayedJob, MAX_DELAY_SECONDS, Queue, WebhookJob,
    recheck_delay_seconds,
};
use table::Table;
use tracing::instrument;

use crate::{
    AuthorizedFile, FileBucket, Scoped, SpaceScope, Tenants, authorized_file::ResolvedFile,
    collect, file_store::original_key, variants::variant_key,
};

/// Number of reads of one invocation that wait for a record. It is usually written within
/// milliseconds after the message.
const READS: u32 = 4;
/// Time between two of these reads.
const READ_PAUSE: Duration = Duration::from_millis(100);

/// Files of all spaces.
#[derive(Clone, Debug)]
pub struct UploadedFiles {
    tenants: Tenants,
    bucket: FileBucket,
}

/// A file whose variants a job creates.
#[derive(Debug)]
pub struct RenderableFile {
    /// The file, with its watermark.
    pub authorized: AuthorizedFile,
    /// Whether stored variants are public although the original is not.
    pub publishes_variants: bool,
}

impl UploadedFiles {
    /// Creates access to the files in a table and a bucket.
    pub fn new(table: Table, bucket: Bucket) -> UploadedFiles {
        UploadedFiles {
            tenants: Tenants::new(table.for_background_job()),
            bucket: FileBucket::new(bucket),
        }
    }

    /// Returns the access that renditions need.
    pub fn tenants(&self) -> &Tenants {
        &self.tenants
    }

    /// Returns the bucket of the files.
    pub fn bucket(&self) -> &FileBucket {
        &self.bucket
    }

    /// Returns the file of a job once it is active and `is_ready`. Otherwise returns `None`: the file does
    /// not exist yet, and the job was sent to `jobs` again, or it was deleted, or its request failed.
    pub async fn announced<J: AnnouncedJob>(
        &self,
        job: J,
        jobs: &Queue<J>,
        is_ready: impl Fn(&File) -> bool,
    ) -> Result<Option<Scoped<File>>, ServiceError> {
        let announced = job.file();
        let active = self.active(announced, is_ready).await?;
        if active.is_some() {
            return Ok(active);
        }

        let now = self.tenants.table.env().now();
        if let Some(delay_seconds) = recheck_delay_seconds(announced.announced_at, now) {
            jobs.send(&[DelayedJob { job, delay_seconds }]).await?;
        }
        Ok(None)
    }

    /// Sends a job that has failed again, as a new message after the maximum delay.
    pub async fn restart<J: AnnouncedJob>(
        &self,
        job: J,
        jobs: &Queue<J>,
        error: &ServiceError,
    ) -> Result<(), ServiceError> {
        let error = error_chain(error);
        tracing::warn!(error, "job failed, and is sent again as a new message");
        let delay_seconds = MAX_DELAY_SECONDS;
        Ok(jobs.send(&[DelayedJob { job, delay_seconds }]).await?)
    }

    /// Returns a file that is active and `is_ready`, after several reads within a short time if it is not.
    #[instrument(skip_all)]
    async fn active(
        &self,
        announced: AnnouncedFile,
        is_ready: impl Fn(&File) -> bool,
    ) -> Result<Option<Scoped<File>>, ServiceError> {
        for read in 0..READS {
            if read > 0 {
                tokio::time::sleep(READ_PAUSE).await;
            }

            let found = self
                .tenants
                .table
                .space_with::<File>(announced.space_id, announced.file_id)
                .await?;
            let (Some(space), Some(file)) = (found.space, found.record) else {
                continue;
            };

            if file.status == FileStatus::Active && is_ready(&file) {
                let table = self.tenants.table.clone();
                return Ok(Some(Scoped {
                    space: SpaceScope::for_background_job(table, space),
                    record: file,
                }));
            }
        }
        Ok(None)
    }

    /// Returns the rules that a file was uploaded by: those of its upload config, or the defaults if
    /// the config was deleted.
    pub async fn rules(&self, file: &File) -> Result<UploadRules, ServiceError> {
        let reference = UploadConfigReference::Id(file.upload_config_id);
        let config = self
            .tenants
            .table
            .upload_config(file.space_id, &reference)
            .await?;
        Ok(config.map(|config| config.config).unwrap_or_default())
    }

    /// Returns a range of the bytes of a file; `None` if it was deleted.
    #[instrument(skip_all)]
    pub async fn range(
        &self,
        file: &File,
        range: RangeInclusive<u64>,
    ) -> Result<Option<Bytes>, ServiceError> {
        let object = self.bucket.0.get(&original_key(file)?, Some(range)).await?;
        match object {
            Some(chunks) => collect(chunks).await.map(Some),
            None => Ok(None),
        }
    }

    /// Returns the rendition that the blurhash of a file is computed from; `None` if it is not stored.
    #[instrument(skip_all)]
    pub async fn placeholder(&self, file: &File) -> Result<Option<Bytes>, ServiceError> {
        let key = variant_key(file, &VariantId::placeholder())?;
        match self.bucket.0.variant(&key).await? {
            Some(stored) => collect(stored.into_bytes()).await.map(Some),
            None => Ok(None),
        }
    }

    /// Returns a file with what its variants depend on; `None` if it was deleted. Fails if the folder
    /// of the file does not exist.
    #[instrument(skip_all)]
    pub async fn renderable(&self, file: &File) -> Result<Option<RenderableFile>, ServiceError> {
        let resolved = self.tenants.resolve_active(&file.storage_path).await?;
        resolved.map(RenderableFile::of).transpose()
    }
}

impl RenderableFile {
    fn of(resolved: ResolvedFile) -> Result<RenderableFile, ServiceError> {
        let ResolvedFile {
            file,
            folders,
            space,
        } = resolved;
        let folders =
            folders.ok_or_else(|| ServiceError::contended("the folder of the file is gone"))?;
        let watermark = EffectiveSecurity::of(&folders, &space).watermark_of(&file)?;
        let publishes_variants = requires_auth(&file, &folders, &space)
            && !variants_require_auth(&file, &folders, &space);

        Ok(RenderableFile {
            authorized: AuthorizedFile::for_background_job(file, watermark),
            publishes_variants,
        })
    }
}

impl Scoped<File> {
    /// Sends the webhook of an event of the file, if a URL receives it.
    pub async fn send_event(
        &self,
        event: WebhookEvent,
        rules: &UploadRules,
        webhooks: &Queue<WebhookJob>,
    ) -> Result<(), ServiceError> {
        let space = self.space.record();
        let receiver = space.webhook_receiver(event, &rules.notifications);
        if receiver.is_none() {
            return Ok(());
        }

        let job = WebhookJob::Event {
            space_id: space.id,
            file_id: self.record.id,
            event,
            announced_at: self.space.now(),
        };
        Ok(webhooks.send(&[DelayedJob::immediate(job)]).await?)
    }
}

impl SpaceScope {
    /// Changes the record of a file after its processing, unless the file was deleted.
    /// Returns whether it was changed.
    pub async fn record_processing(
        &self,
        file: File,
        change: impl Fn(&mut File),
    ) -> Result<bool, ServiceError> {
        let changed = self
            .change_file(file, |file| {
                change(file);
                Ok(())
            })
            .await;
        match changed {
            Ok(_) => Ok(true),
            Err(error) if error.kind == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}
