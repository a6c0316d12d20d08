//! Reads a multipart form part by part: text fields into memory, files into spools.
//!
//! Invariant: the memory that a form takes is limited, by the number of its parts and by the size
//! of each text field; files are spooled to disk.

use axum::{
    body::{Body, BodyDataStream},
    extract::Request,
};
use domain::{
    env::Timestamp,
    errors::{ErrorKind, FieldError, ServiceError},
    naming::OriginalName,
};
use http::{HeaderMap, header};
use http_api::{
    fields::{FieldSource, InputFields},
    request::{content_length, content_type, drain, require_unencoded},
};
use intake::{MAX_FORM_FILE_BYTES, ReceivedFile, Spool};
use multer::{Field, Multipart};
use multipart::{BodyLimitError, BoundedBody, Disposition};
use serde_json::{Map, Value};

use super::{
    form::{FILE, FILES, Form, FormFiles, missing_file, payload},
    in_flight::{FormInFlight, FormsInFlight},
};

/// Allowance for text fields, headers and boundaries, in bytes.
const OVERHEAD_BYTES: u64 = 1 << 20;
/// Allowance for a file over its own limit, in bytes. A file within the allowance is a field error
/// instead of a 413.
const EXCESS_BYTES: u64 = 8 << 20;
/// Maximum size of a text field, in bytes.
const MAX_TEXT_BYTES: usize = 64 << 10;
/// Maximum length of a boundary, in bytes (RFC 2046, section 5.1.1).
const MAX_BOUNDARY_BYTES: usize = 70;
/// Maximum number of parts of a form.
const MAX_PARTS: usize = 64;

/// The fields that a form may have. Others are ignored.
#[derive(Clone, Copy)]
pub(crate) struct FormShape {
    /// Names of the text fields.
    pub(crate) text_fields: &'static [&'static str],
    /// Maximum number of files. The field `files` exists only if it is above 1.
    pub(crate) max_files: usize,
}

/// A form whose body is not read yet.
pub(crate) struct UnreadForm {
    body: BoundedBody<BodyDataStream>,
    boundary: String,
    shape: FormShape,
    /// The declared size of the body.
    declared_bytes: Option<u64>,
}

impl UnreadForm {
    /// Takes the form of a request. Fails with 415 if the body is not a form, and with 413 if it
    /// declares to be too large.
    pub(crate) async fn of(request: Request, shape: FormShape) -> Result<UnreadForm, ServiceError> {
        let boundary = match boundary(request.headers()) {
            Ok(boundary) => boundary,
            Err(error) => {
                drain(request.into_body()).await;
                return Err(error);
            }
        };
        // A body that declares to be too large is not read at all.
        let max_bytes = max_body_bytes(shape.max_files);
        let declared = content_length(request.headers());
        if declared.is_some_and(|length| length > max_bytes) {
            return Err(too_large(&BodyLimitError::BodyTooLarge(max_bytes)));
        }

        Ok(UnreadForm {
            body: BoundedBody::new(request.into_body().into_data_stream(), &boundary, max_bytes),
            boundary,
            shape,
            declared_bytes: declared,
        })
    }

    /// Begins the form, before its body is read. Fails with 503 if it would not fit beside others.
    pub(crate) fn begin(&self, forms: &FormsInFlight) -> Result<FormInFlight, ServiceError> {
        forms.begin(self.declared_bytes)
    }

    /// Reads the form to its end.
    pub(crate) async fn read(
        mut self,
        in_flight: &mut FormInFlight,
        now: Timestamp,
    ) -> Result<Form, ServiceError> {
        let mut reader = FormReader::new(self.shape, in_flight);
        let parts = Multipart::new(&mut self.body, self.boundary);
        let result = reader.read_parts(parts).await;
        if result.is_err() {
            drain(Body::from_stream(self.body.into_rest())).await;
        }
        result.map(|()| reader.finish(now))
    }
}

/// Returns the maximum size of the body of a form with up to `max_files` files, in bytes.
const fn max_body_bytes(max_files: usize) -> u64 {
    max_files as u64 * MAX_FORM_FILE_BYTES + OVERHEAD_BYTES + EXCESS_BYTES
}

/// Returns the boundary between the parts. Fails with 415 if the body is encoded or is not a form.
fn boundary(headers: &HeaderMap) -> Result<String, ServiceError> {
    require_unencoded(headers)?;

    let value = headers.get(header::CONTENT_TYPE);
    let value = value
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let (kind, parameters) = value.split_once(';').unwrap_or((value, ""));
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return Err(ServiceError::new(
            ErrorKind::UnsupportedMediaType,
            "The content type must be multipart/form-data.",
        ));
    }

    let boundary = match content_type(headers) {
        Some(mime) => mime
            .get_param(mime::BOUNDARY)
            .map(|boundary| boundary.to_string()),
        None => unquoted_boundary(parameters),
    };
    let boundary = boundary.filter(|boundary| !boundary.is_empty());
    boundary.ok_or_else(|| ServiceError::malformed("The content type of the form has no boundary."))
}

/// Returns a boundary with characters that require quotes, such as `=` and `/`, and has none, as
/// some programs write it.
fn unquoted_boundary(parameters: &str) -> Option<String> {
    let mut values = parameters
        .split(';')
        .filter_map(|parameter| parameter.split_once('='));
    let (_, boundary) = values.find(|(name, _)| name.trim().eq_ignore_ascii_case("boundary"))?;
    let boundary = boundary.trim();
    let is_boundary = boundary.len() <= MAX_BOUNDARY_BYTES
        && boundary
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"'()+_,-./:=?".contains(&byte));
    is_boundary.then(|| boundary.to_owned())
}

/// An error in a part itself.
struct PartError {
    field: String,
    field_error: FieldError,
}

struct FormReader<'a> {
    shape: FormShape,
    in_flight: &'a mut FormInFlight,
    texts: Map<String, Value>,
    errors: Vec<PartError>,
    file: Option<ReceivedFile>,
    files: Vec<ReceivedFile>,
    /// Number of parts under `files`, including parts without a file: errors name a file by its
    /// position.
    listed: usize,
    parts: usize,
}

impl<'a> FormReader<'a> {
    fn new(shape: FormShape, in_flight: &'a mut FormInFlight) -> FormReader<'a> {
        FormReader {
            shape,
            in_flight,
            texts: Map::new(),
            errors: Vec::new(),
            file: None,
            files: Vec::new(),
            listed: 0,
            parts: 0,
        }
    }

    async fn read_parts(&mut self, mut parts: Multipart<'_>) -> Result<(), ServiceError> {
        while let Some(part) = parts.next_field().await.map_err(malformed)? {
            self.read_part(part).await?;
        }
        Ok(())
    }

    async fn read_part(&mut self, part: Field<'_>) -> Result<(), ServiceError> {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            return Err(ServiceError::malformed(format!(
                "The form has more than {MAX_PARTS} parts."
            )));
        }

        let Disposition { name, file_name } = Disposition::of(part.headers());
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            return Err(ServiceError::malformed(format!(
                "Part {} of the form has no name.",
                self.parts
            )));
        };

        if name == FILE {
            return self.read_file(part, FILE.to_owned(), file_name).await;
        }
        if self.shape.max_files > 1 && is_files(&name) {
            let field = format!("{FILES}.{}", self.listed);
            self.listed += 1;
            return self.read_file(part, field, file_name).await;
        }
        if file_name.is_none() && self.shape.text_fields.contains(&name.as_str()) {
            return self.read_text(part, name).await;
        }
        skip(part).await
    }

    async fn read_text(&mut self, part: Field<'_>, name: String) -> Result<(), ServiceError> {
        let text = text(part, &name).await?;
        let previous = self.texts.insert(name.clone(), Value::String(text));
        if previous.is_some() {
            self.add_repeated(&name);
        }
        Ok(())
    }

    async fn read_file(
        &mut self,
        mut part: Field<'_>,
        field: String,
        file_name: Option<String>,
    ) -> Result<(), ServiceError> {
        let Some(file_name) = file_name else {
            self.errors.push(PartError {
                field,
                field_error: FieldError::NotAFile,
            });
            return skip(part).await;
        };
        // One file above the limit is kept, which `finish` reports.
        let received = self.files.len() + usize::from(self.file.is_some());
        if received > self.shape.max_files {
            return skip(part).await;
        }

        let declared = part.content_type().cloned();
        let mut spool = Spool::default();
        while let Some(chunk) = part.chunk().await.map_err(malformed)? {
            self.in_flight.receive(chunk.len())?;
            spool.write(&chunk).await?;
        }
        let spooled = spool.finish().await?;
        // Browsers send an empty part if no file was selected.
        if file_name.is_empty() && spooled.size() == 0 {
            return Ok(());
        }

        self.add_file(ReceivedFile {
            field,
            original_name: OriginalName::clean(&file_name),
            declared,
            spooled,
        });
        Ok(())
    }

    fn add_file(&mut self, received: ReceivedFile) {
        if received.field != FILE {
            self.files.push(received);
        } else if self.file.replace(received).is_some() {
            self.add_repeated(FILE);
        }
    }

    /// Records once that a field is repeated.
    fn add_repeated(&mut self, name: &str) {
        if !self.errors.iter().any(|error| error.field == name) {
            self.errors.push(PartError {
                field: name.to_owned(),
                field_error: FieldError::Duplicate,
            });
        }
    }

    fn finish(self, now: Timestamp) -> Form {
        let max_files = self.shape.max_files;
        let is_list = !self.files.is_empty();
        let files: Vec<_> = self.file.into_iter().chain(self.files).collect();
        let payload = payload(&self.texts, &files);

        let mut fields = InputFields::of(self.texts, now);
        for error in &self.errors {
            fields.reject(&error.field, &error.field_error);
        }
        if files.len() > max_files {
            fields.reject(FILES, &FieldError::TooMany(max_files));
        }
        if files.is_empty() && self.errors.is_empty() {
            fields.reject(FILE, &missing_file(max_files));
        }

        Form {
            fields,
            files: FormFiles {
                received: files,
                is_list,
            },
            payload,
        }
    }
}

/// Returns whether a part belongs to the list of files: `files`, `files[]` or `files[0]`.
fn is_files(name: &str) -> bool {
    let index = name.strip_prefix(FILES).and_then(|rest| match rest {
        "" => Some(""),
        rest => rest.strip_prefix('[')?.strip_suffix(']'),
    });
    index.is_some_and(|index| index.bytes().all(|byte| byte.is_ascii_digit()))
}

async fn text(mut part: Field<'_>, name: &str) -> Result<String, ServiceError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = part.chunk().await.map_err(malformed)? {
        if bytes.len() + chunk.len() > MAX_TEXT_BYTES {
            let message = format!(
                "A text field of the form must not be greater than {} kilobytes.",
                MAX_TEXT_BYTES >> 10
            );
            return Err(ServiceError::new(ErrorKind::TooLarge, message));
        }
        bytes.extend_from_slice(&chunk);
    }

    String::from_utf8(bytes).map_err(|_| {
        ServiceError::malformed(format!("The text field {name:?} of the form is not UTF-8."))
    })
}

async fn skip(mut part: Field<'_>) -> Result<(), ServiceError> {
    while part.chunk().await.map_err(malformed)?.is_some() {}
    Ok(())
}

fn too_large(error: &BodyLimitError) -> ServiceError {
    let message = format!("{error} Upload larger files with POST /api/v1/upload/presign.");
    ServiceError::new(ErrorKind::TooLarge, message)
}

fn malformed(error: multer::Error) -> ServiceError {
    match error {
        multer::Error::StreamReadFailed(error) => {
            match error.downcast::<BodyLimitError>().as_deref() {
                Ok(limit @ BodyLimitError::BodyTooLarge(_)) => too_large(limit),
                Ok(limit @ BodyLimitError::HeadersTooLarge(_)) => {
                    ServiceError::malformed(limit.to_string())
                }
                Err(_) => ServiceError::malformed("The form is incomplete."),
            }
        }
        error => ServiceError::malformed(format!("The form is malformed: {error}.")),
    }
}
