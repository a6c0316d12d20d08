//! Effective security settings: the watermark of delivered images, and who may create transformed
//! ones.

use serde::Serialize;

use super::{AccessSource, effective_access::source_of};
use crate::{
    AppliedWatermark, FieldError, FieldErrors, File, FolderChain, InheritedSettings, ResourceType,
    Revision, Security,
};

/// Effective security settings for the contents of a folder.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EffectiveSecurity<'a> {
    /// The settings.
    #[serde(flatten)]
    pub security: &'a Security,
    /// Revision of the stored copy of the watermark.
    #[serde(skip)]
    pub stored_watermark: Option<Revision>,
    /// Level at which they are set.
    pub source: AccessSource,
    /// Id of the resource that sets them.
    pub inherited_from: String,
}

impl EffectiveSecurity<'_> {
    /// Returns the settings of the nearest folder that has some, or of the space.
    pub fn of<'a>(
        folders: &'a FolderChain,
        space: impl Into<InheritedSettings<'a>>,
    ) -> EffectiveSecurity<'a> {
        let space = space.into();
        let nearest = folders
            .folders()
            .iter()
            .rev()
            .find_map(|folder| Some((folder, folder.security.as_ref()?)));
        let own = folders.leaf().map(|folder| folder.id);

        match nearest {
            Some((folder, security)) => EffectiveSecurity {
                security,
                stored_watermark: folder.stored_watermark,
                source: source_of(folder.id, own),
                inherited_from: folder.id.to_string(),
            },
            None => EffectiveSecurity {
                security: space.security,
                stored_watermark: space.stored_watermark,
                source: AccessSource::Space,
                inherited_from: space.space_id.to_string(),
            },
        }
    }

    /// Returns the watermark that a file must have; `None` for files that are no images. Fails with
    /// 422 if the watermark was enabled before images were stored.
    pub fn watermark_of(&self, file: &File) -> Result<Option<AppliedWatermark>, FieldErrors> {
        let watermark = &self.security.watermark;
        if file.resource_type != ResourceType::Image || !watermark.enabled {
            return Ok(None);
        }

        let field_error = FieldError::Custom("has no stored image. Set the watermark again");
        let revision = self
            .stored_watermark
            .ok_or_else(|| FieldErrors::from(("watermark", field_error)))?;
        Ok(Some(AppliedWatermark {
            revision,
            position: watermark.position,
            opacity: watermark.opacity,
        }))
    }
}
