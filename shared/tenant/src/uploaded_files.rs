//! Access to uploaded files for the background jobs that process them.
//!
//! Invariant: a job finds a file only if it is active. The job is sent before the record is written,
//! so it waits for the record until every request that could write it has ended.

use std::{ops::RangeInclusive, time::Duration};

use bucket::Bucket;
use bytes::Bytes;
use domain::{
    EffectiveSecurity, ErrorKind, File, FileId, FileStatus, ServiceError, SpaceId, Timestamp,
    UploadConfigReference, UploadRules, VariantId, requires_auth, variants_require_auth,
};
use queue::MAX_ANNOUNCEMENT_AGE_MS;
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
/// Milliseconds in a second.
const MS_PER_SECOND: i64 = 1_000;

/// Files of all spaces.
#[derive(Clone, Debug)]
pub struct UploadedFiles {
    tenants: Tenants,
    bucket: FileBucket,
}

/// An announced file.
#[derive(Debug)]
pub enum AnnouncedFile {
    /// The file is active.
    Active(Box<Scoped<File>>),
    /// The file does not exist yet. The job is to be sent again with this delay, in seconds.
    NotYet(i32),
    /// The file was deleted, or its request failed.
    Absent,
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

    /// Returns an announced file once it is active and `is_ready`.
    #[instrument(skip_all)]
    pub async fn announced(
        &self,
        space_id: SpaceId,
        file_id: FileId,
        announced_at: Timestamp,
        is_ready: impl Fn(&File) -> bool,
    ) -> Result<AnnouncedFile, ServiceError> {
        for read in 0..READS {
            if read > 0 {
                tokio::time::sleep(READ_PAUSE).await;
            }
            let found = self
                .tenants
                .table
                .space_with_file(space_id, file_id)
                .await?;
            let (Some(space), Some(file)) = (found.space, found.record) else {
                continue;
            };
            if file.status == FileStatus::Active && is_ready(&file) {
                let table = self.tenants.table.clone();
                return Ok(AnnouncedFile::Active(Box::new(Scoped {
                    space: SpaceScope::for_background_job(table, space),
                    record: file,
                })));
            }
        }

        let age_ms = self.tenants.table.env().now().ms() - announced_at.ms();
        Ok(retry_delay_seconds(age_ms).map_or(AnnouncedFile::Absent, AnnouncedFile::NotYet))
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

/// Returns the delay after which a job looks for its file again, in seconds; `None` if the file will
/// not come into existence any more. The age of the job doubles from one try to the next.
fn retry_delay_seconds(age_ms: i64) -> Option<i32> {
    if age_ms >= MAX_ANNOUNCEMENT_AGE_MS {
        return None;
    }
    let age_seconds = age_ms.max(0) / MS_PER_SECOND;
    i32::try_from(age_seconds.max(1)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn job_looks_for_its_file_eight_times_in_two_minutes() {
        let mut age_seconds = 0;
        let mut tries = 0;
        while let Some(delay) = retry_delay_seconds(age_seconds * MS_PER_SECOND) {
            age_seconds += i64::from(delay);
            tries += 1;
        }

        assert_eq!(tries, 8);
        assert_eq!(retry_delay_seconds(-5_000), Some(1));
        assert_eq!(retry_delay_seconds(MAX_ANNOUNCEMENT_AGE_MS), None);
    }
}
