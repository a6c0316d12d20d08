//! A file comes in: spooled and hashed, told by its bytes, judged by the rules, transformed, then stored.
//!
//! Invariants:
//! - Nothing becomes active before everything about it is known and was validated. What comes as a form is not even stored
//!   before; what a client sent to storage is copied first, and the copy is validated.
//! - Memory does not grow with the file, unless it is an image that its config has measured or transformed.

mod confirm;
mod dimensions;
mod judging;
mod refusal;
mod refused;
mod rules;
mod sniff;
mod spool;
mod text;
mod transform;
mod types;

pub use confirm::{Confirmed, confirm};
pub use judging::Promise;
pub use refused::Refused;
pub use spool::{Spool, Spooled};

use domain::{
    Awaited, ChosenIds, File, FileId, FileStatus, FolderChain, HourlyQuota, MediaType, OriginalName, Principal,
    Reference, ResourceType, Revision, Sources, Space, TransformationRules, UploadConfig, ValidationRules, Violation,
    storage_path, stored_name,
};
use judging::Judging;
use mime::Mime;
use tenant::Content;
use transform::transformed;

/// Largest file that a multipart upload takes, in bytes: 50 MB.
pub const FILE_BYTES: u64 = 50 << 20;

/// Most files that one request uploads.
pub const FILES: usize = 10;

/// A file that has come in, not yet judged.
#[derive(Debug)]
pub struct Incoming {
    /// What the client calls it.
    pub original_name: OriginalName,
    /// What the client says it is.
    pub declared: Option<Mime>,
    /// Its bytes.
    pub spooled: Spooled,
}

/// A file that was found right.
#[derive(Debug)]
pub struct Judged {
    incoming: Incoming,
    media_type: MediaType,
}

impl Incoming {
    /// Judges the file by what holds everywhere (its size, its name, and whether its bytes are what they are said to be),
    /// and by what its config asks: of the file as it came, whatever is made of it then.
    pub async fn judge(self, rules: &ValidationRules, uploaded_by: Principal) -> Result<Judged, Refused> {
        let size = self.spooled.size();
        if size > FILE_BYTES {
            return Err(Violation::TooManyKilobytes(FILE_BYTES >> 10).into());
        }
        let (original_name, declared) = (&self.original_name, self.declared.as_ref());
        let judging = Judging { original_name, declared, size, head: self.spooled.head(), uploaded_by };
        let media_type = judging.media_type(rules)?;
        dimensions::measure(&self.spooled, &media_type, rules).await?;
        Ok(Judged { incoming: self, media_type })
    }
}

/// Where files go.
#[derive(Clone)]
pub struct Destination<'a> {
    /// The space.
    pub space: &'a Space,
    /// The upload config.
    pub config: &'a UploadConfig,
    /// The folders that they are put into.
    pub folders: FolderChain,
    /// The caller's own reference.
    pub reference: Option<Reference>,
    /// Who uploads.
    pub uploaded_by: Principal,
    /// Maximum number of uploads by the config in a clock hour; none where uploads are not counted.
    pub max_uploads_per_hour: Option<u64>,
    /// Time and randomness.
    pub sources: &'a Sources,
}

impl Destination<'_> {
    /// Returns the quota that the upload counts against, if any.
    pub fn quota(&self) -> Option<HourlyQuota> {
        let now = self.sources.now();
        self.max_uploads_per_hour.map(|most| HourlyQuota::new(self.config.id, most, now))
    }

    /// The record of a file that is announced, under the next of these ids, as the client's word has it.
    pub fn announced(&self, ids: &mut ChosenIds, promise: &Promise<'_>, awaited: Awaited) -> File {
        let (original_name, size) = (promise.original_name.clone(), promise.size);
        File { awaited: Some(awaited), ..self.file(ids, original_name, &promise.media_type(), size) }
    }

    /// The record of a file whose bytes are not there.
    fn file(&self, ids: &mut ChosenIds, original_name: OriginalName, media_type: &MediaType, size: u64) -> File {
        let id = FileId::chosen(ids);
        let config = self.config;
        let name = stored_name(&config.config.storage, id, media_type, &original_name, self.sources);
        let now = self.sources.now();
        File {
            id,
            space_id: self.space.id,
            storage_path: storage_path(self.space, &self.folders, &name),
            folder: self.folders.in_folder(),
            access_control: None,
            name,
            original_name,
            mime_type: media_type.mime_type.clone(),
            extension: media_type.extension.clone(),
            size,
            delivery_type: config.delivery_type,
            resource_type: media_type.resource_type,
            status: FileStatus::Pending,
            upload_config_id: config.id,
            reference: self.reference.clone(),
            tags: config.config.metadata.tags.clone(),
            revision: None,
            checksum_sha256: None,
            is_utf8: false,
            awaited: None,
            at_activation: None,
            uploaded_by: self.uploaded_by,
            created_at: now,
            activated_at: None,
            access_version: 0,
            updated_at: now,
            version: 0,
        }
    }
}

impl Judged {
    /// Refuses a file of another MIME type.
    pub fn demand_type(&self, expected: &Mime) -> Result<(), Violation> {
        judging::demand_type(expected, &self.media_type, self.incoming.declared.as_ref())
    }

    /// The file as its config wants it stored.
    pub async fn transformed(self, rules: &TransformationRules) -> Result<Judged, Refused> {
        let Incoming { original_name, declared, spooled } = self.incoming;
        let (spooled, media_type) = transformed(spooled, self.media_type, rules).await?;
        Ok(Judged { incoming: Incoming { original_name, declared, spooled }, media_type })
    }

    /// The record that the file will have, under the next of these ids.
    pub fn record(&self, ids: &mut ChosenIds, destination: &Destination<'_>) -> File {
        let Incoming { original_name, spooled, .. } = &self.incoming;
        let file = destination.file(ids, original_name.clone(), &self.media_type, spooled.size());
        let is_text = self.media_type.resource_type == ResourceType::Text;
        File {
            is_utf8: is_text && spooled.is_utf8(),
            status: FileStatus::Active,
            activated_at: Some(file.created_at),
            revision: Some(Revision::new(destination.sources)),
            checksum_sha256: Some(spooled.checksum_sha256().to_owned()),
            ..file
        }
    }

    /// The file's bytes, to be stored while this is alive.
    pub fn content(&self) -> Content {
        self.incoming.spooled.content()
    }
}
