//! The multipart form of an upload: text fields and files.

use std::marker::PhantomData;

use axum::extract::{FromRequest, Request};
use domain::errors::FieldError;
use http_api::{
    describe::{DescribeInput, OperationBuilder, SchemaReader},
    fields::{FieldSource, InputFields},
    response::ApiError,
};
use intake::ReceivedFile;
use serde_json::{Map, Value, json};

use super::{FormShape, UnreadForm};
use crate::{
    UploadsState,
    grant::{UploadAuthorization, UploadFields},
};

/// The field of one file.
pub(crate) const FILE: &str = "file";
/// The field of a list of files. It is repeated for each file. `files[]` and `files[0]` are
/// accepted as well.
pub(crate) const FILES: &str = "files";

/// A form that was read completely.
pub(crate) struct Form {
    pub(crate) fields: InputFields,
    pub(crate) files: FormFiles,
    /// Identifies the content of the form: its text fields, and its files by their digests.
    pub(crate) payload: Value,
}

/// The files of a form.
pub(crate) struct FormFiles {
    /// The file of the field `file`, then the files of `files`.
    pub(crate) received: Vec<ReceivedFile>,
    /// Whether there is a file under `files`.
    pub(crate) is_list: bool,
}

/// The form of an upload: [`UploadFields`] and files.
pub(crate) struct UploadForm<A> {
    pub(crate) unread: UnreadForm,
    authorization: PhantomData<A>,
}

impl<A: UploadAuthorization> FromRequest<UploadsState> for UploadForm<A> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &UploadsState) -> Result<UploadForm<A>, ApiError> {
        let shape = FormShape {
            text_fields: A::TEXT_FIELDS,
            max_files: A::MAX_FILES,
        };
        Ok(UploadForm {
            unread: UnreadForm::of(request, shape).await?,
            authorization: PhantomData,
        })
    }
}

impl<A: UploadAuthorization> DescribeInput for UploadForm<A> {
    fn describe(operation: &mut OperationBuilder<'_>) {
        operation.form_body(|fields| {
            UploadFields::<A>::read(fields);
            describe_files(fields, A::MAX_FILES);
        });
    }
}

/// Describes the files of a form.
pub(crate) fn describe_files(fields: &mut SchemaReader<'_>, max_files: usize) {
    fields.file(FILE);
    fields.describe(FILE, "A file of up to 50 MB.");
    if max_files > 1 {
        fields.files(FILES, max_files);
        fields.describe(FILES, "Several files of up to 50 MB each.");
    }
    fields.reject(FILE, &missing_file(max_files));
}

/// Returns the field error of a form without a file.
pub(crate) fn missing_file(max_files: usize) -> FieldError {
    if max_files > 1 {
        FieldError::RequiredWithout(FILES)
    } else {
        FieldError::Required
    }
}

/// Returns what identifies the content of a form, independent of its boundary and of the order of
/// its text fields.
pub(crate) fn payload(texts: &Map<String, Value>, files: &[ReceivedFile]) -> Value {
    let file = |file: &ReceivedFile| {
        let declared = file.declared.as_ref().map(ToString::to_string);
        json!([
            file.field,
            file.original_name.as_str(),
            declared,
            file.spooled.checksum_sha256(),
            file.spooled.size()
        ])
    };
    json!({"texts": texts, "files": files.iter().map(file).collect::<Vec<_>>()})
}
