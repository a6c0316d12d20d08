//! A file comes in: spooled and hashed, told by its bytes, judged by the rules, then stored.
//!
//! Invariant: nothing is stored before everything about it is known and was found right, and memory does not grow with
//! the file.

mod refusal;
mod sniff;
mod spool;
mod text;
mod types;

pub use spool::{Spool, Spooled};

use domain::{
    Fault, File, FileId, FileStatus, MediaType, OriginalName, Principal, Reference, Sources, UploadConfig, Violation,
    generated_name, storage_path,
};
use mime::Mime;
use tenant::{Originals, Space};

/// Largest file that a multipart upload takes, in bytes: 50 MB.
pub const FILE_BYTES: u64 = 50 << 20;

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
    /// Judges the file by what holds everywhere: its size, its name, and whether its bytes are what they are said to be.
    pub fn judge(self) -> Result<Judged, Violation> {
        if self.spooled.size() > FILE_BYTES {
            return Err(Violation::TooManyKilobytes(FILE_BYTES >> 10));
        }
        if self.spooled.size() == 0 {
            return Err(Violation::Must("must not be empty"));
        }
        refusal::by_name(&self.original_name)?;
        refusal::by_bytes(self.spooled.head())?;
        let media_type = sniff::media_type(self.spooled.head(), self.declared.as_ref(), &self.original_name)?;
        Ok(Judged { incoming: self, media_type })
    }
}

impl Judged {
    /// Stores the file in a space, under a generated name, and answers with its record.
    pub async fn store(
        self,
        space: &Space,
        originals: &Originals,
        config: &UploadConfig,
        reference: Option<Reference>,
        uploaded_by: Principal,
        sources: &Sources,
    ) -> Result<File, Fault> {
        let Judged { incoming, media_type } = self;
        let id = FileId::new(sources);
        let name = generated_name(id, &media_type);
        let now = sources.now();
        let file = File {
            id,
            space_id: space.record().id,
            storage_path: storage_path(&space.record().handle, &name),
            name,
            original_name: incoming.original_name,
            mime_type: media_type.mime_type,
            extension: media_type.extension,
            size: incoming.spooled.size(),
            delivery_type: config.delivery_type,
            resource_type: media_type.resource_type,
            status: FileStatus::Active,
            upload_config_id: config.id,
            reference,
            checksum_sha256: incoming.spooled.checksum_sha256().to_owned(),
            uploaded_by,
            created_at: now,
            updated_at: now,
        };
        space.assets(originals).store(&file, incoming.spooled.content(), sources).await?;
        Ok(file)
    }
}
