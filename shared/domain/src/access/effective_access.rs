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
pub fn variants_require_auth<'a>(
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
        EffectiveSecurity, Revision,
        access::fixtures::{TYPES, file, space},
    };

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
