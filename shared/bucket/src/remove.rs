//! Deletes objects: one, many, all of a file, or all of a space.

use std::time::Duration;

use aws_sdk_s3::types::{Delete, Error as S3Error, ObjectIdentifier};
use domain::{
    id::{FileId, Revision, SpaceId},
    renditions::Retention,
};
use tracing::instrument;

use crate::{
    Bucket, BucketError, ObjectKey,
    error::RETRYABLE,
    key::{expiring_prefix, file_prefix, file_renditions_prefix, space_prefix, staging_prefix},
    list::MAX_LISTED_OBJECTS,
};

/// Maximum objects of one delete call.
pub const MAX_DELETED_OBJECTS: usize = 1_000;
/// Pauses before the retries of deletions that S3 was too busy for.
const DELETE_BACKOFF: [Duration; 4] = [
    Duration::from_millis(100),
    Duration::from_millis(400),
    Duration::from_secs(1),
    Duration::from_secs(2),
];

impl Bucket {
    /// Deletes an object. Idempotent.
    #[instrument(skip_all, fields(key = key.as_str()))]
    pub async fn delete(&self, key: &ObjectKey) -> Result<(), BucketError> {
        self.client
            .delete_object()
            .bucket(&self.name)
            .key(&key.0)
            .send()
            .await
            .map_err(BucketError::from_sdk)?;
        Ok(())
    }

    /// Deletes up to [`MAX_DELETED_OBJECTS`] objects. Retries for seconds if S3 is too busy. After
    /// an error, some objects may be deleted. Idempotent.
    #[instrument(skip_all, fields(keys = keys.len()))]
    pub async fn delete_many(&self, keys: &[ObjectKey]) -> Result<(), BucketError> {
        let mut left = self.try_delete(keys).await?;
        for pause in DELETE_BACKOFF {
            if left.is_empty() {
                return Ok(());
            }
            tokio::time::sleep(pause).await;
            left = self.try_delete(&left).await?;
        }

        if left.is_empty() {
            Ok(())
        } else {
            Err(BucketError::busy(
                "some objects are not deleted after the last retry",
            ))
        }
    }

    /// Sends one delete call. Returns the objects whose deletion can be retried.
    ///
    /// `DeleteObjects` responds with 200 even if some objects could not be deleted (S3 API
    /// Reference, `DeleteObjects`).
    async fn try_delete(&self, keys: &[ObjectKey]) -> Result<Vec<ObjectKey>, BucketError> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }

        let identifier = |key: &ObjectKey| ObjectIdentifier::builder().key(&key.0).build();
        let objects: Vec<ObjectIdentifier> = keys
            .iter()
            .map(identifier)
            .collect::<Result<_, _>>()
            .map_err(BucketError::rejected)?;
        let delete = Delete::builder()
            .set_objects(Some(objects))
            .quiet(true)
            .build()
            .map_err(BucketError::rejected)?;

        let response = self
            .client
            .delete_objects()
            .bucket(&self.name)
            .delete(delete)
            .send()
            .await
            .map_err(BucketError::from_sdk)?;
        let errors = response.errors.unwrap_or_default();
        errors.into_iter().map(retryable_key).collect()
    }

    /// Deletes up to `limit` of a space's objects. Returns `false` if there are none. Idempotent.
    #[instrument(skip_all, fields(%space))]
    pub async fn purge_page(&self, space: SpaceId, limit: u16) -> Result<bool, BucketError> {
        let prefixes = [
            space_prefix(space),
            expiring_prefix(space),
            staging_prefix(space),
        ];
        for prefix in prefixes {
            if self.purge_prefix(prefix, limit).await?.objects > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Deletes all objects of a file. Idempotent.
    #[instrument(skip_all, fields(%space, %file))]
    pub async fn purge_file(&self, space: SpaceId, file: FileId) -> Result<(), BucketError> {
        self.delete(&ObjectKey::staged(space, file)).await?;
        let renditions =
            Retention::ALL.map(|retention| file_renditions_prefix(space, file, retention));
        for prefix in [file_prefix(space, file)].into_iter().chain(renditions) {
            self.purge_all(prefix).await?;
        }
        Ok(())
    }

    /// Deletes the original and all renditions of a revision of a file. Idempotent.
    #[instrument(skip_all, fields(%space, %file, %revision))]
    pub async fn purge_revision(
        &self,
        space: SpaceId,
        file: FileId,
        revision: Revision,
    ) -> Result<(), BucketError> {
        self.delete(&ObjectKey::original(space, file, revision))
            .await?;
        for retention in Retention::ALL {
            let renditions = file_renditions_prefix(space, file, retention);
            self.purge_all(format!("{renditions}{revision}/")).await?;
        }
        Ok(())
    }

    async fn purge_all(&self, prefix: String) -> Result<(), BucketError> {
        while self
            .purge_prefix(prefix.clone(), MAX_LISTED_OBJECTS)
            .await?
            .has_more
        {}
        Ok(())
    }

    /// Deletes up to `limit` objects with a key prefix.
    async fn purge_prefix(&self, prefix: String, limit: u16) -> Result<PurgedPage, BucketError> {
        let page = self
            .client
            .list_objects_v2()
            .bucket(&self.name)
            .prefix(prefix)
            .max_keys(limit.into())
            .send()
            .await
            .map_err(BucketError::from_sdk)?;
        let keys: Vec<ObjectKey> = page
            .contents
            .unwrap_or_default()
            .into_iter()
            .filter_map(|object| object.key)
            .map(ObjectKey)
            .collect();

        self.delete_many(&keys).await?;
        Ok(PurgedPage {
            objects: keys.len(),
            has_more: page.is_truncated.unwrap_or_default(),
        })
    }
}

/// A page of objects that were deleted.
struct PurgedPage {
    objects: usize,
    /// Whether there were more objects when the page was listed.
    has_more: bool,
}

/// Returns the key of an object whose deletion can be retried. Fails if the error is permanent.
fn retryable_key(error: S3Error) -> Result<ObjectKey, BucketError> {
    let code = error.code.unwrap_or_default();
    match error.key {
        Some(key) if RETRYABLE.contains(&code.as_str()) => Ok(ObjectKey(key)),
        _ => Err(BucketError::rejected(format!(
            "an object could not be deleted: {code}"
        ))),
    }
}
