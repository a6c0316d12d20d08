//! Access control: whether a file can be read without credentials.
//!
//! Access is resolved from the file, then from the nearest folder with a setting, then from the
//! space.
//!
//! Invariants:
//! - What the API reports of a file is what delivery enforces for its original.
//! - A file whose folder is missing is not delivered, and is reported to require authentication.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    files::File,
    folders::FolderChain,
    id::FolderId,
    settings::DeliveryType,
    spaces::{DeliverySpace, InheritedSettings, Space},
};

/// Level at which an effective setting is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AccessSource {
    /// The resource itself: its access control, or the type that was set on a file.
    Direct,
    /// The delivery type that a file has from its upload config.
    UploadConfig,
    /// A folder that contains the resource.
    Folder,
    Space,
}

/// Effective access control, as the API reports it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EffectiveAccess {
    /// Whether delivery requires a signed URL or an API key.
    pub requires_auth: bool,
    /// The complement of `requires_auth`.
    pub public_read: bool,
    /// Level at which it is set.
    pub source: AccessSource,
    /// Id of the resource that sets it.
    pub inherited_from: String,
    /// Value of `requires_auth` that is set on the resource itself. Null if none is.
    pub setting: Option<bool>,
}

impl EffectiveAccess {
    fn new(requires_auth: bool, source: AccessSource, inherited_from: String) -> EffectiveAccess {
        EffectiveAccess {
            requires_auth,
            public_read: !requires_auth,
            source,
            inherited_from,
            setting: None,
        }
    }

    /// Returns the access control of a file as delivery enforces it for the original: the stricter
    /// of its delivery type and of the setting of the file, of the nearest folder with a setting,
    /// or of the space. If several require authentication, the first of direct, delivery type,
    /// folder and space is reported. `folders` is `None` if a folder of the file is missing, which
    /// requires authentication.
    pub fn of_file(file: &File, folders: Option<&FolderChain>, space: &Space) -> EffectiveAccess {
        let as_set = EffectiveAccess::as_set(file, folders, space.into());
        let is_set_on_file = as_set.requires_auth && as_set.source == AccessSource::Direct;

        let decisive = if file.delivery_type == DeliveryType::Upload || is_set_on_file {
            as_set
        } else if file.config_delivery_type.is_some() {
            EffectiveAccess::new(true, AccessSource::Direct, file.id.to_string())
        } else {
            let config = file.upload_config_id.to_string();
            EffectiveAccess::new(true, AccessSource::UploadConfig, config)
        };
        EffectiveAccess {
            setting: file.access_control.map(|own| own.requires_auth),
            ..decisive
        }
    }

    /// Returns the access control for the contents of the chain's leaf.
    pub fn of_folder(folders: &FolderChain, space: &Space) -> EffectiveAccess {
        let leaf = folders.leaf();
        let own = leaf.and_then(|folder| folder.access_control);
        EffectiveAccess {
            setting: own.map(|own| own.requires_auth),
            ..EffectiveAccess::inherited(leaf.map(|folder| folder.id), folders, space.into())
        }
    }

    /// Returns the access control of a file, ignoring its delivery type.
    fn as_set(
        file: &File,
        folders: Option<&FolderChain>,
        space: InheritedSettings<'_>,
    ) -> EffectiveAccess {
        match (file.access_control, folders) {
            (Some(direct), Some(_)) => EffectiveAccess::new(
                direct.requires_auth,
                AccessSource::Direct,
                file.id.to_string(),
            ),
            (None, Some(folders)) => EffectiveAccess::inherited(None, folders, space),
            // The file is not delivered. The missing folder might have required authentication.
            (_, None) => {
                let folder_id = file.folder_id().map(|id| id.to_string());
                EffectiveAccess::new(true, AccessSource::Folder, folder_id.unwrap_or_default())
            }
        }
    }

    /// Returns the access control of the nearest folder with a setting, or of the space. A setting
    /// of the folder `own` is reported as direct.
    fn inherited(
        own: Option<FolderId>,
        folders: &FolderChain,
        space: InheritedSettings<'_>,
    ) -> EffectiveAccess {
        let nearest = folders
            .folders()
            .iter()
            .rev()
            .find_map(|folder| Some((folder.id, folder.access_control?)));

        match nearest {
            Some((id, access)) => {
                EffectiveAccess::new(access.requires_auth, source_of(id, own), id.to_string())
            }
            None => EffectiveAccess::new(
                space.access_control.requires_auth,
                AccessSource::Space,
                space.space_id.to_string(),
            ),
        }
    }
}

/// Returns the source of a setting of the folder `id`, as seen from the folder `own`; `None` for a
/// file.
pub(super) fn source_of(id: FolderId, own: Option<FolderId>) -> AccessSource {
    if own == Some(id) {
        AccessSource::Direct
    } else {
        AccessSource::Folder
    }
}

/// Whether the original of a file requires a signed URL or an API key: by its delivery type or by
/// its effective access control.
pub fn requires_auth(file: &File, folders: &FolderChain, space: &DeliverySpace) -> bool {
    file.delivery_type != DeliveryType::Upload
        || EffectiveAccess::as_set(file, Some(folders), space.into()).requires_auth
}

/// Whether renditions of a file require a signed URL or a key: as the original, but those of a
/// private file are public once they are rendered.
pub fn renditions_require_auth<'a>(
    file: &File,
    folders: &FolderChain,
    space: impl Into<InheritedSettings<'a>>,
) -> bool {
    file.delivery_type == DeliveryType::Authenticated
        || EffectiveAccess::as_set(file, Some(folders), space.into()).requires_auth
}

/// Returns a text that changes whenever access to a file may change: with its delivery type, the
/// access control at any level, and its folders. Other changes to these records keep it.
pub fn access_revision(file: &File, folders: &FolderChain, space: &DeliverySpace) -> String {
    let folders = folders
        .folders()
        .iter()
        .map(|folder| format!("{}:{}/", folder.id, folder.access_version));
    format!(
        "{}/{}{}",
        space.access_version,
        folders.collect::<String>(),
        file.access_version
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        access::{
            EffectiveSecurity,
            fixtures::{TYPES, file, space},
        },
        id::Revision,
        settings::{AccessControl, StoredWatermark},
    };

    #[test]
    fn reported_access_is_the_enforced_one() {
        let mut space = space();
        for delivery_type in TYPES {
            for config_type in TYPES {
                for setting in [None, Some(false), Some(true)] {
                    for closed in [false, true] {
                        let mut file = file(config_type);
                        file.set_delivery_type(delivery_type);
                        file.access_control =
                            setting.map(|requires_auth| AccessControl { requires_auth });
                        space.access_control.requires_auth = closed;
                        let context =
                            format!("{config_type:?}, {delivery_type:?}, {setting:?}, {closed}");

                        let source = match (setting, delivery_type == DeliveryType::Upload) {
                            (Some(true), _) | (Some(false), true) => AccessSource::Direct,
                            (_, false) if delivery_type != config_type => AccessSource::Direct,
                            (_, false) => AccessSource::UploadConfig,
                            (None, true) => AccessSource::Space,
                        };
                        let folders = FolderChain::default();
                        let reported = EffectiveAccess::of_file(&file, Some(&folders), &space);
                        let enforced = requires_auth(&file, &folders, &DeliverySpace::from(&space));
                        assert_eq!(
                            (reported.requires_auth, reported.source, reported.setting),
                            (enforced, source, setting),
                            "{context}"
                        );

                        // A file with a missing folder is not delivered.
                        let orphan = EffectiveAccess::of_file(&file, None, &space);
                        assert!(orphan.requires_auth, "{context}");
                    }
                }
            }
        }
    }

    #[test]
    fn type_of_the_config_is_no_direct_setting() {
        let mut file = file(DeliveryType::Private);
        for (delivery_type, configured) in [
            (DeliveryType::Authenticated, Some(DeliveryType::Private)),
            (DeliveryType::Upload, Some(DeliveryType::Private)),
            (DeliveryType::Private, None),
        ] {
            file.set_delivery_type(delivery_type);
            assert_eq!(file.config_delivery_type, configured, "{delivery_type:?}");
        }
    }

    #[test]
    fn watermark_without_stored_image_is_an_error() {
        let image = file(DeliveryType::Upload);
        let mut space = space();
        let watermark_of = |space: &Space| {
            EffectiveSecurity::of(&FolderChain::default(), space).watermark_of(&image)
        };
        assert!(matches!(watermark_of(&space), Ok(None)));

        space.security.watermark.enabled = true;
        assert!(watermark_of(&space).is_err());

        space.stored_watermark = Some(StoredWatermark {
            revision: Revision::MIN,
            copied: None,
        });
        let watermark = watermark_of(&space).expect("a watermark");
        assert_eq!(
            watermark.map(|watermark| watermark.revision),
            Some(Revision::MIN)
        );
    }
}
