//! A file as the API shows it, the same on every route.

use domain::{EffectiveAccess, File, FileStatus, FolderChain, Principal, ResourceType, Space, Tag};
use serde::Serialize;
use serde_json::{Map, Value};

/// Returns the URL that delivers a file, at `cdn_url` if its space has no custom domain; `None` while the file is pending.
pub fn file_url(file: &File, space: &Space, cdn_url: &str) -> Option<String> {
    if file.status == FileStatus::Pending {
        return None;
    }

    let origin = space.custom_domain.as_ref().map(|domain| format!("https://{}", domain.as_str()));
    Some(format!("{}/{}", origin.as_deref().unwrap_or(cdn_url), file.storage_path))
}

/// A file's record, as callers see it.
#[derive(Clone, Debug, Serialize)]
pub struct FileView {
    id: String,
    name: String,
    original_name: String,
    extension: String,
    mime_type: String,
    size: u64,
    storage_path: String,
    url: Option<String>,
    #[serde(rename = "type")]
    delivery_type: &'static str,
    resource_type: ResourceType,
    status: FileStatus,
    space_id: String,
    folder_id: Option<String>,
    folder_path: Option<String>,
    upload_config_id: String,
    #[serde(rename = "ref")]
    reference: Option<String>,
    tags: Vec<Tag>,
    checksum_sha256: Option<String>,
    /// Filled after the upload.
    storage_meta: Map<String, Value>,
    /// Filled after the upload.
    thumbnails: Vec<Value>,
    access_control: EffectiveAccess,
    uploaded_by: Principal,
    created_at: String,
    updated_at: String,
}

impl FileView {
    /// The view of a file in its folders, or in none that anyone could tell, in its space.
    pub fn of(file: &File, folders: Option<&FolderChain>, space: &Space, cdn_url: &str) -> FileView {
        FileView {
            id: file.id.to_string(),
            name: file.name.clone(),
            original_name: file.original_name.as_str().to_owned(),
            extension: file.extension.clone(),
            mime_type: file.mime_type.clone(),
            size: file.size,
            storage_path: file.storage_path.clone(),
            url: file_url(file, space, cdn_url),
            delivery_type: file.delivery_type.name(),
            resource_type: file.resource_type,
            status: file.status,
            space_id: file.space_id.to_string(),
            folder_id: file.folder_id().map(|id| id.to_string()),
            folder_path: folders.and_then(FolderChain::path),
            upload_config_id: file.upload_config_id.to_string(),
            reference: file.reference.as_ref().map(|reference| reference.as_str().to_owned()),
            tags: file.tags.clone(),
            checksum_sha256: file.checksum_sha256.clone(),
            storage_meta: Map::new(),
            thumbnails: Vec::new(),
            access_control: EffectiveAccess::of_file(file, folders, space),
            uploaded_by: file.uploaded_by,
            created_at: file.created_at.rfc3339(),
            updated_at: file.updated_at.rfc3339(),
        }
    }
}

/// An anonymous file as its uploader sees it: the values that it had when it became active.
#[derive(Clone, Debug, Serialize)]
pub struct AnonymousFileView {
    id: String,
    name: String,
    original_name: String,
    mime_type: String,
    size: u64,
    #[serde(rename = "type")]
    delivery_type: &'static str,
    resource_type: ResourceType,
    status: FileStatus,
    url: Option<String>,
    created_at: String,
}

impl AnonymousFileView {
    /// Returns the view of a file of a space. Changes that others made since its activation do not show.
    pub fn of(file: &File, space: &Space, cdn_url: &str) -> AnonymousFileView {
        let kept = file.at_activation.as_ref();
        let original_name = kept.map_or(&file.original_name, |kept| &kept.original_name);
        let delivery_type = kept.map_or(file.delivery_type, |kept| kept.delivery_type);

        AnonymousFileView {
            id: file.id.to_string(),
            name: file.name.clone(),
            original_name: original_name.as_str().to_owned(),
            mime_type: file.mime_type.clone(),
            size: file.size,
            delivery_type: delivery_type.name(),
            resource_type: file.resource_type,
            status: file.status,
            url: file_url(file, space, cdn_url),
            created_at: file.created_at.rfc3339(),
        }
    }
}
