//! JSON representations of files, the same on every route.

use std::borrow::Cow;

use domain::{
    access::EffectiveAccess,
    files::{
        CustomMetadata, File, ProcessedMedia, ProcessingStatus, ResourceType, StorageMeta,
        Thumbnail,
    },
    folders::FolderChain,
    id::{FileId, FolderId, SpaceId, UploadConfigId},
    keys::Principal,
    naming::{AltText, OriginalName, Reference, Tag, Title},
    settings::{DeliveryType, FileStatus},
    signing::decoded_parameters,
    spaces::Space,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, Serializer, ser::SerializeMap as _};
use serde_json::json;

use crate::response::{FileFields, Rfc3339, UrlSigner};

/// Returns the delivery URL of a file, on the space's custom domain or else `cdn_url`; `None` while
/// the file is pending or trashed.
pub fn file_url(file: &File, space: &Space, cdn_url: &str) -> Option<String> {
    if file.status != FileStatus::Active {
        return None;
    }

    let origin = space
        .custom_domain
        .as_ref()
        .map(|domain| format!("https://{}", domain.as_str()));
    Some(format!(
        "{}/{}",
        origin.as_deref().unwrap_or(cdn_url),
        file.storage_path
    ))
}

/// Declares the view of a file, the names of its fields, and the serialization of selected fields.
macro_rules! file_view {
    (
        $(#[$attribute:meta])*
        pub struct FileView {
            $($(#[doc = $doc:literal])* $(#[serde(rename = $rename:literal)])? $field:ident: $type:ty,)*
        }
    ) => {
        $(#[$attribute])*
        pub struct FileView {
            $($(#[doc = $doc])* $(#[serde(rename = $rename)])? $field: $type,)*
        }

        /// A field of the view. Requests name it as it is serialized.
        #[derive(Clone, Copy, Deserialize)]
        #[expect(non_camel_case_types, reason = "the names of the fields")]
        pub(crate) enum FileField {
            $($(#[serde(rename = $rename)])? $field,)*
        }

        pub(crate) const FIELD_COUNT: usize = [$(FileField::$field),*].len();

        /// The names of all fields, separated by commas.
        pub(crate) const FIELD_NAMES: &str =
            concat!($(", ", file_view!(@name $field $($rename)?)),*).split_at(", ".len()).1;

        impl Serialize for SelectedFileView {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let SelectedFileView { view, fields } = self;
                let mut selected = serializer.serialize_map(None)?;
                $(if fields.contains(FileField::$field) {
                    selected.serialize_entry(file_view!(@name $field $($rename)?), &view.$field)?;
                })*
                selected.end()
            }
        }
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $rename:literal) => { $rename };
}

/// A thumbnail of an image.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Thumbnail")]
pub struct ThumbnailView {
    /// Width in pixels.
    width: u32,
    /// Height in pixels.
    height: u32,
    /// Delivery URL, under the same access control as the URL of the file.
    url: String,
}

impl ThumbnailView {
    /// Returns the thumbnails of a file with a delivery URL; none without a URL.
    fn all(file: &File, file_url: Option<&str>) -> Vec<ThumbnailView> {
        let Some(file_url) = file_url else {
            return Vec::new();
        };
        let thumbnails = file.thumbnails().into_iter();
        thumbnails
            .map(|thumbnail| ThumbnailView::of(&thumbnail, file_url))
            .collect()
    }

    fn of(thumbnail: &Thumbnail, file_url: &str) -> ThumbnailView {
        ThumbnailView {
            width: thumbnail.width,
            height: thumbnail.height,
            url: format!("{file_url}?{}", thumbnail.query),
        }
    }
}

/// The processing after an upload, which extracts metadata and creates eager renditions.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "Processing")]
pub(crate) struct ProcessingView {
    /// How far the processing is.
    status: ProcessingStatus,
    /// Why the file could not be processed. Null unless the processing failed.
    error: Option<String>,
}

impl From<&ProcessedMedia> for ProcessingView {
    fn from(media: &ProcessedMedia) -> ProcessingView {
        ProcessingView {
            status: media.status(),
            error: media.failure.clone(),
        }
    }
}

file_view! {
    /// A file. With the parameter `fields`, a response has the selected fields only.
    #[derive(Clone, Debug, Serialize, JsonSchema)]
    #[schemars(rename = "FileRecord")]
    pub struct FileView {
        id: FileId,
        /// Stored name: the last segment of `storage_path`.
        name: String,
        original_name: OriginalName,
        /// Extension of the MIME type, without a dot.
        extension: String,
        /// MIME type: detected from the bytes, or declared while the file is pending.
        mime_type: String,
        /// Size in bytes.
        size: u64,
        /// Path of the file at the CDN.
        storage_path: String,
        /// Delivery URL. Null while the file is pending or trashed.
        url: Option<String>,
        /// How the file is delivered.
        #[serde(rename = "type")]
        delivery_type: DeliveryType,
        /// Category of the file, derived from its MIME type.
        resource_type: ResourceType,
        /// Whether the bytes are stored and validated, and the file is not deleted.
        status: FileStatus,
        /// Time when the file was moved to the trash. Null unless it is trashed.
        trashed_at: Option<Rfc3339>,
        /// Time from which the file is purged, within about a day. Null unless it is trashed.
        purge_at: Option<Rfc3339>,
        /// Id of the space.
        space_id: SpaceId,
        /// Id of the folder. Null at the root.
        folder_id: Option<FolderId>,
        /// Names of the folders, each followed by a slash: `photos/vacation/`. Null at the root.
        folder_path: Option<String>,
        /// Id of the upload config.
        upload_config_id: UploadConfigId,
        #[serde(rename = "ref")]
        reference: Option<Reference>,
        /// Tags, each once.
        tags: Vec<Tag>,
        /// Title, for people.
        title: Option<Title>,
        /// Alternative text of an image.
        alt: Option<AltText>,
        /// Metadata that clients assign.
        metadata: CustomMetadata,
        /// SHA-256 of the bytes, in lower-case hex. Null if unknown.
        checksum_sha256: Option<String>,
        /// Metadata, extracted after the upload.
        storage_meta: StorageMeta,
        /// Thumbnails of an image, listed once it is processed, the smallest first. They are
        /// rendered by their first request, except eager ones.
        thumbnails: Vec<ThumbnailView>,
        /// Processing of the file after its upload.
        processing: ProcessingView,
        /// Access control of the file as delivery enforces it.
        access_control: EffectiveAccess,
        /// Uploader of the file: a user, a key or an anonymous caller.
        uploaded_by: Principal,
        created_at: Rfc3339,
        /// Time of the last change.
        updated_at: Rfc3339,
    }
}

impl FileView {
    /// Signs the URLs of a file that requires it.
    #[must_use]
    pub fn signed_by(mut self, signer: &UrlSigner) -> FileView {
        let Some(file_url) = self.url.as_deref() else {
            return self;
        };
        if !self.access_control.requires_auth {
            return self;
        }

        for thumbnail in &mut self.thumbnails {
            let query = thumbnail.url.split_once('?').map_or("", |(_, query)| query);
            let parameters = decoded_parameters(query).expect("the query of a thumbnail is ASCII");
            thumbnail.url = signer.sign(file_url, &self.storage_path, &parameters);
        }
        self.url = Some(signer.sign(file_url, &self.storage_path, &[]));
        self
    }

    /// Returns the view of these fields only.
    pub fn select(self, fields: FileFields) -> SelectedFileView {
        SelectedFileView { view: self, fields }
    }

    /// Returns the view of a file with the chain of its folder; `None` if that could not be
    /// resolved. The pattern lists all fields of the record, so that a new field is shown or
    /// excluded on purpose.
    pub fn of(file: &File, chain: Option<&FolderChain>, space: &Space, cdn_url: &str) -> FileView {
        let File {
            id,
            space_id,
            name,
            original_name,
            mime_type,
            extension,
            size,
            storage_path,
            folder,
            access_control: _,
            delivery_type,
            config_delivery_type: _,
            resource_type,
            status,
            upload_config_id,
            reference,
            tags,
            title,
            alt,
            metadata,
            revision: _,
            checksum_sha256,
            is_utf8: _,
            image_size: _,
            pending_upload: _,
            media,
            activation_snapshot: _,
            trash,
            uploaded_by,
            created_at: _,
            activated_at: _,
            replaced_at: _,
            access_version: _,
            updated_at,
            version: _,
        } = file.clone();

        let url = file_url(file, space, cdn_url);

        FileView {
            id,
            name,
            original_name,
            extension,
            mime_type,
            size,
            storage_path,
            thumbnails: ThumbnailView::all(file, url.as_deref()),
            url,
            delivery_type,
            resource_type,
            status,
            trashed_at: trash.map(|trash| trash.at.into()),
            purge_at: trash.map(|trash| trash.purge_at.into()),
            space_id,
            folder_id: folder.map(|folder| folder.id),
            folder_path: chain.and_then(FolderChain::path),
            upload_config_id,
            reference,
            tags,
            title,
            alt,
            metadata,
            checksum_sha256,
            processing: media.as_ref().map(ProcessingView::from).unwrap_or_default(),
            storage_meta: media.unwrap_or_default().meta,
            access_control: EffectiveAccess::of_file(file, chain, space),
            uploaded_by,
            created_at: id.created_at().into(),
            updated_at: updated_at.into(),
        }
    }
}

/// The fields of a file that the request selects.
pub struct SelectedFileView {
    view: FileView,
    fields: FileFields,
}

impl JsonSchema for SelectedFileView {
    fn schema_name() -> Cow<'static, str> {
        "SelectedFileRecord".into()
    }

    fn json_schema(schemas: &mut SchemaGenerator) -> Schema {
        let mut schema = FileView::json_schema(schemas);
        schema.insert("required".to_owned(), json!(["id"]));
        schema.insert(
            "description".to_owned(),
            json!("The selected fields of a file, by default all."),
        );
        schema
    }
}

/// A file that was uploaded without an API key, with its values at activation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "AnonymousFile")]
pub struct AnonymousFileView {
    id: FileId,
    /// Stored name: the last segment of the URL.
    name: String,
    original_name: OriginalName,
    /// MIME type: detected from the bytes, or declared while the file is pending.
    mime_type: String,
    /// Size in bytes.
    size: u64,
    /// How the file is delivered.
    #[serde(rename = "type")]
    delivery_type: DeliveryType,
    /// Category of the file, derived from its MIME type.
    resource_type: ResourceType,
    /// Whether the bytes are stored and validated.
    status: FileStatus,
    /// Delivery URL. Null while the file is pending.
    url: Option<String>,
    created_at: Rfc3339,
}

impl AnonymousFileView {
    /// Returns the view of a file. It does not show changes since the activation.
    pub fn of(file: &File, space: &Space, cdn_url: &str) -> AnonymousFileView {
        let activated = file.activation_snapshot.as_ref();
        let original_name =
            activated.map_or(&file.original_name, |activated| &activated.original_name);
        let delivery_type =
            activated.map_or(file.delivery_type, |activated| activated.delivery_type);

        let content = activated.and_then(|activated| activated.content.as_ref());
        let mime_type = content.map_or(&file.mime_type, |content| &content.mime_type);
        let resource_type = content.map_or(file.resource_type, |content| content.resource_type);

        AnonymousFileView {
            id: file.id,
            name: file.name.clone(),
            original_name: original_name.clone(),
            mime_type: mime_type.clone(),
            size: content.map_or(file.size, |content| content.size),
            delivery_type,
            resource_type,
            status: file.status,
            url: file_url(file, space, cdn_url),
            created_at: file.id.created_at().into(),
        }
    }
}
