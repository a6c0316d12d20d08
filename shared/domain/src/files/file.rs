//! File records, and how a record is created and activated.
//!
//! Invariants:
//! - Only [`File::new`] creates a record. It is pending until [`File::activate`].
//! - `name`, `storage_path`, `mime_type`, `extension` and `resource_type` are consistent.

use serde::{Deserialize, Serialize};

use crate::{
    env::{Env, Timestamp},
    files::{
        ActivationSnapshot, CustomMetadata, MediaType, ProcessedMedia, ResourceType, Trash,
        stored_name::NameSource,
    },
    folders::{FolderChain, FolderRef},
    id::{FileId, FolderId, Revision, SpaceId, UploadConfigId},
    keys::Principal,
    naming::{AltText, ImageSize, OriginalName, Reference, Tag, Title},
    requests::{HourlyQuota, UnsignedClient},
    settings::{AccessControl, DeliveryType, FileStatus, FolderMode, WebhookEvent},
    spaces::Space,
    uploads::{SigningApiKey, UploadConfig, UploadRules},
};

/// Maximum size of a file, in bytes: 5 GB, the [limit of one S3
/// `PutObject`](https://docs.aws.amazon.com/AmazonS3/latest/userguide/upload-objects.html).
pub const MAX_FILE_BYTES: i64 = 5 << 30;

/// Requirements for the bytes of a presigned upload, checked when it is confirmed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PendingUpload {
    /// The rules of the upload config when the file was declared.
    pub rules: UploadRules,
    /// The declared MIME type.
    pub content_type: String,
    /// The only allowed MIME type, if the URL that declared the file was signed for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_type: Option<String>,
    /// The key of the signed URL that declared the file, with which the confirmation ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_by: Option<SigningApiKey>,
    /// The client of an unsigned upload, which it counts for once it is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<UnsignedClient>,
    /// The active file whose bytes the upload replaces, instead of becoming a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<FileId>,
}

/// Destination and owner of the files of one upload.
#[derive(Clone, Debug)]
pub struct UploadTarget<'a> {
    /// Space of the files.
    pub space: &'a Space,
    /// Upload config of the files.
    pub config: &'a UploadConfig,
    /// Folder of the files with its ancestors; empty for the root.
    pub folders: FolderChain,
    /// Reference chosen by the caller.
    pub reference: Option<Reference>,
    /// Principal that uploads the files.
    pub uploaded_by: Principal,
}

impl UploadTarget<'_> {
    /// Returns the storage path of a file with this stored name.
    fn storage_path(&self, name: &str) -> String {
        match self.space.folder_mode {
            FolderMode::Dynamic => format!("{}/{name}", self.space.handle),
            FolderMode::Fixed => {
                format!("{}/{}{name}", self.space.handle, self.folders.slug_path())
            }
        }
    }
}

/// Properties of one file of an upload, before its bytes are stored.
#[derive(Clone, Debug)]
pub struct FileProperties {
    /// Id of the file.
    pub id: FileId,
    /// Name that the client uploads the file under.
    pub original_name: OriginalName,
    /// Declared or detected type.
    pub media_type: MediaType,
    /// Size in bytes.
    pub size: u64,
}

/// Validated and stored bytes with which a file is activated.
#[derive(Clone, Debug)]
pub struct StoredContent {
    /// The type detected from the bytes.
    pub media_type: MediaType,
    /// Size in bytes.
    pub size: u64,
    /// Whether all bytes that were read are UTF-8.
    pub is_utf8: bool,
    /// Revision of the object that holds the bytes.
    pub revision: Revision,
    /// SHA-256 in lower-case hex; `None` above 50 MB.
    pub checksum_sha256: Option<String>,
    /// Size of an image; `None` if its headers were not read, or do not contain it.
    pub image_size: Option<ImageSize>,
}

/// Stored record of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct File {
    /// Id of the file.
    pub id: FileId,
    /// Space of the file.
    pub space_id: SpaceId,
    /// Stored name, the last segment of `storage_path`. For a pending file, name, type and
    /// extension follow from what the client declared.
    pub name: String,
    /// Name that the client uploaded the file under.
    pub original_name: OriginalName,
    /// MIME type, detected from the bytes.
    pub mime_type: String,
    /// Extension of the MIME type.
    pub extension: String,
    /// Size in bytes.
    pub size: u64,
    /// Path of the delivery URL: `{handle}/{name}`, with the folders in between if the space has
    /// folder mode `fixed`. Contains only `A-Za-z0-9._/-`, which need no URL encoding.
    pub storage_path: String,
    /// Folder of the file; `None` at the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<FolderRef>,
    /// Access control of the file; `None` inherits it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_control: Option<AccessControl>,
    /// How the file is delivered.
    pub delivery_type: DeliveryType,
    /// Delivery type of the upload config at the upload; `None` while the file has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_delivery_type: Option<DeliveryType>,
    /// Category of the MIME type.
    pub resource_type: ResourceType,
    /// Whether the bytes are available.
    pub status: FileStatus,
    /// Upload config that the file was uploaded with.
    pub upload_config_id: UploadConfigId,
    /// Reference chosen by the caller.
    pub reference: Option<Reference>,
    /// Tags, each once.
    pub tags: Vec<Tag>,
    /// Title, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Title>,
    /// Alternative text of an image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alt: Option<AltText>,
    /// Metadata that clients assign.
    #[serde(default, skip_serializing_if = "CustomMetadata::is_empty")]
    pub metadata: CustomMetadata,
    /// Revision of the object that holds the bytes; `None` for a pending file.
    pub revision: Option<Revision>,
    /// SHA-256 of the bytes in lower-case hex; `None` for a pending file and above 50 MB.
    pub checksum_sha256: Option<String>,
    /// Whether it is UTF-8 text, which the delivered `Content-Type` states.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_utf8: bool,
    /// Size of an image, as its headers stated at activation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_size: Option<ImageSize>,
    /// Requirements for the bytes; only set for a pending presigned upload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_upload: Option<PendingUpload>,
    /// Results of the processing after the upload; `None` until it is complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media: Option<ProcessedMedia>,
    /// Values shown to the anonymous uploader instead of the current ones; set by the first change
    /// that replaces them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activation_snapshot: Option<ActivationSnapshot>,
    /// When a trashed file was deleted and is purged; `None` in other states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trash: Option<Trash>,
    /// Principal that uploaded the file.
    pub uploaded_by: Principal,
    /// Time when the record was created, from which its deadlines count. Clients see the time of
    /// the id, in whose order lists are: a request that is repeated under the same ids creates the
    /// record later.
    pub created_at: Timestamp,
    /// Time when the bytes became available; `None` for a pending file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activated_at: Option<Timestamp>,
    /// Time when the bytes were last replaced; `None` if they are those of the activation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_at: Option<Timestamp>,
    /// Number of changes to its delivery type, access control or folder.
    #[serde(default)]
    pub access_version: u64,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Number of writes, for optimistic locking.
    pub version: u64,
}

impl File {
    /// Creates the pending record of a file whose bytes are not stored yet.
    pub fn new(properties: FileProperties, target: &UploadTarget<'_>, env: &Env) -> File {
        let FileProperties {
            id,
            original_name,
            media_type,
            size,
        } = properties;
        let config = target.config;
        let now = env.now();

        let source = NameSource {
            id,
            original_name: &original_name,
            media_type: &media_type,
        };
        let name = source.stored_name(&config.config.storage, env);

        File {
            id,
            space_id: target.space.id,
            storage_path: target.storage_path(&name),
            folder: target.folders.leaf_ref(),
            access_control: None,
            name,
            original_name,
            mime_type: media_type.mime_type,
            extension: media_type.extension,
            size,
            delivery_type: config.delivery_type,
            config_delivery_type: None,
            resource_type: media_type.resource_type,
            status: FileStatus::Pending,
            upload_config_id: config.id,
            reference: target.reference.clone(),
            tags: config.config.metadata.tags.clone(),
            title: None,
            alt: None,
            metadata: CustomMetadata::default(),
            revision: None,
            checksum_sha256: None,
            is_utf8: false,
            image_size: None,
            pending_upload: None,
            media: None,
            activation_snapshot: None,
            trash: None,
            uploaded_by: target.uploaded_by,
            created_at: now,
            activated_at: None,
            replaced_at: None,
            access_version: 0,
            updated_at: now,
            version: 0,
        }
    }

    /// Activates a pending file. Renames a presigned upload whose bytes have another type than it
    /// was declared with.
    pub fn activate(&mut self, content: StoredContent, at: Timestamp, env: &Env) {
        let media_type = &content.media_type;
        let is_as_declared = self.extension == media_type.extension
            && self.resource_type == media_type.resource_type;

        if let Some(pending) = self.pending_upload.take().filter(|_| !is_as_declared) {
            let source = NameSource {
                id: self.id,
                original_name: &self.original_name,
                media_type,
            };
            let name = source.stored_name(&pending.rules.storage, env);
            let folder = self
                .storage_path
                .rsplit_once('/')
                .map_or("", |(folder, _)| folder);
            self.storage_path = format!("{folder}/{name}");
            self.name = name;
        }

        self.set_content(content);
        self.status = FileStatus::Active;
        self.activated_at = Some(at);
        self.updated_at = at;
    }

    /// Replaces the bytes of an active file by those of a type with the same extension. Their
    /// processing follows.
    pub fn replace(&mut self, content: StoredContent, at: Timestamp) {
        self.set_content(content);
        self.media = None;
        self.replaced_at = Some(at);
    }

    fn set_content(&mut self, content: StoredContent) {
        let StoredContent {
            media_type,
            size,
            is_utf8,
            revision,
            checksum_sha256,
            image_size,
        } = content;

        self.is_utf8 = is_utf8 && media_type.resource_type == ResourceType::Text;
        self.mime_type = media_type.mime_type;
        self.extension = media_type.extension;
        self.resource_type = media_type.resource_type;
        self.size = size;
        self.revision = Some(revision);
        self.checksum_sha256 = checksum_sha256;
        self.image_size = image_size;
    }

    /// Sets the delivery type, and records that of the upload config if it differs.
    pub fn set_delivery_type(&mut self, delivery_type: DeliveryType) {
        let configured = self.config_delivery_type.unwrap_or(self.delivery_type);
        self.delivery_type = delivery_type;
        self.config_delivery_type = (configured != delivery_type).then_some(configured);
    }

    /// Returns the quota that a pending unsigned upload counts for, when it is created and when it
    /// becomes active: that of its client, with the maximum of the presign request. `None` for
    /// other files.
    pub fn pending_quota(&self, now: Timestamp) -> Option<HourlyQuota> {
        let client = self.pending_upload.as_ref()?.client.clone()?;
        Some(HourlyQuota::new(self.upload_config_id, client, now))
    }

    /// Returns the id of its folder; `None` at the root.
    pub fn folder_id(&self) -> Option<FolderId> {
        self.folder.as_ref().map(|folder| folder.id)
    }

    /// Whether the pixels of an image can be transparent; `None` until it is processed.
    pub fn has_alpha(&self) -> Option<bool> {
        self.media.as_ref()?.meta.has_alpha
    }

    /// Returns the size of an image: as it was read at activation, else as it was read afterwards.
    pub fn displayed_size(&self) -> Option<ImageSize> {
        self.image_size.or_else(|| {
            let meta = &self.media.as_ref()?.meta;
            Some(ImageSize {
                width: meta.width?,
                height: meta.height?,
            })
        })
    }

    /// Increments `access_version` if delivery type, access control or folder differ from `before`.
    pub fn bump_access_version(&mut self, before: &File) {
        let is_changed = self.delivery_type != before.delivery_type
            || self.access_control != before.access_control
            || self.folder_id() != before.folder_id();
        if is_changed {
            self.access_version = before.access_version + 1;
        }
    }

    /// Returns the time from which the file has its bytes; `None` if they were replaced, since
    /// dates of HTTP have seconds, in one of which a reader can meet several bytes (RFC 9110,
    /// 8.8.2.2).
    pub fn last_modified(&self) -> Option<Timestamp> {
        let uploaded = self.activated_at.unwrap_or(self.created_at);
        self.replaced_at.is_none().then_some(uploaded)
    }

    /// Returns the event of the bytes of an active file: their upload, or their replacement.
    pub fn content_event(&self) -> WebhookEvent {
        match self.replaced_at {
            Some(_) => WebhookEvent::Replaced,
            None => WebhookEvent::Uploaded,
        }
    }
}
