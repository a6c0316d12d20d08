//! Removes objects: one, many, or all that a space has.

use std::time::Duration;

use aws_sdk_s3::types::{Delete, Error as S3Error, ObjectIdentifier};
use domain::{FileId, SpaceId};
use tracing::instrument;

use crate::{Bucket, BucketError, ObjectKey, PASSING, list::LIST_MAX, own, staging};

/// Most objects that one call removes.
pub const DELETE_MANY_MAX: usize = 1_000;
/// Pauses before objects that S3 was too busy to remove are tried again.
const DELETE_PAUSES: [Duration; 4] = [
    Duration::from_millis(100),
    Duration::from_millis(400),
    Duration::from_secs(1),
    Duration::from_secs(2),
];

impl Bucket {
    /// Removes an object; safe to repeat.
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

    /// Removes objects, at most [`DELETE_MANY_MAX`]. Objects that S3 is too busy to remove are
    /// tried again for seconds. After an error some objects may be removed; safe to repeat.
    #[instrument(skip_all, fields(keys = keys.len()))]
    pub async fn delete_many(&self, keys: &[ObjectKey]) -> Result<(), BucketError> {
        let mut left = self.try_delete(keys).await?;
        for pause in DELETE_PAUSES {
            if left.is_empty() {
                return Ok(());
            }
            tokio::time::sleep(pause).await;
            left = self.try_delete(&left).await?;
        }

        if left.is_empty() {
            Ok(())
        } else {
            Err(BucketError::Busy(
                "S3 kept objects that were to be removed".into(),
            ))
        }
    }

    /// Removes objects once. Returns those that may be removed by another try.
    ///
    /// `DeleteObjects` is a 200 even if it names objects that it did not remove (S3 API Reference,
    /// `DeleteObjects`).
    async fn try_delete(&self, keys: &[ObjectKey]) -> Result<Vec<ObjectKey>, BucketError> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }

        let objects = keys.iter().map(|key| {
            ObjectIdentifier::builder()
                .key(&key.0)
                .build()
                .map_err(BucketError::refused)
        });
        let objects: Vec<ObjectIdentifier> = objects.collect::<Result<_, _>>()?;
        let delete = Delete::builder()
            .set_objects(Some(objects))
            .quiet(true)
            .build()
            .map_err(BucketError::refused)?;
        let answer = self
            .client
            .delete_objects()
            .bucket(&self.name)
            .delete(delete)
            .send()
            .await;

        let errors = answer
            .map_err(BucketError::from_sdk)?
            .errors
            .unwrap_or_default();
        errors.into_iter().map(busy_key).collect()
    }

    /// Removes up to `limit` of a space's objects; `false` if there were none. Safe to repeat.
    #[instrument(skip_all, fields(%space))]
    pub async fn purge_page(&self, space: SpaceId, limit: u16) -> Result<bool, BucketError> {
        for prefix in [own(space), staging(space)] {
            if self.purge_prefix(prefix, limit).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Removes all of a file's objects; safe to repeat.
    #[instrument(skip_all, fields(%space, %file))]
    pub async fn purge_file(&self, space: SpaceId, file: FileId) -> Result<(), BucketError> {
        self.delete(&ObjectKey::staged(space, file)).await?;
        while self
            .purge_prefix(ObjectKey::originals_of(space, file), LIST_MAX)
            .await?
        {}
        Ok(())
    }

    /// Removes up to `limit` of the objects whose keys begin so; `false` if there were none.
    async fn purge_prefix(&self, prefix: String, limit: u16) -> Result<bool, BucketError> {
        let list = self
            .client
            .list_objects_v2()
            .bucket(&self.name)
            .prefix(prefix)
            .max_keys(limit.into());
        let page = list.send().await;
        let objects = page
            .map_err(BucketError::from_sdk)?
            .contents
            .unwrap_or_default();
        let keys: Vec<ObjectKey> = objects
            .into_iter()
            .filter_map(|object| object.key)
            .map(ObjectKey)
            .collect();
        self.delete_many(&keys).await?;
        Ok(!keys.is_empty())
    }
}

/// Returns the key of an object that was not removed for the moment. Fails if another try would be
/// refused as well.
fn busy_key(error: S3Error) -> Result<ObjectKey, BucketError> {
    let code = error.code.unwrap_or_default();
    let key = error.key.filter(|_| PASSING.contains(&code.as_str()));
    key.map(ObjectKey)
        .ok_or_else(|| BucketError::refused(format!("an object was not removed: {code}")))
}
