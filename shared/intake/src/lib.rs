//! Ingestion: spools and hashes files, detects their type, validates and transforms them, and
//! creates their records.
//!
//! A file of a form is a [`ReceivedFile`], then a [`ValidatedFile`], then a [`NewFile`] that
//! `space-store` stores. A file whose bytes the client sends to storage is a [`DeclaredFile`], then
//! a pending record, which [`confirm`] makes active.
//!
//! Invariants:
//! - Only validated bytes become active: files of a form are validated before they are stored, and
//!   for bytes sent to storage see [`confirm`].
//! - At most 1 MiB of a file is held in memory, unless it is an image whose config restricts or
//!   transforms images: up to 50 MB to decode it, up to 256 MB to remove its metadata.

mod confirm;
mod declared;
mod dimensions;
mod error;
mod sniff;
mod spool;
mod text;
mod transform;
mod validation;

pub use confirm::{ConfirmOutcome, confirm};
pub use declared::{ConfirmationTerms, DeclaredFile};
pub use error::IngestError;
pub use spool::{Spool, Spooled};

use domain::{
    env::Env,
    errors::{FieldError, FieldErrors, ServiceError},
    files::{
        Decoders, File, FileProperties, MediaType, ProcessedMedia, StoredContent, UploadTarget,
    },
    id::{FileId, IdSequence, Revision},
    keys::Principal,
    naming::{ImageSize, OriginalName},
    uploads::UploadRules,
};
use mime::Mime;
use space_store::uploads::{NewContent, NewFile};
use validation::FileFacts;

/// Maximum size of a file in a form, in bytes: 50 MB.
pub const MAX_FORM_FILE_BYTES: u64 = 50 << 20;

/// Maximum number of files in one request.
pub const MAX_FORM_FILES: usize = 10;

/// A file of a form, before validation.
#[derive(Debug)]
pub struct ReceivedFile {
    /// The field that errors are reported under.
    pub field: String,
    /// The client's name of the file.
    pub original_name: OriginalName,
    /// The MIME type that the client declares.
    pub declared: Option<Mime>,
    pub spooled: Spooled,
}

/// A file that complies with all rules.
#[derive(Debug)]
pub struct ValidatedFile {
    field: String,
    original_name: OriginalName,
    media_type: MediaType,
    spooled: Spooled,
    image_size: Option<ImageSize>,
}

/// What files are validated and transformed for.
#[derive(Clone, Copy, Debug)]
pub struct UploadContext<'a> {
    pub rules: &'a UploadRules,
    pub uploaded_by: Principal,
    /// The only type that is accepted, if any.
    pub expected_type: Option<&'a Mime>,
    /// The only extension under which the bytes are accepted, if any: that of the file whose bytes
    /// they replace.
    pub extension: Option<&'a str>,
    pub decoders: Decoders,
}

/// Outcome of validating the files of a form.
#[derive(Debug)]
pub enum ValidationOutcome {
    /// All files comply with the rules.
    Valid(Vec<ValidatedFile>),
    /// At least one file breaks a rule: the errors of all files, by field.
    Invalid(FieldErrors),
}

/// Validates and transforms the files of a form. Transforms none if any is invalid, since
/// transforming takes the longest.
pub async fn validate(
    received: Vec<ReceivedFile>,
    context: UploadContext<'_>,
) -> Result<ValidationOutcome, ServiceError> {
    let mut field_errors = FieldErrors::default();

    let mut validated = Vec::new();
    for file in received {
        let field = file.field.clone();
        let result = file.validate(context).await;
        validated.extend(record_error(&mut field_errors, &field, result)?);
    }
    if !field_errors.is_empty() {
        return Ok(ValidationOutcome::Invalid(field_errors));
    }

    let mut transformed = Vec::new();
    for file in validated {
        let field = file.field.clone();
        let result = file.transform(context).await;
        transformed.extend(record_error(&mut field_errors, &field, result)?);
    }
    if field_errors.is_empty() {
        Ok(ValidationOutcome::Valid(transformed))
    } else {
        Ok(ValidationOutcome::Invalid(field_errors))
    }
}

/// Returns the file, or records its field error and returns `None`.
fn record_error(
    field_errors: &mut FieldErrors,
    field: &str,
    result: Result<ValidatedFile, IngestError>,
) -> Result<Option<ValidatedFile>, ServiceError> {
    match result {
        Ok(file) => Ok(Some(file)),
        Err(IngestError::FieldError(field_error)) => {
            Ok(field_errors.record(field, Err(field_error)))
        }
        Err(IngestError::Service(error)) => Err(error),
    }
}

impl ReceivedFile {
    /// Validates the file as it was received, before any transformation.
    async fn validate(self, context: UploadContext<'_>) -> Result<ValidatedFile, IngestError> {
        let ReceivedFile {
            field,
            original_name,
            declared,
            spooled,
        } = self;
        if spooled.size() > MAX_FORM_FILE_BYTES {
            return Err(FieldError::TooManyKilobytes(MAX_FORM_FILE_BYTES >> 10).into());
        }

        let facts = FileFacts {
            original_name: &original_name,
            declared: declared.as_ref(),
            size: spooled.size(),
            head: spooled.head(),
            uploaded_by: context.uploaded_by,
            expected: context.expected_type,
        };
        let media_type = facts.validate(&context.rules.validation)?;
        dimensions::validate_image(&spooled, &media_type, context).await?;

        Ok(ValidatedFile {
            field,
            original_name,
            media_type,
            spooled,
            image_size: None,
        })
    }
}

impl ValidatedFile {
    /// Transforms the file as the rules require, and reads the size of the image that is stored.
    async fn transform(self, context: UploadContext<'_>) -> Result<ValidatedFile, IngestError> {
        let transformed = transform::transform(self.spooled, self.media_type, context).await?;
        validation::require_extension(&transformed.media_type, context.extension)?;
        let image_size =
            dimensions::spooled_size(&transformed.spooled, &transformed.media_type).await?;
        Ok(ValidatedFile {
            media_type: transformed.media_type,
            spooled: transformed.spooled,
            image_size,
            ..self
        })
    }

    /// Returns the description of the bytes for the file's record, under this revision.
    fn stored_content(&self, revision: Revision) -> StoredContent {
        StoredContent {
            media_type: self.media_type.clone(),
            size: self.spooled.size(),
            is_utf8: self.spooled.is_utf8(),
            revision,
            checksum_sha256: Some(self.spooled.checksum_sha256().to_owned()),
            image_size: self.image_size,
        }
    }

    fn to_new_file(&self, ids: &mut IdSequence, target: &UploadTarget<'_>, env: &Env) -> NewFile {
        let content = self.stored_content(Revision::new(env));
        let properties = FileProperties {
            id: FileId::from_sequence(ids),
            original_name: self.original_name.clone(),
            media_type: self.media_type.clone(),
            size: content.size,
        };

        let mut record = File::new(properties, target, env);
        let created_at = record.created_at;
        record.activate(content, created_at, env);
        if !record.resource_type.has_metadata() {
            // Completed: no job is sent for a record with results.
            record.media = Some(ProcessedMedia::default());
        }

        NewFile {
            record,
            payload: self.spooled.content(),
        }
    }
}

impl ValidatedFile {
    /// Returns the bytes under a new revision, to replace those of a file. They are readable only
    /// while this is not dropped.
    pub fn to_new_content(&self, env: &Env) -> NewContent {
        NewContent {
            content: self.stored_content(Revision::new(env)),
            payload: self.spooled.content(),
        }
    }
}

/// Creates the active records of validated files under the next ids, with their bytes. The bytes
/// are readable only while `validated` is not dropped.
pub fn new_files(
    validated: &[ValidatedFile],
    ids: &mut IdSequence,
    target: &UploadTarget<'_>,
    env: &Env,
) -> Vec<NewFile> {
    validated
        .iter()
        .map(|file| file.to_new_file(ids, target, env))
        .collect()
}
