//! A folder as the API shows it.

use domain::{AccessSource, EffectiveAccess, EffectiveSecurity, Space, Watermark};
use serde::Serialize;
use tenant::FolderWithChain;

/// A folder, and what is in force for what is in it.
#[derive(Serialize)]
pub(crate) struct FolderView {
    id: String,
    name: String,
    path: Option<String>,
    space_id: String,
    parent_id: Option<String>,
    has_children: bool,
    access_control: EffectiveAccess,
    security: SecurityView,
    created_at: String,
    updated_at: String,
}

/// The security settings in force, and where they come from.
#[derive(Serialize)]
struct SecurityView {
    watermark: Watermark,
    source: AccessSource,
    inherited_from: String,
}

impl FolderView {
    pub(crate) fn of(found: &FolderWithChain, space: &Space) -> FolderView {
        let folder = found.folder();
        let security = EffectiveSecurity::of(found.chain(), space);
        FolderView {
            id: folder.id.to_string(),
            name: folder.name.as_str().to_owned(),
            path: found.chain().path(),
            space_id: folder.space_id.to_string(),
            parent_id: folder.parent_id().map(|id| id.to_string()),
            has_children: folder.has_children(),
            access_control: EffectiveAccess::of_folder(found.chain(), space),
            security: SecurityView {
                watermark: security.security.watermark.clone(),
                source: security.source,
                inherited_from: security.inherited_from,
            },
            created_at: folder.created_at.rfc3339(),
            updated_at: folder.updated_at.rfc3339(),
        }
    }
}
