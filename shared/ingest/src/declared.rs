//! A file that a client declares before it sends the bytes to storage: everything known about it is
//! the client's word.

use domain::{
    Env, Extension, FieldError, FieldErrors, File, FileId, IdSequence, MediaType, OriginalName,
    PendingUpload, Principal, UploadTarget, ValidationRules, is_executable, require_harmless_name,
};
use mime::Mime;

use crate::{media_types, sniff, validation};

/// A declared file.
#[derive(Clone, Debug)]
pub struct DeclaredFile {
    /// The client's name of the file.
    pub original_name: OriginalName,
    /// The `Content-Type` that the client will send.
    pub content_type: String,
    /// The same, parsed.
    pub mime: Mime,
    /// Size in bytes.
    pub size: u64,
}

impl DeclaredFile {
    /// Returns what the rules refuse, whatever the bytes will be, by the fields of a presign
    /// request.
    pub fn validate(&self, rules: &ValidationRules, uploaded_by: Principal) -> FieldErrors {
        let mut field_errors = FieldErrors::default();
        field_errors.keep("size", validation::require_size(self.size, rules));
        field_errors.keep(
            "filename",
            require_harmless_name(&self.original_name, rules),
        );
        field_errors.keep("content_type", self.require_format(rules, uploaded_by));
        field_errors
    }

    /// Creates the pending record of the file under the next id.
    pub fn into_record(
        self,
        ids: &mut IdSequence,
        target: &UploadTarget<'_>,
        expected_type: Option<&Mime>,
        env: &Env,
    ) -> File {
        let media_type = self.media_type(target.uploaded_by);
        let pending = PendingUpload {
            rules: target.config.rules_for(target.uploaded_by),
            content_type: self.content_type,
            expected_type: expected_type.map(Mime::to_string),
        };
        let file = File::new(
            FileId::chosen(ids),
            target,
            self.original_name,
            media_type,
            self.size,
            env,
        );
        File {
            pending_upload: Some(pending),
            ..file
        }
    }

    /// Fails if files of the declared type are stored under an extension that the rules do not
    /// allow. Types that do not tell the extension pass: the bytes decide when the upload is
    /// confirmed.
    fn require_format(
        &self,
        rules: &ValidationRules,
        uploaded_by: Principal,
    ) -> Result<(), FieldError> {
        let parts = self.original_name.parts();
        let is_allowed_program = parts[1..]
            .last()
            .is_some_and(|last| is_executable(last) && rules.allows(last));
        let mime_type = media_types::renamed(self.mime.essence_str());
        let extension = media_types::stored_extension(mime_type).filter(|_| !is_allowed_program);

        let Some(extension) = extension else {
            return Ok(());
        };
        let media_type = sniff::without_scripts(sniff::of_type(mime_type, extension), uploaded_by);
        validation::require_allowed_format(&media_type, rules)
    }

    /// Returns the type that the file is shown with until its bytes are validated.
    fn media_type(&self, uploaded_by: Principal) -> MediaType {
        let parts = self.original_name.parts();
        let extension = parts[1..]
            .last()
            .and_then(|last| Extension::parse(last).ok());
        let extension = extension
            .as_ref()
            .map_or(sniff::UNKNOWN_EXTENSION, Extension::as_str);

        let mime_type = media_types::renamed(self.mime.essence_str());
        sniff::without_scripts(sniff::of_type(mime_type, extension), uploaded_by)
    }
}
