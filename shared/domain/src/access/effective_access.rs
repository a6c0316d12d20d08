//! Access control: whether a file can be read without credentials.
//!
//! Access is resolved from the file, then from the nearest folder with a setting, then from the
//! space.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{DeliverySpace, File, FolderChain, FolderId, InheritedSettings, Space};

/// Access control of a file, folder or space. The flags `requires_auth` and `public_read` of the
/// API are complements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessControl {
    /// Whether delivery requires a signed URL or an API key.
    pub requires_auth: bool,
}

/// How a file is delivered, ordered from the weakest protection to the strongest.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum DeliveryType {
    /// Public.
    Upload,
    /// The original requires a signed URL or an API key; derived images are public.
    Private,
    /// Everything requires a signed URL or an API key, and is not cached.
    Authenticated,
}

impl DeliveryType {
    /// Returns the name of the type in the API.
    pub fn name(self) -> &'static str {
        match self {
            DeliveryType::Upload => "upload",
            DeliveryType::Private => "private",
            DeliveryType::Authenticated => "authenticated",
        }
    }
}

/// Level at which an effective setting is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AccessSource {
    /// The resource itself.
    Direct,
    /// The delivery type, which comes from the upload config.
    UploadConfig,
    /// A folder that contains the resource.
    Folder,
    /// The space.
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
}

impl EffectiveAccess {
    fn new(requires_auth: bool, source: AccessSource, inherited_from: String) -> EffectiveAccess {
        EffectiveAccess {
            requires_auth,
            public_read: !requires_auth,
            source,
            inherited_from,
        }
    }

    /// Returns the access control of a file: its own setting, else that of its delivery type, of
    /// the nearest folder with a setting, or of the space. `folders` is `None` if a folder of the
    /// file is missing, which requires authentication.
    pub fn of_file(file: &File, folders: Option<&FolderChain>, space: &Space) -> EffectiveAccess {
        if file.access_control.is_none() && file.delivery_type != DeliveryType::Upload {
            return EffectiveAccess::new(
                true,
                AccessSource::UploadConfig,
                file.upload_config_id.to_string(),
            );
        }
        EffectiveAccess::as_set(file, folders, space.into())
    }

    /// Returns the access control for the contents of the chain's leaf.
    pub fn of_folder(folders: &FolderChain, space: &Space) -> EffectiveAccess {
        let own = folders.leaf().map(|folder| folder.id);
        EffectiveAccess::inherited(own, folders, space.into())
    }

    /// Returns the access control of a file, ignoring its delivery type.
    fn as_set(
        file: &File,
        folders: Option<&FolderChain>,
        space: InheritedSettings<'_>,
    ) -> EffectiveAccess {
        match (file.access_control, folders) {
            (Some(direct), _) => EffectiveAccess::new(
                direct.requires_auth,
                AccessSource::Direct,
                file.id.to_string(),
            ),
            (None, Some(folders)) => EffectiveAccess::inherited(None, folders, space),
            // The missing folder might have required authentication.
            (None, None) => {
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

/// Returns the source of a setting of the folder `id`, as seen from the folder `own`; `None` for a file.
pub(super) fn source_of(id: FolderId, own: Option<FolderId>) -> AccessSource {
    if own == Some(id) {
        AccessSource::Direct
    } else {
        AccessSource::Folder
    }
}

/// Whether the original of a file requires a signed URL or an API key: by its delivery type or by its
/// effective access control.
pub fn requires_auth(file: &File, folders: &FolderChain, space: &DeliverySpace) -> bool {
    file.delivery_type != DeliveryType::Upload
        || EffectiveAccess::as_set(file, Some(folders), space.into()).requires_auth
}

/// Whether variants of a file require a signed URL or a key: as the original, but those of a private
/// file are public once they are rendered.
pub fn variants_require_auth(file: &File, folders: &FolderChain, space: &DeliverySpace) -> bool {
    Protection::of(file, Some(folders), space).always_requires_credentials
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

/// Protection of a file by its delivery type and its effective access control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protection {
    delivery_type: DeliveryType,
    /// Whether every request requires credentials, also for derived images.
    always_requires_credentials: bool,
}

impl Protection {
    /// Returns the protection of a file. `folders` is `None` if one of its folders is missing: such
    /// a file is not delivered, which counts as requiring credentials.
    pub fn of<'a>(
        file: &File,
        folders: Option<&FolderChain>,
        space: impl Into<InheritedSettings<'a>>,
    ) -> Protection {
        let requires_auth = EffectiveAccess::as_set(file, folders, space.into()).requires_auth;
        Protection {
            delivery_type: file.delivery_type,
            always_requires_credentials: requires_auth
                || file.delivery_type == DeliveryType::Authenticated,
        }
    }

    /// Whether any part of the protection is weaker than before, even if another part is stronger.
    pub fn is_weaker_than(self, before: Protection) -> bool {
        self.delivery_type < before.delivery_type
            || (before.always_requires_credentials && !self.always_requires_credentials)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EffectiveSecurity, Revision};

    const ID: &str = "01JCQZ4XK8V9W7Y6T5S4R3Q2P1";

    fn space() -> Space {
        let json = format!(
            r#"{{"id": "{ID}", "name": "a", "handle": "abcdef", "enabled": true, "folder_mode": "dynamic",
                "access_control": {{"requires_auth": false}},
                "security": {{"watermark": {{"enabled": false, "position": "southeast", "opacity": 0.5}}}},
                "active_upload_config_id": "{ID}", "created_at": 0, "updated_at": 0, "version": 0}}"#
        );
        serde_json::from_str(&json).expect("a space")
    }

    fn file(delivery_type: DeliveryType) -> File {
        let name = delivery_type.name();
        let json = format!(
            r#"{{"id": "{ID}", "space_id": "{ID}", "name": "a", "original_name": "a", "mime_type": "a", "extension": "a",
                "size": 1, "storage_path": "a", "delivery_type": "{name}", "resource_type": "image", "status": "active",
                "upload_config_id": "{ID}", "tags": [], "uploaded_by": {{"type": "api_key", "id": 1}},
                "created_at": 0, "updated_at": 0, "version": 0}}"#
        );
        serde_json::from_str(&json).expect("a file")
    }

    const TYPES: [DeliveryType; 3] = [
        DeliveryType::Upload,
        DeliveryType::Private,
        DeliveryType::Authenticated,
    ];

    #[test]
    fn delivery_type_and_space_each_require_auth_and_are_reported_as_source() {
        let mut space = space();
        for delivery_type in TYPES {
            for closed in [false, true] {
                let file = file(delivery_type);
                space.access_control.requires_auth = closed;
                let by_type = delivery_type != DeliveryType::Upload;

                assert_eq!(
                    requires_auth(&file, &FolderChain::default(), &DeliverySpace::from(&space)),
                    by_type || closed
                );

                let reported =
                    EffectiveAccess::of_file(&file, Some(&FolderChain::default()), &space);
                let source = if by_type {
                    AccessSource::UploadConfig
                } else {
                    AccessSource::Space
                };
                assert_eq!(
                    (reported.requires_auth, reported.source),
                    (by_type || closed, source)
                );
            }
        }
    }

    #[test]
    fn protection_is_weaker_with_weaker_type_or_newly_public_access() {
        let open = space();
        let mut closed = space();
        closed.access_control.requires_auth = true;

        let protection = |delivery_type, space| {
            Protection::of(&file(delivery_type), Some(&FolderChain::default()), space)
        };

        for (from, before) in TYPES.into_iter().enumerate() {
            for (to, after) in TYPES.into_iter().enumerate() {
                for (from_space, to_space, opens) in [
                    (&open, &open, false),
                    (&open, &closed, false),
                    (&closed, &closed, false),
                    (&closed, &open, true),
                ] {
                    let lowered =
                        protection(after, to_space).is_weaker_than(protection(before, from_space));
                    let expected = to < from || (opens && after != DeliveryType::Authenticated);
                    assert_eq!(lowered, expected, "{before:?} to {after:?}, opens: {opens}");
                }
            }
        }
    }

    #[test]
    fn file_with_missing_folder_requires_credentials() {
        let file = file(DeliveryType::Upload);
        let space = space();
        let missing = Protection::of(&file, None, &space);
        assert!(
            Protection::of(&file, Some(&FolderChain::default()), &space).is_weaker_than(missing)
        );
        assert!(!missing.is_weaker_than(missing));
    }

    #[test]
    fn watermark_without_stored_image_is_an_error() {
        let image = file(DeliveryType::Upload);
        let mut space = space();
        let watermark_of = |space: &Space| {
            EffectiveSecurity::of(&FolderChain::default(), space).watermark_of(&image)
        };
        assert_eq!(watermark_of(&space), Ok(None));

        space.security.watermark.enabled = true;
        assert!(watermark_of(&space).is_err());

        space.stored_watermark = Some(Revision::MIN);
        let watermark = watermark_of(&space).expect("a watermark");
        assert_eq!(
            watermark.map(|watermark| watermark.revision),
            Some(Revision::MIN)
        );
    }
}
