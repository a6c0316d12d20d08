//! Objects are removed: one, many, or all that a space has.

use aws_sdk_s3::types::{Delete, ObjectIdentifier};
use domain::{FileId, SpaceId};

use crate::{Bucket, Error, ObjectKey, list::LIST_MAX, own, staging};

/// Most objects that one call removes.
pub const DELETE_MANY_MAX: usize = 1_000;

impl Bucket {
    /// Removes an object; safe to repeat.
    pub async fn delete(&self, key: &ObjectKey) -> Result<(), Error> {
        self.client.delete_object().bucket(&self.name).key(&key.0).send().await.map_err(Error::from_sdk)?;
        Ok(())
    }

    /// Removes objects, at most [`DELETE_MANY_MAX`]. Where it fails, some may be gone; safe to repeat.
    pub async fn delete_many(&self, keys: &[ObjectKey]) -> Result<(), Error> {
        if keys.is_empty() {
            return Ok(());
        }
        let named = keys.iter().map(|key| ObjectIdentifier::builder().key(&key.0).build().map_err(Error::refused));
        let named: Vec<ObjectIdentifier> = named.collect::<Result<_, _>>()?;
        let delete = Delete::builder().set_objects(Some(named)).quiet(true).build().map_err(Error::refused)?;
        let answer = self.client.delete_objects().bucket(&self.name).delete(delete).send().await;
        match answer.map_err(Error::from_sdk)?.errors.unwrap_or_default().first() {
            None => Ok(()),
            Some(error) => Err(Error::Busy(error.code.clone().unwrap_or_default().into())),
        }
    }

    /// Removes up to `limit` of a space's objects; `false` if there were none. Safe to repeat.
    pub async fn purge_page(&self, space: SpaceId, limit: u16) -> Result<bool, Error> {
        for prefix in [own(space), staging(space)] {
            if self.purge_prefix(prefix, limit).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Removes all of a file's objects; safe to repeat.
    pub async fn purge_file(&self, space: SpaceId, file: FileId) -> Result<(), Error> {
        self.delete(&ObjectKey::staged(space, file)).await?;
        while self.purge_prefix(ObjectKey::originals_of(space, file), LIST_MAX).await? {}
        Ok(())
    }

    /// Removes up to `limit` of the objects whose keys begin so; `false` if there were none.
    async fn purge_prefix(&self, prefix: String, limit: u16) -> Result<bool, Error> {
        let list = self.client.list_objects_v2().bucket(&self.name).prefix(prefix).max_keys(limit.into());
        let page = list.send().await;
        let objects = page.map_err(Error::from_sdk)?.contents.unwrap_or_default();
        let keys: Vec<ObjectKey> = objects.into_iter().filter_map(|object| object.key).map(ObjectKey).collect();
        self.delete_many(&keys).await?;
        Ok(!keys.is_empty())
    }
}
