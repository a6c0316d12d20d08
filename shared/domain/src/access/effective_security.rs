//! Effective security settings: the watermark of delivered images, and who may create transformed
//! ones.

use schemars::JsonSchema;
use serde::Serialize;

use super::{AccessSource, effective_access::source_of};
use crate::{
    errors::ServiceError,
    files::{File, ResourceType},
    folders::{Folder, FolderChain},
    id::{Revision, SpaceId},
    settings::{AppliedWatermark, DeliveryType, FolderSecurity, TransformationPolicy, Watermark},
    spaces::InheritedSettings,
};

/// Effective security settings for the contents of a folder. Each setting is that of the nearest
/// folder that sets it, or of the space.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectiveSecurity<'a> {
    /// Watermark of delivered images.
    pub watermark: EffectiveWatermark<'a>,
    /// Which transformed images requests without credentials may create.
    pub transformations: TransformationPolicy,
    /// Where `transformations` is set.
    pub transformations_source: SettingSource,
}

/// Effective watermark for the contents of a folder.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectiveWatermark<'a> {
    pub watermark: &'a Watermark,
    /// Revision of its stored copy.
    pub stored: Option<Revision>,
    /// Where it is set.
    pub source: SettingSource,
}

/// Where an effective setting of a folder is set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SettingSource {
    /// Level at which it is set.
    pub source: AccessSource,
    /// Id of the folder or space that sets it.
    pub inherited_from: String,
}

impl EffectiveSecurity<'_> {
    /// Returns the settings for the contents of the chain's leaf, or of the space for an empty
    /// chain.
    pub fn of<'a>(
        folders: &'a FolderChain,
        space: impl Into<InheritedSettings<'a>>,
    ) -> EffectiveSecurity<'a> {
        let space = space.into();
        let transformations = nearest(folders, |security| security.transformations.as_ref());

        EffectiveSecurity {
            watermark: EffectiveWatermark::of(folders, space),
            transformations: transformations
                .as_ref()
                .map_or(space.security.transformations, |nearest| *nearest.setting),
            transformations_source: SettingSource::of(
                transformations.map(|nearest| nearest.folder),
                folders,
                space.space_id,
            ),
        }
    }

    /// Returns which transformed images of a file requests without credentials may create.
    pub fn transformations_of(&self, file: &File) -> TransformationPolicy {
        if file.delivery_type == DeliveryType::Private {
            TransformationPolicy::Signed
        } else {
            self.transformations
        }
    }

    /// Returns the watermark that a file must have; `None` for files that are no images.
    pub fn watermark_of(&self, file: &File) -> Result<Option<AppliedWatermark>, ServiceError> {
        let EffectiveWatermark {
            watermark, stored, ..
        } = self.watermark;
        if file.resource_type != ResourceType::Image || !watermark.enabled {
            return Ok(None);
        }

        let missing = || ServiceError::internal("an enabled watermark has no stored image");
        let revision = stored.ok_or_else(missing)?;
        Ok(Some(AppliedWatermark {
            revision,
            position: watermark.position,
            opacity: watermark.opacity,
        }))
    }
}

impl EffectiveWatermark<'_> {
    fn of<'a>(folders: &'a FolderChain, space: InheritedSettings<'a>) -> EffectiveWatermark<'a> {
        let nearest = nearest(folders, |security| security.watermark.as_ref());
        let folder = nearest.as_ref().map(|nearest| nearest.folder);

        EffectiveWatermark {
            watermark: nearest.map_or(&space.security.watermark, |nearest| nearest.setting),
            // The copy belongs to the watermark of the same folder or space.
            stored: folder.map_or(space.stored_watermark, |folder| {
                folder.stored_watermark.map(|stored| stored.revision)
            }),
            source: SettingSource::of(folder, folders, space.space_id),
        }
    }
}

impl SettingSource {
    /// Returns the source of a setting of a folder, or of the space, for the contents of the
    /// chain's leaf.
    fn of(folder: Option<&Folder>, folders: &FolderChain, space_id: SpaceId) -> SettingSource {
        let own = folders.leaf().map(|leaf| leaf.id);
        match folder {
            Some(folder) => SettingSource {
                source: source_of(folder.id, own),
                inherited_from: folder.id.to_string(),
            },
            None => SettingSource {
                source: AccessSource::Space,
                inherited_from: space_id.to_string(),
            },
        }
    }
}

/// A setting, and the folder that sets it.
struct NearestSetting<'a, T> {
    folder: &'a Folder,
    setting: &'a T,
}

/// Returns a setting of the nearest folder that sets it.
fn nearest<'a, T>(
    folders: &'a FolderChain,
    setting: impl Fn(&'a FolderSecurity) -> Option<&'a T>,
) -> Option<NearestSetting<'a, T>> {
    folders.folders().iter().rev().find_map(|folder| {
        let setting = setting(&folder.security)?;
        Some(NearestSetting { folder, setting })
    })
}
