//! Security settings of spaces and folders, and the stored images of their watermarks.
//!
//! Invariant: the image is stored before the settings refer to it, and deleted after they no longer
//! do. If a deletion fails, or if it is unknown whether the settings were written, the object
//! remains until the space is purged.

use std::sync::{Mutex, PoisonError};

use bucket::ObjectKey;
use bytes::Bytes;
use domain::{
    errors::ServiceError,
    folders::Folder,
    id::Revision,
    settings::{FolderSecurity, Security, StoredWatermark},
};
use table::errors::TableError;
use tracing::{instrument, warn};

use crate::{folders::ResolvedFolder, objects::FileBucket, spaces::SpaceScope};

/// Security settings to store of a space.
#[derive(Clone, Debug)]
pub struct NewSecurity {
    pub settings: Security,
    /// Stored image of the watermark, new or that of the current settings; `None` unless the
    /// watermark is enabled.
    pub stored_watermark: Option<StoredWatermark>,
}

/// Security settings to store of a folder.
#[derive(Clone, Debug)]
pub struct NewFolderSecurity {
    pub settings: FolderSecurity,
    /// Stored image of the watermark, new or that of the current settings; `None` unless the
    /// settings enable one.
    pub stored_watermark: Option<StoredWatermark>,
}

/// A change of the stored image. It may run repeatedly; the last run counts.
struct ImageChange {
    /// The image of the new settings, if the current settings have it too.
    kept: Option<StoredWatermark>,
    /// The image of the new settings, if they alone have it.
    created: Option<StoredWatermark>,
    /// The image that the last run replaced.
    replaced: Mutex<Option<StoredWatermark>>,
}

impl ImageChange {
    fn new(from: Option<StoredWatermark>, to: Option<StoredWatermark>) -> ImageChange {
        ImageChange {
            kept: to.filter(|_| to == from),
            created: to.filter(|_| to != from),
            replaced: Mutex::default(),
        }
    }

    /// Replaces the image. Fails with 503 if a concurrent change has removed the image to keep.
    fn apply(&self, stored: &mut Option<StoredWatermark>) -> Result<(), ServiceError> {
        if self.kept.is_some() {
            return if *stored == self.kept {
                Ok(())
            } else {
                Err(ServiceError::contended("the watermark was replaced"))
            };
        }

        let replaced = std::mem::replace(stored, self.created);
        *self.replaced.lock().unwrap_or_else(PoisonError::into_inner) = replaced;
        Ok(())
    }

    fn into_replaced(self) -> Option<StoredWatermark> {
        self.replaced
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl FileBucket {
    /// Stores the image of a watermark, which is that of a file if `copied` is its revision.
    #[instrument(skip_all)]
    pub async fn store_watermark(
        &self,
        space: &SpaceScope,
        image: Bytes,
        copied: Option<Revision>,
    ) -> Result<StoredWatermark, ServiceError> {
        let revision = Revision::new(space.env());
        let key = ObjectKey::watermark(space.record.id, revision);
        self.0.put_watermark(&key, image).await?;
        Ok(StoredWatermark { revision, copied })
    }

    /// Replaces the security settings of the space. After an error, the new image is deleted.
    pub async fn replace_security(
        &self,
        space: &mut SpaceScope,
        new: NewSecurity,
    ) -> Result<(), ServiceError> {
        let image = ImageChange::new(space.record.stored_watermark, new.stored_watermark);
        let changed = space
            .try_change(|space, now| {
                image.apply(&mut space.stored_watermark)?;
                space.security = new.settings.clone();
                space.updated_at = now;
                Ok(())
            })
            .await;

        if let Err(error) = changed {
            self.discard_watermark(space, image.created, &error).await;
            return Err(error);
        }
        self.remove_watermark(space, image.into_replaced()).await;
        Ok(())
    }

    /// Replaces the security settings of a folder. After an error, the new image is deleted.
    pub async fn replace_folder_security(
        &self,
        space: &SpaceScope,
        resolved: ResolvedFolder,
        new: NewFolderSecurity,
    ) -> Result<ResolvedFolder, ServiceError> {
        let image = ImageChange::new(resolved.folder().stored_watermark, new.stored_watermark);
        let change = |folder: &mut Folder| {
            image.apply(&mut folder.stored_watermark)?;
            folder.security = new.settings.clone();
            folder.updated_at = space.now();
            Ok(())
        };

        match space.folders().try_change(resolved, change).await {
            Ok(changed) => {
                self.remove_watermark(space, image.into_replaced()).await;
                Ok(changed)
            }
            Err(error) => {
                self.discard_watermark(space, image.created, &error).await;
                Err(error)
            }
        }
    }

    /// Deletes the image of settings that were not written because of an error. Keeps it if they
    /// may have been written.
    async fn discard_watermark(
        &self,
        space: &SpaceScope,
        stored: Option<StoredWatermark>,
        error: &ServiceError,
    ) {
        if !TableError::may_be_written(error) {
            self.remove_watermark(space, stored).await;
        }
    }

    /// Deletes the image of a watermark that no settings refer to. A failure is only logged.
    pub async fn remove_watermark(&self, space: &SpaceScope, stored: Option<StoredWatermark>) {
        let Some(stored) = stored else {
            return;
        };
        let key = ObjectKey::watermark(space.record.id, stored.revision);
        if let Err(error) = self.0.delete(&key).await {
            let error = ServiceError::from(error);
            warn!(error = %domain::errors::error_chain(&error), "the image of a watermark remains");
        }
    }
}
