//! Confirms a file whose bytes a client sent to a presigned URL: validates them like those of every
//! other file, and makes the file active once.
//!
//! Invariants:
//! - What becomes active is what was validated, whatever is sent to the same URL meanwhile. Either
//!   the staged object is copied first, to a key that no client can write, and the copy is
//!   validated; or it is read once and whole into the spool, and the spool is validated,
//!   transformed and stored. ETags decide nothing: they are MD5s, which collide.
//! - At most 50 MB of a file are read, however large it is.

use bytes::Bytes;
use domain::{
    FieldError, File, MediaType, PendingUpload, ServiceError, StoredContent, UploadRules,
};
use mime::Mime;
use tenant::{FileStore, ObjectHead, ObjectReader, StagedCopied, StagedCopy};

use crate::{
    FILE_BYTES, IngestError, ReceivedFile, Spool, Spooled,
    dimensions::{self, BEGINNING_BYTES, MEASURED_BYTES},
    spool::HEAD_BYTES,
    text::Utf8Validator,
    validation::Evidence,
};

/// The field error of bytes whose size is not the declared one.
const OTHER_SIZE: FieldError = FieldError::Must("must be as large as it was said to be");

/// Outcome of confirming a pending file.
#[derive(Debug)]
pub enum Confirmed {
    /// The file is active.
    Active(Box<File>),
    /// Nothing has been sent yet.
    Absent,
    /// The bytes break the rules.
    Refused(FieldError),
    /// The file was removed.
    Gone,
}

impl From<Option<File>> for Confirmed {
    fn from(activated: Option<File>) -> Confirmed {
        activated.map_or(Confirmed::Gone, |file| Confirmed::Active(file.into()))
    }
}

/// Makes a pending file active if the client has sent its bytes and they comply with the rules that
/// it was declared under.
pub async fn confirm(assets: &FileStore<'_>, file: &File) -> Result<Confirmed, ServiceError> {
    let pending = file
        .pending_upload
        .as_ref()
        .ok_or_else(|| ServiceError::internal("the file is not a pending upload"))?;
    let declared = pending.content_type.parse().ok();
    let expected = pending
        .expected_type
        .as_deref()
        .and_then(|expected| expected.parse().ok());
    let confirmation = Confirmation {
        assets,
        file,
        pending,
        declared,
        expected,
    };

    let confirmed = if file.size <= FILE_BYTES && has_image_rules(&pending.rules) {
        confirmation.confirm_spooled().await
    } else {
        confirmation.confirm_copy().await
    };
    match confirmed {
        Ok(confirmed) => Ok(confirmed),
        Err(IngestError::FieldError(field_error)) => Ok(Confirmed::Refused(field_error)),
        Err(IngestError::Service(error)) => Err(error),
    }
}

/// Returns whether a config restricts or transforms images, for which all their bytes are needed.
fn has_image_rules(rules: &UploadRules) -> bool {
    dimensions::has_rules(&rules.validation) || media::changes_images(&rules.transformations)
}

struct Confirmation<'a> {
    assets: &'a FileStore<'a>,
    file: &'a File,
    pending: &'a PendingUpload,
    declared: Option<Mime>,
    expected: Option<Mime>,
}

impl Confirmation<'_> {
    /// Copies what was sent, validates the copy, then makes the file active or removes the copy.
    async fn confirm_copy(&self) -> Result<Confirmed, IngestError> {
        let copy = match self.assets.copy_staged(self.file).await? {
            StagedCopied::Copied(copy) => copy,
            StagedCopied::Absent => return Ok(Confirmed::Absent),
            StagedCopied::OtherSize => return Err(OTHER_SIZE.into()),
        };

        match self.validate_copy(&copy).await {
            Ok(content) => Ok(self.assets.activate(self.file, content).await?.into()),
            Err(refused) => {
                self.assets.remove_copy(copy).await;
                Err(refused)
            }
        }
    }

    /// Returns the content of a copy that complies with all rules.
    async fn validate_copy(&self, copy: &StagedCopy) -> Result<StoredContent, IngestError> {
        let head = self.assets.copy_head(copy, BEGINNING_BYTES).await?;
        let media_type = self.validate(head.size_bytes, &head.prefix)?;

        let prefix = |bytes| self.prefix(copy, &head, bytes);
        dimensions::require_dimensions(&media_type, &self.pending.rules.validation, prefix).await?;
        Ok(StoredContent {
            media_type,
            size: head.size_bytes,
            is_utf8: begins_with_utf8(&head),
            revision: copy.revision,
            checksum_sha256: copy.checksum_sha256.clone(),
        })
    }

    /// Returns the first `bytes` of a copy, or all if it has fewer.
    async fn prefix(
        &self,
        copy: &StagedCopy,
        head: &ObjectHead,
        bytes: u64,
    ) -> Result<Bytes, ServiceError> {
        if bytes <= BEGINNING_BYTES || head.size_bytes <= head.prefix.len() as u64 {
            return Ok(head.prefix.clone());
        }
        Ok(self
            .assets
            .copy_head(copy, bytes.min(MEASURED_BYTES))
            .await?
            .prefix)
    }

    /// Reads what was sent into the spool, validates, transforms and stores it from there, then
    /// makes the file active.
    async fn confirm_spooled(&self) -> Result<Confirmed, IngestError> {
        let Some(object) = self.assets.staged_object(self.file).await? else {
            return Ok(Confirmed::Absent);
        };
        if object.size_bytes() != self.file.size {
            return Err(OTHER_SIZE.into());
        }

        let rules = &self.pending.rules;
        let received = ReceivedFile {
            // The request has one file: the caller names its field.
            field: String::new(),
            original_name: self.file.original_name.clone(),
            declared: self.declared.clone(),
            spooled: spool(object).await?,
        };
        if received.spooled.size() != self.file.size {
            return Err(OTHER_SIZE.into());
        }
        let validated = received
            .validate(
                &rules.validation,
                self.file.uploaded_by,
                self.expected.as_ref(),
            )
            .await?;
        let file = validated.transform(rules).await?;

        let checksum_sha256 = file.spooled.checksum_sha256();
        let mime_type = &file.media_type.mime_type;
        let revision = self
            .assets
            .put_revision(
                self.file,
                file.spooled.content(),
                mime_type,
                checksum_sha256,
            )
            .await?;
        Ok(self
            .assets
            .activate(self.file, file.stored_content(revision))
            .await?
            .into())
    }

    /// Returns the type of bytes that have the declared size and comply with all rules but those
    /// for images.
    fn validate(&self, size: u64, prefix: &[u8]) -> Result<MediaType, FieldError> {
        if size != self.file.size {
            return Err(OTHER_SIZE);
        }

        let evidence = Evidence {
            original_name: &self.file.original_name,
            declared: self.declared.as_ref(),
            size,
            head: &prefix[..prefix.len().min(HEAD_BYTES)],
            uploaded_by: self.file.uploaded_by,
            expected: self.expected.as_ref(),
        };
        evidence.media_type(&self.pending.rules.validation)
    }
}

async fn spool(mut object: ObjectReader) -> Result<Spooled, ServiceError> {
    let mut spool = Spool::default();
    while let Some(chunk) = object.next().await? {
        spool.write(&chunk).await?;
    }
    spool.finish().await
}

/// Returns whether the first bytes of a file are UTF-8. Those of a longer file may end within a
/// character.
fn begins_with_utf8(head: &ObjectHead) -> bool {
    let mut validator = Utf8Validator::default();
    validator.update(&head.prefix);
    let is_whole = head.size_bytes <= head.prefix.len() as u64;
    if is_whole {
        validator.is_valid()
    } else {
        validator.is_valid_so_far()
    }
}
