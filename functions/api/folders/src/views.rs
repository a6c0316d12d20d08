//! A folder as the API shows it.

use domain::{
    AccessSource, EffectiveAccess, EffectiveSecurity, FolderId, FolderName, Space, SpaceId,
    Watermark,
};
use schemars::JsonSchema;
use serde::Serialize;
use tenant::ResolvedFolder;
use web::Rfc3339;

/// A folder, and what is in force for what is in it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct FolderView {
    id: FolderId,
    name: FolderName,
    path: Option<String>,
    space_id: SpaceId,
    parent_id: Option<FolderId>,
    has_children: bool,
    access_control: EffectiveAccess,
    security: FolderSecurityView,
    created_at: Rfc3339,
    updated_at: Rfc3339,
}

/// The security settings in force, and where they come from.
#[derive(Serialize, JsonSchema)]
struct FolderSecurityView {
    watermark: Watermark,
    source: AccessSource,
    inherited_from: String,
}

impl FolderView {
    pub(crate) fn of(found: &ResolvedFolder, space: &Space) -> FolderView {
        let folder = found.folder();
        let security = EffectiveSecurity::of(found.chain(), space);
        FolderView {
            id: folder.id,
            name: folder.name.clone(),
            path: found.chain().path(),
            space_id: folder.space_id,
            parent_id: folder.parent_id(),
            has_children: folder.has_children(),
            access_control: EffectiveAccess::of_folder(found.chain(), space),
            security: FolderSecurityView {
                watermark: security.security.watermark.clone(),
                source: security.source,
                inherited_from: security.inherited_from,
            },
            created_at: folder.created_at.into(),
            updated_at: folder.updated_at.into(),
        }
    }
}
