//! A file comes in: spooled and hashed, told by its bytes, judged by the rules, transformed, then stored.
//!
//! Invariant: nothing is stored before everything about it is known and was found right, and memory does not grow with
//! the file, unless it is an image that its config has measured or transformed.

mod dimensions;
mod refusal;
mod refused;
mod rules;
mod sniff;
mod spool;
mod text;
mod transform;
mod types;

pub use dimensions::{BEGINNING_BYTES, demand_dimensions};
pub use refused::Refused;
pub use spool::{Spool, Spooled};
pub use transform::transformed;

use domain::{
    ChosenIds, File, FileId, FileStatus, MediaType, OriginalName, Principal, Reference, Revision, Sources, Space,
    TransformationRules, UploadConfig, ValidationRules, Violation, storage_path, stored_name,
};
use mime::Mime;
use tenant::Content;

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
    pub async fn judge(self, rules: &ValidationRules) -> Result<Judged, Refused> {
        let media_type = self.judged_type(rules)?;
        dimensions::measure(&self.spooled, &media_type, rules).await?;
        Ok(Judged { incoming: self, media_type })
    }

    fn judged_type(&self, rules: &ValidationRules) -> Result<MediaType, Violation> {
        let size = self.spooled.size();
        if size > FILE_BYTES {
            return Err(Violation::TooManyKilobytes(FILE_BYTES >> 10));
        }
        if size == 0 {
            return Err(Violation::Must("must not be empty"));
        }
        if let Some(most) = rules.max_file_size.filter(|most| size > *most) {
            return Err(Violation::TooManyBytes(most));
        }
        refusal::by_name(&self.original_name, rules)?;
        refusal::by_bytes(self.spooled.head(), rules)?;
        let media_type = sniff::media_type(self.spooled.head(), self.declared.as_ref(), &self.original_name, rules)?;
        rules::demand_allowed_format(&media_type, rules)?;
        Ok(media_type)
    }
}

/// Where files go.
#[derive(Clone)]
pub struct Destination<'a> {
    /// The space.
    pub space: &'a Space,
    /// The upload config.
    pub config: &'a UploadConfig,
    /// The caller's own reference.
    pub reference: Option<Reference>,
    /// Who uploads.
    pub uploaded_by: Principal,
    /// Time and randomness.
    pub sources: &'a Sources,
}

impl Judged {
    /// The file as its config wants it stored.
    pub async fn transformed(self, rules: &TransformationRules) -> Result<Judged, Refused> {
        let Incoming { original_name, declared, spooled } = self.incoming;
        let (spooled, media_type) = transformed(spooled, self.media_type, rules).await?;
        Ok(Judged { incoming: Incoming { original_name, declared, spooled }, media_type })
    }

    /// The record that the file will have, under the next of these ids and a generated name.
    pub fn record(&self, ids: &mut ChosenIds, destination: &Destination<'_>) -> File {
        let (media_type, spooled) = (&self.media_type, &self.incoming.spooled);
        let id = FileId::chosen(ids);
        let config = destination.config;
        let original_name = &self.incoming.original_name;
        let name = stored_name(&config.config.storage, id, media_type, original_name, destination.sources);
        let now = destination.sources.now();
        File {
            id,
            space_id: destination.space.id,
            storage_path: storage_path(&destination.space.handle, &name),
            name,
            original_name: original_name.clone(),
            mime_type: media_type.mime_type.clone(),
            extension: media_type.extension.clone(),
            size: spooled.size(),
            delivery_type: config.delivery_type,
            resource_type: media_type.resource_type,
            status: FileStatus::Active,
            upload_config_id: config.id,
            reference: destination.reference.clone(),
            tags: config.config.metadata.tags.clone(),
            revision: Some(Revision::new(destination.sources)),
            checksum_sha256: Some(spooled.checksum_sha256().to_owned()),
            awaited: None,
            uploaded_by: destination.uploaded_by,
            created_at: now,
            updated_at: now,
        }
    }

    /// The file's bytes, to be stored while this is alive.
    pub fn content(&self) -> Content {
        self.incoming.spooled.content()
    }
}
