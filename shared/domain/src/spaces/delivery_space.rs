//! The part of a space that delivery reads.

use serde::{Deserialize, Serialize};

use crate::{
    id::{Revision, SpaceId},
    settings::{AccessControl, Security},
    signing::Signing,
    spaces::Space,
};

/// The part of a space that delivery reads. Its size is bounded, so that a read of it always takes
/// the minimum of the table's capacity: user texts of the space are not part of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeliverySpace {
    /// Id of the space.
    pub id: SpaceId,
    /// Whether it delivers files.
    pub enabled: bool,
    /// Access control of files for which neither the file nor a folder sets one.
    pub access_control: AccessControl,
    /// Number of changes to its access control.
    pub access_version: u64,
    /// Security settings that folders inherit, without the source of the watermark.
    pub security: Security,
    /// Revision of the stored copy of the watermark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored_watermark: Option<Revision>,
    /// State of the signing secret's rotation.
    pub signing: Signing,
}

impl From<&Space> for DeliverySpace {
    fn from(space: &Space) -> DeliverySpace {
        let mut security = space.security.clone();
        // A URL has up to 2,048 characters. Delivery reads only the stored copy of the image.
        security.watermark.url = None;
        security.watermark.file_id = None;

        DeliverySpace {
            id: space.id,
            enabled: space.enabled,
            access_control: space.access_control,
            access_version: space.access_version,
            security,
            stored_watermark: space.stored_watermark.map(|stored| stored.revision),
            signing: space.signing,
        }
    }
}

/// The settings of a space that files and folders inherit.
#[derive(Clone, Copy, Debug)]
pub struct InheritedSettings<'a> {
    /// Id of the space.
    pub space_id: SpaceId,
    /// Access control of files for which neither the file nor a folder sets one.
    pub access_control: AccessControl,
    /// Security settings that folders inherit.
    pub security: &'a Security,
    /// Revision of the stored copy of the watermark.
    pub stored_watermark: Option<Revision>,
}

impl<'a> From<&'a Space> for InheritedSettings<'a> {
    fn from(space: &'a Space) -> InheritedSettings<'a> {
        InheritedSettings {
            space_id: space.id,
            access_control: space.access_control,
            security: &space.security,
            stored_watermark: space.stored_watermark.map(|stored| stored.revision),
        }
    }
}

impl<'a> From<&'a DeliverySpace> for InheritedSettings<'a> {
    fn from(space: &'a DeliverySpace) -> InheritedSettings<'a> {
        InheritedSettings {
            space_id: space.id,
            access_control: space.access_control,
            security: &space.security,
            stored_watermark: space.stored_watermark,
        }
    }
}
