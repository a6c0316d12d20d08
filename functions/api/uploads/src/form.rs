//! Reads a multipart form part by part: texts into fields, files into spools.

use std::marker::PhantomData;

use axum::extract::{FromRequest, Request};
use domain::{ErrorKind, FieldError, OriginalName, ServiceError, Timestamp};
use http::{HeaderMap, header};
use ingest::{ReceivedFile, Spool};
use mime::Mime;
use multer::{Field, Multipart};
use serde_json::{Map, Value, json};
use web::{
    ApiError, FieldReader, InputFields, content_type, drain,
    openapi::{DescribeInput, Operation},
    require_unencoded,
};

use crate::{
    Uploads,
    bounded_body::{BodyLimitError, BoundedBody, LeadBudget, body_bytes},
    disposition::Disposition,
    grant::{Proof, UploadFields},
};

/// The field that holds one file.
const FILE: &str = "file";
/// The field that holds several, one by one; `files[]` and `files[0]` are other spellings of it.
const FILES_FIELD: &str = "files";
/// Maximum size of a text of a form, in bytes.
const TEXT_BYTES: usize = 64 << 10;
/// Maximum number of parts of a form.
const PARTS_MAX: usize = 64;

/// What a form holds.
pub(crate) struct Form {
    /// The texts, by name.
    pub(crate) fields: InputFields,
    /// The files, the one of `file` first.
    pub(crate) files: Vec<ReceivedFile>,
    /// Whether there is any under `files`.
    pub(crate) is_list: bool,
    /// What identifies the form's content: its texts, and its files by their digests.
    pub(crate) payload: Value,
}

/// The form of an upload: [`UploadFields`] and files.
pub(crate) struct UploadForm<P> {
    pub(crate) form: Form,
    proof: PhantomData<P>,
}

impl<P: Proof> FromRequest<Uploads> for UploadForm<P> {
    type Rejection = ApiError;

    async fn from_request(request: Request, uploads: &Uploads) -> Result<UploadForm<P>, ApiError> {
        let shape = FormShape {
            texts: P::TEXTS,
            max_files: P::MAX_FILES,
        };
        let mut form = read(request, shape, uploads.edge.env.now()).await?;
        require_texts::<P>(&mut form.fields);
        Ok(UploadForm {
            form,
            proof: PhantomData,
        })
    }
}

impl<P: Proof> DescribeInput for UploadForm<P> {
    fn describe(operation: &mut Operation<'_>) {
        operation.form_body(|fields| {
            UploadFields::<P>::read(fields);
            require_texts::<P>(fields);
            fields.file(FILE);
            if P::MAX_FILES > 1 {
                fields.files(FILES_FIELD, P::MAX_FILES);
            }
            fields.reject(FILE, &missing_file(P::MAX_FILES));
        });
    }
}

/// Returns the field error of a form without a file.
fn missing_file(max_files: usize) -> FieldError {
    if max_files > 1 {
        FieldError::RequiredWithout(FILES_FIELD)
    } else {
        FieldError::Required
    }
}

fn require_texts<P: Proof>(fields: &mut impl FieldReader) {
    for name in P::REQUIRED_TEXTS {
        if !fields.has_value(name) {
            fields.reject(name, &FieldError::Required);
        }
    }
}

/// The parts that a form may have.
#[derive(Clone, Copy)]
struct FormShape {
    /// Names of the texts.
    texts: &'static [&'static str],
    /// Maximum number of files; if it is 1, `files` is not a field.
    max_files: usize,
}

/// Reads a form to its end. Parts that the route does not know are skipped.
async fn read(request: Request, shape: FormShape, now: Timestamp) -> Result<Form, ServiceError> {
    let boundary = match boundary(request.headers()) {
        Ok(boundary) => boundary,
        Err(error) => {
            drain(request.into_body()).await;
            return Err(error);
        }
    };
    let max_bytes = body_bytes(shape.max_files);
    if declared_length(request.headers()).is_some_and(|length| length > max_bytes) {
        return Err(too_large(&BodyLimitError::TooLarge(max_bytes)));
    }

    let lead = LeadBudget::new();
    let mut body = BoundedBody::new(request.into_body(), &boundary, max_bytes, &lead);
    let mut form = FormBuilder::new(shape);
    let read = form
        .read_parts(Multipart::new(&mut body, boundary), &lead)
        .await;
    if read.is_err() {
        body.drain().await;
    }
    read.map(|()| form.finish(now))
}

/// Returns the boundary of a form's parts. Fails with 415 if the body is encoded or is not a form.
fn boundary(headers: &HeaderMap) -> Result<String, ServiceError> {
    require_unencoded(headers)?;
    let is_form =
        |mime: &Mime| mime.type_() == mime::MULTIPART && mime.subtype() == mime::FORM_DATA;
    let mime = content_type(headers).filter(is_form).ok_or_else(|| {
        ServiceError::new(
            ErrorKind::UnsupportedMediaType,
            "The content type must be multipart/form-data.",
        )
    })?;

    let boundary = mime
        .get_param(mime::BOUNDARY)
        .map(|boundary| boundary.to_string());
    let boundary = boundary.filter(|boundary| !boundary.is_empty());
    boundary.ok_or_else(|| ServiceError::malformed("The content type of the form has no boundary."))
}

struct FormBuilder {
    shape: FormShape,
    texts: Map<String, Value>,
    /// Errors of the parts themselves, by field.
    field_errors: Vec<(String, FieldError)>,
    file: Option<ReceivedFile>,
    files: Vec<ReceivedFile>,
    /// Number of parts under `files`, also of those that are no files: errors name their position.
    listed: usize,
    parts: usize,
}

impl FormBuilder {
    fn new(shape: FormShape) -> FormBuilder {
        FormBuilder {
            shape,
            texts: Map::new(),
            field_errors: Vec::new(),
            file: None,
            files: Vec::new(),
            listed: 0,
            parts: 0,
        }
    }

    async fn read_parts(
        &mut self,
        mut parts: Multipart<'_>,
        lead: &LeadBudget,
    ) -> Result<(), ServiceError> {
        while let Some(part) = parts.next_field().await.map_err(malformed)? {
            lead.lift();
            self.read_part(part).await?;
            lead.bound();
        }
        Ok(())
    }

    async fn read_part(&mut self, part: Field<'_>) -> Result<(), ServiceError> {
        self.parts += 1;
        if self.parts > PARTS_MAX {
            return Err(ServiceError::malformed(format!(
                "The form has more than {PARTS_MAX} parts."
            )));
        }
        let Disposition { name, file_name } = Disposition::of(part.headers());
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            return Err(ServiceError::malformed(format!(
                "Part {} of the form has no name.",
                self.parts
            )));
        };
        let is_file = name == FILE;
        if is_file || (self.shape.max_files > 1 && is_files(&name)) {
            let field = if is_file {
                FILE.to_owned()
            } else {
                format!("{FILES_FIELD}.{}", self.listed)
            };
            self.listed += usize::from(!is_file);
            return self.read_file(part, field, file_name).await;
        }
        if file_name.is_none() && self.shape.texts.contains(&name.as_str()) {
            let text = text(part, &name).await?;
            if self
                .texts
                .insert(name.clone(), Value::String(text))
                .is_some()
            {
                self.repeat(&name);
            }
            return Ok(());
        }
        skip(part).await
    }

    async fn read_file(
        &mut self,
        mut part: Field<'_>,
        field: String,
        name: Option<String>,
    ) -> Result<(), ServiceError> {
        let Some(name) = name else {
            self.field_errors.push((field, FieldError::NotAFile));
            return skip(part).await;
        };
        if self.files.len() + usize::from(self.file.is_some()) > self.shape.max_files {
            return skip(part).await;
        }
        let declared = part.content_type().cloned();
        let mut spool = Spool::default();
        while let Some(chunk) = part.chunk().await.map_err(malformed)? {
            spool.write(&chunk).await?;
        }
        let spooled = spool.finish().await?;
        // Browsers send this if no file was chosen.
        if name.is_empty() && spooled.size() == 0 {
            return Ok(());
        }
        let is_single = field == FILE;
        let received = ReceivedFile {
            field,
            original_name: OriginalName::clean(&name),
            declared,
            spooled,
        };
        if !is_single {
            self.files.push(received);
        } else if self.file.replace(received).is_some() {
            self.repeat(FILE);
        }
        Ok(())
    }

    fn repeat(&mut self, name: &str) {
        if !self.field_errors.iter().any(|(known, _)| known == name) {
            self.field_errors
                .push((name.to_owned(), FieldError::Repeated));
        }
    }

    fn finish(self, now: Timestamp) -> Form {
        let is_list = !self.files.is_empty();
        let files: Vec<_> = self.file.into_iter().chain(self.files).collect();
        let payload = payload(&self.texts, &files);
        let mut fields = InputFields::of(self.texts, now);
        for (name, field_error) in &self.field_errors {
            fields.reject(name, field_error);
        }
        if files.len() > self.shape.max_files {
            fields.reject(FILES_FIELD, &FieldError::TooMany(self.shape.max_files));
        }
        if files.is_empty() && self.field_errors.is_empty() {
            fields.reject(FILE, &missing_file(self.shape.max_files));
        }
        Form {
            fields,
            files,
            is_list,
            payload,
        }
    }
}

/// Whether a part is one of several files: `files`, `files[]`, or `files[0]`.
fn is_files(name: &str) -> bool {
    let index = name.strip_prefix(FILES_FIELD).and_then(|rest| match rest {
        "" => Some(""),
        rest => rest.strip_prefix('[')?.strip_suffix(']'),
    });
    index.is_some_and(|index| index.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns what identifies a form's content, whatever the order of its parts and its boundary are.
fn payload(texts: &Map<String, Value>, files: &[ReceivedFile]) -> Value {
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

async fn text(mut part: Field<'_>, name: &str) -> Result<String, ServiceError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = part.chunk().await.map_err(malformed)? {
        if bytes.len() + chunk.len() > TEXT_BYTES {
            let message = format!(
                "A text of the form is greater than {} kilobytes.",
                TEXT_BYTES >> 10
            );
            return Err(ServiceError::new(ErrorKind::TooLarge, message));
        }
        bytes.extend_from_slice(&chunk);
    }
    String::from_utf8(bytes).map_err(|_| {
        ServiceError::malformed(format!("The text {name:?} of the form is not UTF-8."))
    })
}

async fn skip(mut part: Field<'_>) -> Result<(), ServiceError> {
    while part.chunk().await.map_err(malformed)?.is_some() {}
    Ok(())
}

/// Returns the `Content-Length`, so that a body that is far too large is not read at all.
fn declared_length(headers: &HeaderMap) -> Option<u64> {
    headers
        .get(header::CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .parse()
        .ok()
}

fn too_large(unread: &BodyLimitError) -> ServiceError {
    ServiceError::new(ErrorKind::TooLarge, unread.to_string())
}

fn malformed(error: multer::Error) -> ServiceError {
    match error {
        multer::Error::StreamReadFailed(error) => {
            match error.downcast::<BodyLimitError>().as_deref() {
                Ok(unread @ BodyLimitError::TooLarge(_)) => too_large(unread),
                Ok(unread @ BodyLimitError::NoContent) => {
                    ServiceError::malformed(unread.to_string())
                }
                Err(_) => ServiceError::malformed("The form ended early."),
            }
        }
        error => ServiceError::malformed(format!("The form cannot be read: {error}.")),
    }
}
