//! Files: their records, and how a record is created and activated.
//!
//! Invariants:
//! - A record is created by [`File::new`] alone, with every field, and is pending until
//!   [`File::activate`].
//! - `name`, `storage_path`, `mime_type`, `extension` and `resource_type` fit one another.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AccessControl, DeliveryType, Env, FileId, FolderChain, FolderId, FolderMode, FolderRef,
    OriginalName, Principal, Reference, Revision, Space, SpaceId, Tag, Timestamp, UploadConfig,
    UploadConfigId, UploadRules, naming::stored_name::stored_name,
};

/// Maximum size of a file, in bytes: 5 GB, the most that storage takes at once.
pub const MAX_FILE_BYTES: i64 = 5 << 30;

/// What kind of thing a file is, told by its stored type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ResourceType {
    /// A picture.
    Image,
    /// Moving pictures.
    Video,
    /// Sound.
    Audio,
    /// Plain text, markup, source code.
    Text,
    /// Something made to be printed or presented.
    Document,
    /// A packed collection of files.
    Archive,
    /// Anything else.
    Other,
}

/// Whether a file's bytes are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FileStatus {
    /// They have been announced.
    Pending,
    /// They are there, and were found to be what the rules ask for.
    Active,
}

/// What the bytes of a file are: their type, the extension that goes with it, and what kind of
/// thing that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaType {
    /// `image/jpeg`.
    pub mime_type: String,
    /// `jpg`, of `a-z0-9`.
    pub extension: String,
    /// What kind of thing it is.
    pub resource_type: ResourceType,
}

/// What the bytes of a presigned upload have to comply with once they are sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PendingUpload {
    /// The rules of the upload config when the file was declared.
    pub rules: UploadRules,
    /// The declared MIME type.
    pub content_type: String,
    /// The only allowed MIME type, if the URL that declared the file was signed for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_type: Option<String>,
}

/// What the files of one upload have in common: where they go, under which config, and in whose
/// name.
#[derive(Clone, Debug)]
pub struct UploadTarget<'a> {
    /// The space.
    pub space: &'a Space,
    /// The upload config.
    pub config: &'a UploadConfig,
    /// The folders that the files are put into.
    pub folders: FolderChain,
    /// The caller's own reference.
    pub reference: Option<Reference>,
    /// The uploader.
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

/// The validated and stored bytes that make a file active.
#[derive(Clone, Debug)]
pub struct StoredContent {
    /// The type detected from the bytes.
    pub media_type: MediaType,
    /// Size in bytes.
    pub size: u64,
    /// Whether all bytes that were read are UTF-8.
    pub is_utf8: bool,
    /// The object that holds the bytes.
    pub revision: Revision,
    /// SHA-256 in lower-case hex; `None` above 50 MB.
    pub checksum_sha256: Option<String>,
}

/// What an anonymous uploader has seen of a file, where a later change replaced it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActivationSnapshot {
    /// The original name at activation.
    pub original_name: OriginalName,
    /// The delivery type at activation.
    pub delivery_type: DeliveryType,
}

/// A file's record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct File {
    /// Its id.
    pub id: FileId,
    /// The space it belongs to.
    pub space_id: SpaceId,
    /// Its stored name, the last part of where it is delivered. Until the bytes are there, type,
    /// extension and name are what the client's word makes of them.
    pub name: String,
    /// The name it was uploaded under.
    pub original_name: OriginalName,
    /// The stored type, told from the bytes.
    pub mime_type: String,
    /// The stored type's extension.
    pub extension: String,
    /// Bytes.
    pub size: u64,
    /// Where it is delivered: `{handle}/{name}`, with its folders between the two where its space
    /// is of the mode `fixed`; of `A-Za-z0-9._/-` only, so that no encoding can change it.
    pub storage_path: String,
    /// The folder it is in; none, at the top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<FolderRef>,
    /// Who may see it, where it says so itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_control: Option<AccessControl>,
    /// How it is delivered.
    pub delivery_type: DeliveryType,
    /// What kind of thing it is.
    pub resource_type: ResourceType,
    /// Whether its bytes are there.
    pub status: FileStatus,
    /// The upload config it came in by.
    pub upload_config_id: UploadConfigId,
    /// The caller's own reference.
    pub reference: Option<Reference>,
    /// What it is marked with.
    pub tags: Vec<Tag>,
    /// Which object holds its bytes; none, until they are there.
    pub revision: Option<Revision>,
    /// SHA-256 of the bytes, in lower-case hex; none, until they are there, and for more than 50
    /// MB.
    pub checksum_sha256: Option<String>,
    /// Whether it is text in UTF-8, which its delivered content type says.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_utf8: bool,
    /// What its bytes have to comply with; set for a pending presigned upload only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_upload: Option<PendingUpload>,
    /// What its anonymous uploader is shown in place of the present values; set by the first change
    /// that replaces them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activation_snapshot: Option<ActivationSnapshot>,
    /// Who uploaded it.
    pub uploaded_by: Principal,
    /// When it was uploaded.
    pub created_at: Timestamp,
    /// When its bytes became available; `None` for a pending file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activated_at: Option<Timestamp>,
    /// Number of changes of its type or of its own access control.
    #[serde(default)]
    pub access_version: u64,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// How often it was changed: whoever changes it says which version they changed.
    pub version: u64,
}

impl File {
    /// Creates the pending record of a file whose bytes are not stored yet.
    pub fn new(
        id: FileId,
        target: &UploadTarget<'_>,
        original_name: OriginalName,
        media_type: MediaType,
        size: u64,
        env: &Env,
    ) -> File {
        let config = target.config;
        let name = stored_name(&config.config.storage, id, &media_type, &original_name, env);
        let now = env.now();

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
            resource_type: media_type.resource_type,
            status: FileStatus::Pending,
            upload_config_id: config.id,
            reference: target.reference.clone(),
            tags: config.config.metadata.tags.clone(),
            revision: None,
            checksum_sha256: None,
            is_utf8: false,
            pending_upload: None,
            activation_snapshot: None,
            uploaded_by: target.uploaded_by,
            created_at: now,
            activated_at: None,
            access_version: 0,
            updated_at: now,
            version: 0,
        }
    }

    /// Makes a pending file active. The stored name of a presigned upload changes if the bytes are
    /// of another type than it was declared with.
    pub fn activate(&mut self, content: StoredContent, at: Timestamp, env: &Env) {
        let StoredContent {
            media_type,
            size,
            is_utf8,
            revision,
            checksum_sha256,
        } = content;
        let is_as_declared = (&self.extension, self.resource_type)
            == (&media_type.extension, media_type.resource_type);

        if let Some(pending) = self.pending_upload.take().filter(|_| !is_as_declared) {
            let name = stored_name(
                &pending.rules.storage,
                self.id,
                &media_type,
                &self.original_name,
                env,
            );
            let folder = self
                .storage_path
                .rsplit_once('/')
                .map_or("", |(folder, _)| folder);
            self.storage_path = format!("{folder}/{name}");
            self.name = name;
        }
        self.is_utf8 = is_utf8 && media_type.resource_type == ResourceType::Text;
        self.mime_type = media_type.mime_type;
        self.extension = media_type.extension;
        self.resource_type = media_type.resource_type;
        self.size = size;
        self.revision = Some(revision);
        self.checksum_sha256 = checksum_sha256;
        self.status = FileStatus::Active;
        self.activated_at = Some(at);
        self.updated_at = at;
    }

    /// The folder it is in.
    pub fn folder_id(&self) -> Option<FolderId> {
        self.folder.as_ref().map(|folder| folder.id)
    }

    /// Keeps for its anonymous uploader what a change of the active file `before` replaces.
    pub fn record_activation_snapshot(&mut self, before: &File) {
        let is_shown = before.status == FileStatus::Active && before.uploaded_by.is_anonymous();
        let is_replaced = self.original_name != before.original_name
            || self.delivery_type != before.delivery_type;

        if is_shown && is_replaced && before.activation_snapshot.is_none() {
            let original_name = before.original_name.clone();
            self.activation_snapshot = Some(ActivationSnapshot {
                original_name,
                delivery_type: before.delivery_type,
            });
        }
    }

    /// Raises `access_version` if type, access control or folder differ from those of the record
    /// before a change.
    pub fn bump_access_version(&mut self, before: &File) {
        let decides = |file: &File| (file.delivery_type, file.access_control, file.folder_id());
        if decides(self) != decides(before) {
            self.access_version = before.access_version + 1;
        }
    }

    /// Returns when the bytes became available: they never change afterwards.
    pub fn last_modified(&self) -> Timestamp {
        self.activated_at.unwrap_or(self.created_at)
    }
}
