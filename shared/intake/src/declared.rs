//! A file that a client declares before it sends the bytes to storage. Nothing of it has been
//! verified.

use domain::{
    env::Env,
    errors::{FieldError, FieldErrors},
    files::{
        Decoders, File, FileProperties, MediaType, PendingUpload, ResourceType, UploadTarget,
        is_executable, reject_executable_name,
    },
    id::{FileId, IdSequence},
    keys::Principal,
    naming::OriginalName,
    requests::UnsignedClient,
    uploads::{SigningApiKey, UploadFormat, UploadRules, ValidationRules},
};
use mime::Mime;

use crate::{sniff, transform, validation};

#[derive(Clone, Debug)]
pub struct DeclaredFile {
    /// The client's name of the file.
    pub original_name: OriginalName,
    /// The `Content-Type` that the client will send, verbatim.
    pub content_type: String,
    pub mime: Mime,
    pub size: u64,
}

/// What the authorization of a declared file requires at its confirmation.
#[derive(Clone, Debug, Default)]
pub struct ConfirmationTerms<'a> {
    /// The only allowed MIME type.
    pub expected_type: Option<&'a Mime>,
    /// The key of the signed URL.
    pub signed_by: Option<SigningApiKey>,
    /// The client of an unsigned upload.
    pub client: Option<UnsignedClient>,
    /// The file whose bytes are replaced.
    pub replaces: Option<FileId>,
}

impl DeclaredFile {
    /// Returns the field errors of rules that the declaration breaks, independent of the bytes. The
    /// fields are the fields of a presign request.
    pub fn validate(
        &self,
        rules: &UploadRules,
        uploaded_by: Principal,
        decoders: Decoders,
    ) -> FieldErrors {
        let UploadRules {
            validation: rules,
            transformations,
            ..
        } = rules;
        let mime_type = formats::canonical(self.mime.essence_str());
        let size = validation::require_size(self.size, rules).and_then(|()| {
            transform::require_size(mime_type, self.size, transformations, decoders)
        });

        let mut field_errors = FieldErrors::default();
        field_errors.record("size", size);
        field_errors.record(
            "filename",
            reject_executable_name(&self.original_name, rules),
        );
        field_errors.record("content_type", self.require_format(rules, uploaded_by));
        field_errors
    }

    /// Fails if the declared type is stored under another extension than that of the file whose
    /// bytes it is to replace. Types that the bytes decide pass, and images that the rules convert.
    pub fn require_extension(
        &self,
        extension: &str,
        rules: &UploadRules,
        uploaded_by: Principal,
    ) -> Result<(), FieldError> {
        let Some(declared) = sniff::declared_type(&self.mime, &self.original_name) else {
            return Ok(());
        };
        let is_converted = declared.resource_type == ResourceType::Image
            && rules.transformations.upload_format != UploadFormat::Original;
        if is_converted {
            return Ok(());
        }
        let stored = sniff::without_scripts(declared, uploaded_by);
        validation::require_extension(&stored, Some(extension))
    }

    /// Creates the pending record of the file under the next id.
    pub fn into_record(
        self,
        ids: &mut IdSequence,
        target: &UploadTarget<'_>,
        terms: ConfirmationTerms<'_>,
        env: &Env,
    ) -> File {
        let media_type = self.provisional_type(target.uploaded_by);
        let pending = PendingUpload {
            rules: target.config.rules_for(target.uploaded_by),
            content_type: self.content_type,
            expected_type: terms.expected_type.map(Mime::to_string),
            signed_by: terms.signed_by,
            client: terms.client,
            replaces: terms.replaces,
        };

        let properties = FileProperties {
            id: FileId::from_sequence(ids),
            original_name: self.original_name,
            media_type,
            size: self.size,
        };
        File {
            pending_upload: Some(pending),
            ..File::new(properties, target, env)
        }
    }

    /// Fails if the declared type is stored under an extension that the rules do not allow. Types
    /// without a fixed extension pass: their bytes are checked when the upload is confirmed.
    fn require_format(
        &self,
        rules: &ValidationRules,
        uploaded_by: Principal,
    ) -> Result<(), FieldError> {
        let parts = self.original_name.parts();
        let is_allowed_executable = parts[1..]
            .last()
            .is_some_and(|last| is_executable(last) && rules.allows(last));
        if is_allowed_executable {
            return Ok(());
        }

        let Some(declared) = sniff::declared_type(&self.mime, &self.original_name) else {
            return Ok(());
        };
        let media_type = sniff::without_scripts(declared, uploaded_by);
        validation::require_allowed_format(&media_type, rules)
    }

    /// Returns the type that the file is shown with until its bytes are validated.
    fn provisional_type(&self, uploaded_by: Principal) -> MediaType {
        let extension = self.original_name.extension();
        let extension = extension.as_deref().unwrap_or(sniff::UNKNOWN_EXTENSION);
        let mime_type = formats::canonical(self.mime.essence_str());
        sniff::without_scripts(sniff::of_type(mime_type, extension), uploaded_by)
    }
}
