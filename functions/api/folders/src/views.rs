//! Views of folders in responses.

use domain::{
    access::{EffectiveAccess, EffectiveSecurity, SettingSource},
    folders::FolderName,
    id::{FolderId, SpaceId},
    settings::{TransformationPolicy, Watermark},
    spaces::Space,
};
use http_api::response::Rfc3339;
use schemars::JsonSchema;
use serde::Serialize;
use space_store::folders::ResolvedFolder;

/// A folder in a list, with the effective access control and security settings of its content.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FolderSummary")]
pub(crate) struct FolderView {
    id: FolderId,
    name: FolderName,
    /// Names of the folders from the root to this one, each followed by a slash:
    /// `photos/vacation/`.
    path: Option<String>,
    /// Id of the space.
    space_id: SpaceId,
    /// Id of the parent folder. Null at the root.
    parent_id: Option<FolderId>,
    /// Whether the folder contains other folders.
    has_children: bool,
    /// Access control of the content, its own or inherited.
    access_control: EffectiveAccess,
    /// Security settings of the content, each its own or inherited.
    security: FolderSecurityView,
    created_at: Rfc3339,
    /// Time of the last change.
    updated_at: Rfc3339,
}

/// A folder with its ancestors.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Folder")]
pub(crate) struct DetailedFolderView {
    #[serde(flatten)]
    folder: FolderView,
    /// The folders above it, that at the root first.
    ancestors: Vec<AncestorView>,
}

/// A folder above another one.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FolderAncestor")]
struct AncestorView {
    id: FolderId,
    name: FolderName,
}

impl DetailedFolderView {
    /// Creates the view of a folder.
    pub(crate) fn of(resolved: &ResolvedFolder, space: &Space) -> DetailedFolderView {
        let chain = resolved.chain().folders();
        let above = chain.split_last().map_or(chain, |(_, above)| above);
        let ancestors = above.iter().map(|folder| AncestorView {
            id: folder.id,
            name: folder.name.clone(),
        });

        DetailedFolderView {
            folder: FolderView::of(resolved, space),
            ancestors: ancestors.collect(),
        }
    }
}

/// The effective security settings of a folder's content.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FolderSecurity")]
struct FolderSecurityView {
    /// Watermark of delivered images.
    watermark: Watermark,
    /// Who may create transformed images.
    transformations: TransformationPolicy,
    /// Where each of the settings is set.
    sources: FolderSecuritySources,
}

/// Where the effective security settings of a folder's content are set.
#[derive(Serialize, JsonSchema)]
struct FolderSecuritySources {
    /// Where `watermark` is set.
    watermark: SettingSource,
    /// Where `transformations` is set.
    transformations: SettingSource,
}

impl FolderSecurityView {
    fn of(security: EffectiveSecurity<'_>) -> FolderSecurityView {
        FolderSecurityView {
            watermark: security.watermark.watermark.clone(),
            transformations: security.transformations,
            sources: FolderSecuritySources {
                watermark: security.watermark.source,
                transformations: security.transformations_source,
            },
        }
    }
}

impl FolderView {
    /// Creates the view of a folder.
    pub(crate) fn of(resolved: &ResolvedFolder, space: &Space) -> FolderView {
        let folder = resolved.folder();
        let security = EffectiveSecurity::of(resolved.chain(), space);

        FolderView {
            id: folder.id,
            name: folder.name.clone(),
            path: resolved.chain().path(),
            space_id: folder.space_id,
            parent_id: folder.parent_id(),
            has_children: folder.has_children(),
            access_control: EffectiveAccess::of_folder(resolved.chain(), space),
            security: FolderSecurityView::of(security),
            created_at: folder.created_at.into(),
            updated_at: folder.updated_at.into(),
        }
    }
}
