//! Confirms a pending file whose bytes a client sent to a presigned URL: validates them by the same
//! rules as files of a form, then activates the file, at most once.
//!
//! Invariants:
//! - Exactly the bytes that were validated become active, even if the client overwrites the staged
//!   object in the meantime. Either the object is first copied to a key that no client can write,
//!   and the copy is validated; or it is read once into a spool, and the spool is validated,
//!   transformed and stored. `ETag`s are not compared: they may be MD5, which has collisions.
//! - At most 50 MB of a file are read, even of a larger file, unless it is an image whose metadata
//!   is removed.
//! - An image is transformed as its config says, or rejected.

use bytes::Bytes;
use domain::{
    errors::{FieldError, ServiceError},
    files::{Decoders, File, MediaType, PendingUpload, StoredContent},
    uploads::UploadRules,
};
use formats::HEAD_BYTES;
use mime::Mime;
use space_store::{
    objects::{ObjectHead, ObjectReader, Payload},
    uploads::{ActivationOutcome, Announced, PendingFile, StagedCopy, StagedCopyOutcome},
};

use crate::{
    IngestError, MAX_FORM_FILE_BYTES, ReceivedFile, Spool, Spooled, UploadContext,
    dimensions::{self, MAX_PREFIX_BYTES, PREFIX_BYTES},
    text::Utf8Validator,
    transform::{LargeFile, transform_large},
    validation::{self, FileFacts},
};

/// The field error of bytes whose size differs from the declared one.
const SIZE_MISMATCH: FieldError = FieldError::Custom("must have the declared size");

/// Outcome of confirming a pending file.
#[derive(Debug)]
pub enum ConfirmOutcome {
    /// Outcome of the activation, or of a check before it.
    Activation(ActivationOutcome),
    /// The client has not uploaded the bytes yet.
    NotUploaded,
}

impl From<ActivationOutcome> for ConfirmOutcome {
    fn from(outcome: ActivationOutcome) -> ConfirmOutcome {
        ConfirmOutcome::Activation(outcome)
    }
}

/// Activates a pending file if its bytes were uploaded and comply with the rules that were in force
/// when it was declared. Bytes that replace those of a file must also be of a type with its
/// extension.
pub async fn confirm(
    target: PendingFile<'_>,
    decoders: Decoders,
) -> Result<ConfirmOutcome, ServiceError> {
    let file = target.record();
    let pending = file
        .pending_upload
        .as_ref()
        .ok_or_else(|| ServiceError::internal("the file is not a pending upload"))?;
    // The transaction that activates the file enforces the quota. Checking it here as well saves
    // the copy.
    if let Some(error) = target.exhausted_quota().await? {
        return Ok(ActivationOutcome::OverQuota(error).into());
    }

    if !target.announce_storage().await? {
        return Ok(ConfirmOutcome::NotUploaded);
    }

    let declared = pending.content_type.parse().ok();
    let expected = pending
        .expected_type
        .as_deref()
        .and_then(|expected| expected.parse().ok());

    let confirmation = Confirmation {
        target,
        file,
        pending,
        declared,
        expected,
        decoders,
    };
    let confirmed = if file.size <= MAX_FORM_FILE_BYTES && has_image_rules(&pending.rules) {
        confirmation.confirm_spooled().await
    } else {
        confirmation.confirm_copy().await
    };

    match confirmed {
        Ok(outcome) => Ok(outcome),
        Err(IngestError::FieldError(error)) => Ok(ActivationOutcome::Rejected(error).into()),
        Err(IngestError::Service(error)) => Err(error),
    }
}

/// Returns whether a config restricts or transforms images, which takes all of their bytes.
fn has_image_rules(rules: &UploadRules) -> bool {
    dimensions::has_rules(&rules.validation)
        || media::transform::has_image_transformations(&rules.transformations)
}

struct Confirmation<'a> {
    target: PendingFile<'a>,
    file: &'a File,
    pending: &'a PendingUpload,
    declared: Option<Mime>,
    expected: Option<Mime>,
    decoders: Decoders,
}

impl Confirmation<'_> {
    /// Copies the staged object and validates the copy. Then activates the file or removes the
    /// copy.
    async fn confirm_copy(&self) -> Result<ConfirmOutcome, IngestError> {
        let copy = match self.target.copy_staged().await? {
            StagedCopyOutcome::Copied(copy) => copy,
            StagedCopyOutcome::Absent => return Ok(ConfirmOutcome::NotUploaded),
            StagedCopyOutcome::OtherSize => return Err(SIZE_MISMATCH.into()),
        };

        match self.validate_copy(&copy).await {
            Ok(valid) => {
                let activated = self.target.activate(valid.content, valid.announced);
                Ok(activated.await?.into())
            }
            Err(error) => {
                self.target.remove_stored().await;
                Err(error)
            }
        }
    }

    /// Returns the content of a copy that complies with all rules, or of the image that it was
    /// transformed to. Meanwhile announces the file, to save time.
    async fn validate_copy(&self, copy: &StagedCopy) -> Result<ValidCopy, IngestError> {
        let (head, announced) =
            tokio::try_join!(self.target.copy_head(PREFIX_BYTES), self.target.announce())?;
        let media_type = self.validate(head.size_bytes, &head.prefix)?;

        let read_prefix = |bytes| self.read_prefix(&head, bytes);
        dimensions::require_dimensions(&media_type, &self.pending.rules.validation, read_prefix)
            .await?;

        let content = match self.transform_large(&head, &media_type).await? {
            Some(transformed) => transformed,
            None => StoredContent {
                image_size: dimensions::size_in_prefix(&head.prefix, &media_type),
                media_type,
                size: head.size_bytes,
                is_utf8: has_utf8_prefix(&head),
                revision: self.target.revision(),
                checksum_sha256: copy.checksum_sha256.clone(),
            },
        };
        validation::require_extension(&content.media_type, self.extension())?;
        Ok(ValidCopy { content, announced })
    }

    /// Stores what the rules make of a copy over 50 MB; `None` if they do not change it.
    async fn transform_large(
        &self,
        head: &ObjectHead,
        media_type: &MediaType,
    ) -> Result<Option<StoredContent>, IngestError> {
        if head.size_bytes <= MAX_FORM_FILE_BYTES {
            return Ok(None);
        }
        let file = LargeFile {
            media_type,
            size: head.size_bytes,
            head: &head.prefix,
            decoders: self.decoders,
        };
        let read = || async {
            let whole = self.target.copy_head(head.size_bytes).await?;
            Ok(whole.prefix)
        };
        let rules = &self.pending.rules.transformations;
        let Some(image) = transform_large(file, rules, read).await? else {
            return Ok(None);
        };

        let size = image.bytes.len() as u64;
        let image_size = dimensions::size_in_prefix(&image.bytes, &image.media_type);
        let checksum = image.checksum_sha256;
        let payload = Payload::Memory(image.bytes);
        let mime_type = &image.media_type.mime_type;
        self.target.put(payload, mime_type, &checksum).await?;
        Ok(Some(StoredContent {
            image_size,
            media_type: image.media_type,
            size,
            is_utf8: false,
            revision: self.target.revision(),
            checksum_sha256: (size <= MAX_FORM_FILE_BYTES).then_some(checksum),
        }))
    }

    /// Returns the first `bytes` of a copy, or all of them if there are fewer.
    async fn read_prefix(&self, head: &ObjectHead, bytes: u64) -> Result<Bytes, ServiceError> {
        if bytes <= PREFIX_BYTES || head.size_bytes <= head.prefix.len() as u64 {
            return Ok(head.prefix.clone());
        }

        let longer = self.target.copy_head(bytes.min(MAX_PREFIX_BYTES)).await?;
        Ok(longer.prefix)
    }

    /// Reads the staged object into a spool, validates, transforms and stores the spooled bytes,
    /// then activates the file.
    async fn confirm_spooled(&self) -> Result<ConfirmOutcome, IngestError> {
        let Some(object) = self.target.staged_object().await? else {
            return Ok(ConfirmOutcome::NotUploaded);
        };
        if object.size_bytes() != self.file.size {
            return Err(SIZE_MISMATCH.into());
        }

        let received = ReceivedFile {
            // The caller chooses the field that errors are reported under.
            field: String::new(),
            original_name: self.file.original_name.clone(),
            declared: self.declared.clone(),
            spooled: spool(object).await?,
        };
        if received.spooled.size() != self.file.size {
            return Err(SIZE_MISMATCH.into());
        }

        let upload = UploadContext {
            rules: &self.pending.rules,
            uploaded_by: self.file.uploaded_by,
            expected_type: self.expected.as_ref(),
            extension: self.extension(),
            decoders: self.decoders,
        };
        let validated = received.validate(upload).await?;
        let transformed = validated.transform(upload).await?;

        let put = self.target.put(
            transformed.spooled.content(),
            &transformed.media_type.mime_type,
            transformed.spooled.checksum_sha256(),
        );
        // Both calls are completed even if one fails, because a cancelled one could still take
        // effect.
        let (stored, announced) = tokio::join!(put, self.target.announce());
        stored?;
        let content = transformed.stored_content(self.target.revision());
        let activated = self.target.activate(content, announced?);
        Ok(activated.await?.into())
    }

    /// Returns the only extension under which the bytes are accepted, if they replace those of a
    /// file.
    fn extension(&self) -> Option<&str> {
        let replaced = self.target.replaced()?;
        Some(&replaced.extension)
    }

    /// Returns the type of bytes that have the declared size and comply with all rules except those
    /// for the dimensions of images.
    fn validate(&self, size: u64, prefix: &[u8]) -> Result<MediaType, FieldError> {
        if size != self.file.size {
            return Err(SIZE_MISMATCH);
        }

        let facts = FileFacts {
            original_name: &self.file.original_name,
            declared: self.declared.as_ref(),
            size,
            head: &prefix[..prefix.len().min(HEAD_BYTES)],
            uploaded_by: self.file.uploaded_by,
            expected: self.expected.as_ref(),
        };
        facts.validate(&self.pending.rules.validation)
    }
}

/// A copy that complies with all rules, of an announced file.
struct ValidCopy {
    content: StoredContent,
    announced: Announced,
}

async fn spool(mut object: ObjectReader) -> Result<Spooled, ServiceError> {
    let mut spool = Spool::default();
    while let Some(chunk) = object.next().await? {
        spool.write(&chunk).await?;
    }
    spool.finish().await
}

/// Returns whether the first bytes of a file are UTF-8. The prefix of a longer file may end within
/// a character.
fn has_utf8_prefix(head: &ObjectHead) -> bool {
    let mut validator = Utf8Validator::default();
    validator.update(&head.prefix);

    let is_complete = head.size_bytes <= head.prefix.len() as u64;
    if is_complete {
        validator.is_valid()
    } else {
        validator.is_valid_so_far()
    }
}
