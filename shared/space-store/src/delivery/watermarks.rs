//! Security settings of spaces and folders, and the stored images of their watermarks.
//!
//! Invariant: the image is stored before the settings refer to it, and deleted after they no longer
//! do. If a deletion fails, or if it is unknown whether the settings were written, the object remains
//! until the space is purged.

use std::sync::{Mutex, PoisonError};

use bucket::ObjectKey;
use bytes::Bytes;
use domain::{Folder, FolderSecurity, Revision, Security, ServiceError};
use table::TableError;
use tracing::{instrument, warn};

use crate::{FileBucket, ResolvedFolder, SpaceScope};

/// Security settings to store of a space.
#[derive(Clone, Debug)]
pub struct NewSecurity {
    pub settings: Security,
    /// Revision of the stored image of the watermark; `None` unless the watermark is enabled.
    pub stored_watermark: Option<Revision>,
}

/// Security settings to store of a folder.
#[derive(Clone, Debug)]
pub struct NewFolderSecurity {
    pub settings: FolderSecurity,
    /// Revision of the stored image of the watermark; `None` unless the settings enable one.
    pub stored_watermark: Option<Revision>,
}

/// The stored image that a change replaced. A change may run repeatedly; the last run counts.
#[derive(Default)]
struct Replaced(Mutex<Option<Revision>>);

impl Replaced {
    fn set(&self, revision: Option<Revision>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = revision;
    }

    fn into_inner(self) -> Option<Revision> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FileBucket {
    /// Stores the image of a watermark, and returns its revision.
    #[instrument(skip_all)]
    pub async fn store_watermark(
        &self,
        space: &SpaceScope,
        image: Bytes,
    ) -> Result<Revision, ServiceError> {
        let revision = Revision::new(space.env());
        let key = ObjectKey::watermark(space.record.id, revision);
        self.0.put_watermark(&key, image).await?;
        Ok(revision)
    }

    /// Replaces the security settings of the space. After an error, the new image is deleted.
    pub async fn replace_security(
        &self,
        space: &mut SpaceScope,
        new: NewSecurity,
    ) -> Result<(), ServiceError> {
        let replaced = Replaced::default();
        let changed = space
            .change(|space| {
                replaced.set(space.stored_watermark);
                space.security = new.settings.clone();
                space.stored_watermark = new.stored_watermark;
            })
            .await;

        if let Err(error) = changed {
            self.discard_watermark(space, new.stored_watermark, &error)
                .await;
            return Err(error);
        }
        self.remove_watermark(space, replaced.into_inner()).await;
        Ok(())
    }

    /// Replaces the security settings of a folder. After an error, the new image is deleted.
    pub async fn replace_folder_security(
        &self,
        space: &SpaceScope,
        resolved: ResolvedFolder,
        new: NewFolderSecurity,
    ) -> Result<ResolvedFolder, ServiceError> {
        let replaced = Replaced::default();
        let change = |folder: &mut Folder| {
            replaced.set(folder.stored_watermark);
            folder.security = new.settings.clone();
            folder.stored_watermark = new.stored_watermark;
        };

        match space.folders().change(resolved, change).await {
            Ok(changed) => {
                self.remove_watermark(space, replaced.into_inner()).await;
                Ok(changed)
            }
            Err(error) => {
                self.discard_watermark(space, new.stored_watermark, &error)
                    .await;
                Err(error)
            }
        }
    }

    /// Deletes the image of settings that were not written because of an error. Keeps it if they may
    /// have been written.
    async fn discard_watermark(
        &self,
        space: &SpaceScope,
        revision: Option<Revision>,
        error: &ServiceError,
    ) {
        if !TableError::may_be_written(error) {
            self.remove_watermark(space, revision).await;
        }
    }

    /// Deletes the image of a watermark that no settings refer to. A failure is only logged.
    pub async fn remove_watermark(&self, space: &SpaceScope, revision: Option<Revision>) {
        let Some(revision) = revision else {
            return;
        };
        let key = ObjectKey::watermark(space.record.id, revision);
        if let Err(error) = self.0.delete(&key).await {
            let error = ServiceError::from(error);
            warn!(error = %domain::error_chain(&error), "the image of a watermark remains");
        }
    }
}
