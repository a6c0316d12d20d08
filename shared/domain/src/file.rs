//! Files: what is stored, and what is known of it.

use deunicode::deunicode_with_tofu;
use serde::{Deserialize, Serialize};

use crate::{
    AccessControl, DeliveryType, FileId, FolderChain, FolderId, FolderMode, InFolder, OriginalName, Principal,
    Reference, Revision, Sources, Space, SpaceId, StorageRules, Tag, Timestamp, UploadConfigId, UploadRules, Violation,
};

/// Largest file that any route takes, in bytes: 5 GB, the most that storage takes at once.
pub const FILE_BYTES: i64 = 5 << 30;

/// Most characters that a stored name takes from the original one.
const SLUG_CHARACTERS: usize = 100;
/// Characters that make a name unlike every other.
const UNIQUE_CHARACTERS: usize = 6;
/// What they are drawn from.
const UNIQUE: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";

/// What kind of thing a file is, told by its stored type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

impl ResourceType {
    /// The kind of this name.
    pub fn parse(name: &str) -> Result<ResourceType, Violation> {
        Ok(match name {
            "image" => ResourceType::Image,
            "video" => ResourceType::Video,
            "audio" => ResourceType::Audio,
            "text" => ResourceType::Text,
            "document" => ResourceType::Document,
            "archive" => ResourceType::Archive,
            "other" => ResourceType::Other,
            _ => return Err(Violation::Unknown),
        })
    }

    /// What generated names of such files begin with.
    fn prefix(self) -> &'static str {
        match self {
            ResourceType::Image => "image",
            ResourceType::Video => "video",
            ResourceType::Audio => "audio",
            ResourceType::Document => "doc",
            ResourceType::Text | ResourceType::Archive | ResourceType::Other => "file",
        }
    }
}

/// Whether a file's bytes are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileStatus {
    /// They have been announced.
    Pending,
    /// They are there, and were found to be what the rules ask for.
    Active,
}

impl FileStatus {
    /// The status of this name.
    pub fn parse(name: &str) -> Result<FileStatus, Violation> {
        match name {
            "pending" => Ok(FileStatus::Pending),
            "active" => Ok(FileStatus::Active),
            _ => Err(Violation::Unknown),
        }
    }
}

/// What the bytes of a file are: their type, the extension that goes with it, and what kind of thing that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaType {
    /// `image/jpeg`.
    pub mime_type: String,
    /// `jpg`, of `a-z0-9`.
    pub extension: String,
    /// What kind of thing it is.
    pub resource_type: ResourceType,
}

/// What is asked of bytes that have been announced and are not there yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Awaited {
    /// The rules of the upload config, as they were when the bytes were announced.
    pub rules: UploadRules,
    /// What the client says they are: a MIME type.
    pub content_type: String,
    /// The MIME type that they have to be of, where the address that announced them was signed for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_type: Option<String>,
}

/// What an anonymous uploader has seen of a file, where a later change replaced it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AtActivation {
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
    /// Its stored name, the last part of where it is delivered. Until the bytes are there, type, extension and name are
    /// what the client's word makes of them.
    pub name: String,
    /// The name it was uploaded under.
    pub original_name: OriginalName,
    /// The stored type, told from the bytes.
    pub mime_type: String,
    /// The stored type's extension.
    pub extension: String,
    /// Bytes.
    pub size: u64,
    /// Where it is delivered: `{handle}/{name}`, with its folders between the two where its space is of the mode `fixed`; of
    /// `A-Za-z0-9._/-` only, so that no encoding can change it.
    pub storage_path: String,
    /// The folder it is in; none, at the top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<InFolder>,
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
    /// SHA-256 of the bytes, in lower-case hex; none, until they are there, and for more than 50 MB.
    pub checksum_sha256: Option<String>,
    /// Whether it is text in UTF-8, which its delivered content type says.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_utf8: bool,
    /// What is asked of its bytes, until they are there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub awaited: Option<Awaited>,
    /// What its anonymous uploader is shown in place of the present values; set by the first change that replaces them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_activation: Option<AtActivation>,
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
    /// The folder it is in.
    pub fn folder_id(&self) -> Option<FolderId> {
        self.folder.as_ref().map(|folder| folder.id)
    }

    /// Keeps for its anonymous uploader what a change of the active file `before` replaces.
    pub fn keep_activation(&mut self, before: &File) {
        let is_shown = before.status == FileStatus::Active && before.uploaded_by.is_stranger();
        let is_replaced = self.original_name != before.original_name || self.delivery_type != before.delivery_type;

        if is_shown && is_replaced && before.at_activation.is_none() {
            let original_name = before.original_name.clone();
            self.at_activation = Some(AtActivation { original_name, delivery_type: before.delivery_type });
        }
    }

    /// Takes over from a later version of the same pending file whatever callers may change of it.
    pub fn follow(&mut self, later: &File) {
        let later = later.clone();
        self.original_name = later.original_name;
        self.folder = later.folder;
        self.access_control = later.access_control;
        self.delivery_type = later.delivery_type;
        self.reference = later.reference;
        self.tags = later.tags;
        self.access_version = later.access_version;
        self.version = later.version;
    }

    /// Raises `access_version` if type, access control or folder differ from those of the record before a change.
    pub fn count_access_change(&mut self, before: &File) {
        let decides = |file: &File| (file.delivery_type, file.access_control, file.folder_id());
        if decides(self) != decides(before) {
            self.access_version = before.access_version + 1;
        }
    }

    /// Returns when the bytes became available: they never change afterwards.
    pub fn last_modified(&self) -> Timestamp {
        self.activated_at.unwrap_or(self.created_at)
    }

    /// Where the file is delivered once it has this name.
    pub fn path_of(&self, name: &str) -> String {
        let folder = self.storage_path.rsplit_once('/').map_or("", |(folder, _)| folder);
        format!("{folder}/{name}")
    }
}

/// The generated name of a file: what it is, its id, and its extension.
fn generated_name(id: FileId, media_type: &MediaType) -> String {
    format!("{}-{id}.{}", media_type.resource_type.prefix(), media_type.extension)
}

/// The name that a file is stored under, as its config has it: generated, or made of the original name.
pub fn stored_name(
    rules: &StorageRules,
    id: FileId,
    media_type: &MediaType,
    original: &OriginalName,
    sources: &Sources,
) -> String {
    let slug = slug(original.stem());
    if rules.generate_filename || slug.is_empty() {
        return generated_name(id, media_type);
    }
    if rules.unique_filename {
        return format!("{slug}-{}.{}", sources.text(UNIQUE, UNIQUE_CHARACTERS), media_type.extension);
    }
    format!("{slug}.{}", media_type.extension)
}

/// Returns a text in lower-case letters, digits, underscores and single hyphens of ASCII. Other scripts are transliterated;
/// what cannot be is left out.
pub(crate) fn slug(text: &str) -> String {
    let mut slug = String::new();
    for character in deunicode_with_tofu(text, " ").chars() {
        if character.is_ascii_alphanumeric() || character == '_' {
            slug.push(character.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(SLUG_CHARACTERS);
    slug.trim_end_matches('-').to_owned()
}

/// Where a file of this name is delivered that is uploaded into these folders.
pub fn storage_path(space: &Space, folders: &FolderChain, name: &str) -> String {
    match space.folder_mode {
        FolderMode::Dynamic => format!("{}/{name}", space.handle),
        FolderMode::Fixed => format!("{}/{}{name}", space.handle, folders.slugs()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_holds_what_no_encoding_changes() {
        for (text, expected) in [
            ("Summer Holiday (2)", "summer-holiday-2"),
            ("Ünï", "uni"),
            ("été", "ete"),
            ("Straße", "strasse"),
            ("Москва 2026", "moskva-2026"),
            ("__init__", "__init__"),
            ("..--..", ""),
            ("日本", "ri-ben"),
            ("\u{E000}\u{10FFFD}", ""),
            (&"a".repeat(300), &"a".repeat(100)),
        ] {
            assert_eq!(slug(text), expected, "{text}");
        }
    }

    #[test]
    fn generated_names_tell_the_kind_and_never_meet() {
        let id = "01JCQZ4XK8V9W7Y6T5S4R3Q2P1".parse().expect("a ULID");
        let name = |resource_type, extension: &str| {
            generated_name(id, &MediaType { mime_type: String::new(), extension: extension.to_owned(), resource_type })
        };
        assert_eq!(name(ResourceType::Image, "jpg"), "image-01JCQZ4XK8V9W7Y6T5S4R3Q2P1.jpg");
        assert_eq!(name(ResourceType::Document, "pdf"), "doc-01JCQZ4XK8V9W7Y6T5S4R3Q2P1.pdf");
        assert_eq!(name(ResourceType::Other, "bin"), "file-01JCQZ4XK8V9W7Y6T5S4R3Q2P1.bin");
    }
}
