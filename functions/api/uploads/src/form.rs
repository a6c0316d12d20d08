//! A multipart form, read part by part as it comes: texts into fields, files into spools.

use axum::extract::Request;
use domain::{Fault, FaultKind, OriginalName, Timestamp, Violation};
use http::{HeaderMap, header};
use intake::{ReceivedFile, Spool};
use multer::{Field, Multipart};
use serde_json::{Map, Value, json};
use web::{FieldReader, Fields, content_type, drain, require_unencoded};

use crate::{
    disposition::Disposition,
    pieces::{Allowance, Pieces, Unread, body_bytes},
};

/// The field that holds one file.
const FILE: &str = "file";
/// The field that holds several, one by one; `files[]` and `files[0]` are other spellings of it.
const FILES_FIELD: &str = "files";
/// Largest text of a form, in bytes.
const TEXT_BYTES: usize = 64 << 10;
/// Most parts of a form.
const MOST_PARTS: usize = 64;

/// What a form holds.
pub(crate) struct Form {
    /// The texts, by name.
    pub(crate) fields: Fields,
    /// The files, each with the field that it came in, as errors name it: the one of `file` first.
    pub(crate) files: Vec<ReceivedFile>,
    /// Whether there is any under `files`.
    pub(crate) is_list: bool,
    /// All that the form asks for, its files by their digests.
    pub(crate) payload: Value,
}

/// What a route takes of a form.
#[derive(Clone, Copy)]
pub(crate) struct FormShape {
    /// The names of its texts.
    pub(crate) texts: &'static [&'static str],
    /// Those that it requires.
    pub(crate) required: &'static [&'static str],
    /// Maximum number of files; if it is 1, `files` is not a field.
    pub(crate) max_files: usize,
}

/// Reads a form to its end. Parts that the route does not take are read over.
pub(crate) async fn read(request: Request, shape: FormShape, now: Timestamp) -> Result<Form, Fault> {
    if let Err(encoded) = require_unencoded(request.headers()) {
        drain(request.into_body()).await;
        return Err(encoded);
    }

    let mime = content_type(request.headers());
    if !mime.as_ref().is_some_and(|mime| mime.type_() == mime::MULTIPART && mime.subtype() == mime::FORM_DATA) {
        drain(request.into_body()).await;
        let message = "The content type must be multipart/form-data.";
        return Err(Fault::new(FaultKind::UnsupportedMediaType, message));
    }
    let boundary = mime.and_then(|mime| mime.get_param(mime::BOUNDARY).map(|boundary| boundary.to_string()));
    let Some(boundary) = boundary.filter(|boundary| !boundary.is_empty()) else {
        drain(request.into_body()).await;
        return Err(Fault::malformed("The content type of the form has no boundary."));
    };
    let most = body_bytes(shape.max_files);
    if declared_length(request.headers()).is_some_and(|length| length > most) {
        return Err(too_large(&Unread::TooLarge(most)));
    }
    let allowance = Allowance::of_lead();
    let mut pieces = Pieces::of(request.into_body(), &boundary, most, &allowance);
    let mut form = Building::of(shape);
    let read = form.take_all(Multipart::new(&mut pieces, boundary), &allowance).await;
    if read.is_err() {
        pieces.drain().await;
    }
    read.map(|()| form.finish(now))
}

struct Building {
    shape: FormShape,
    texts: Map<String, Value>,
    /// What is wrong with the parts themselves.
    wrong: Vec<(String, Violation)>,
    file: Option<ReceivedFile>,
    files: Vec<ReceivedFile>,
    /// Parts under `files`, those that are no files included: errors count them.
    listed: usize,
    parts: usize,
}

impl Building {
    fn of(shape: FormShape) -> Building {
        let (texts, wrong, files) = (Map::new(), Vec::new(), Vec::new());
        Building { shape, texts, wrong, file: None, files, listed: 0, parts: 0 }
    }

    /// Whether it may have several files.
    fn takes_list(&self) -> bool {
        self.shape.max_files > 1
    }

    async fn take_all(&mut self, mut parts: Multipart<'_>, allowance: &Allowance) -> Result<(), Fault> {
        while let Some(part) = parts.next_field().await.map_err(malformed)? {
            allowance.lift();
            self.take(part).await?;
            allowance.bound();
        }
        Ok(())
    }

    async fn take(&mut self, part: Field<'_>) -> Result<(), Fault> {
        self.parts += 1;
        if self.parts > MOST_PARTS {
            return Err(Fault::malformed(format!("The form has more than {MOST_PARTS} parts.")));
        }
        let Disposition { name, file_name } = Disposition::of(part.headers());
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            return Err(Fault::malformed(format!("Part {} of the form has no name.", self.parts)));
        };
        let is_file = name == FILE;
        if is_file || (self.takes_list() && is_files(&name)) {
            let field = if is_file { FILE.to_owned() } else { format!("{FILES_FIELD}.{}", self.listed) };
            self.listed += usize::from(!is_file);
            return self.take_file(part, field, file_name).await;
        }
        if file_name.is_none() && self.shape.texts.contains(&name.as_str()) {
            let text = text(part, &name).await?;
            if self.texts.insert(name.clone(), Value::String(text)).is_some() {
                self.repeat(&name);
            }
            return Ok(());
        }
        read_over(part).await
    }

    async fn take_file(&mut self, mut part: Field<'_>, field: String, name: Option<String>) -> Result<(), Fault> {
        let Some(name) = name else {
            self.wrong.push((field, Violation::NotAFile));
            return read_over(part).await;
        };
        if self.files.len() + usize::from(self.file.is_some()) > self.shape.max_files {
            return read_over(part).await;
        }
        let declared = part.content_type().cloned();
        let mut spool = Spool::default();
        while let Some(chunk) = part.chunk().await.map_err(malformed)? {
            spool.write(&chunk).await?;
        }
        let spooled = spool.finish().await?;
        // What a browser sends where no file was chosen.
        if name.is_empty() && spooled.size() == 0 {
            return Ok(());
        }
        let is_single = field == FILE;
        let received = ReceivedFile { field, original_name: OriginalName::clean(&name), declared, spooled };
        if !is_single {
            self.files.push(received);
        } else if self.file.replace(received).is_some() {
            self.repeat(FILE);
        }
        Ok(())
    }

    fn repeat(&mut self, name: &str) {
        if !self.wrong.iter().any(|(known, _)| known == name) {
            self.wrong.push((name.to_owned(), Violation::Repeated));
        }
    }

    fn finish(self, now: Timestamp) -> Form {
        let is_list = !self.files.is_empty();
        let files: Vec<_> = self.file.into_iter().chain(self.files).collect();
        let payload = payload(&self.texts, &files);
        let mut fields = Fields::of(self.texts, now);
        for name in self.shape.required {
            fields.required(name, |_| Ok(()));
        }
        for (name, violation) in &self.wrong {
            fields.violate(name, violation);
        }
        if files.len() > self.shape.max_files {
            fields.violate(FILES_FIELD, &Violation::TooMany(self.shape.max_files));
        }
        if files.is_empty() && self.wrong.is_empty() {
            let missing =
                if self.shape.max_files > 1 { Violation::RequiredWithout(FILES_FIELD) } else { Violation::Required };
            fields.violate(FILE, &missing);
        }
        Form { fields, files, is_list, payload }
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

/// What tells this form from another: its texts and its files, wherever they stand and whatever the boundary is.
fn payload(texts: &Map<String, Value>, files: &[ReceivedFile]) -> Value {
    let file = |file: &ReceivedFile| {
        let declared = file.declared.as_ref().map(ToString::to_string);
        json!([file.field, file.original_name.as_str(), declared, file.spooled.checksum_sha256(), file.spooled.size()])
    };
    json!({"texts": texts, "files": files.iter().map(file).collect::<Vec<_>>()})
}

async fn text(mut part: Field<'_>, name: &str) -> Result<String, Fault> {
    let mut bytes = Vec::new();
    while let Some(chunk) = part.chunk().await.map_err(malformed)? {
        if bytes.len() + chunk.len() > TEXT_BYTES {
            let message = format!("A text of the form is greater than {} kilobytes.", TEXT_BYTES >> 10);
            return Err(Fault::new(FaultKind::TooLarge, message));
        }
        bytes.extend_from_slice(&chunk);
    }
    String::from_utf8(bytes).map_err(|_| Fault::malformed(format!("The text {name:?} of the form is not UTF-8.")))
}

async fn read_over(mut part: Field<'_>) -> Result<(), Fault> {
    while part.chunk().await.map_err(malformed)?.is_some() {}
    Ok(())
}

/// The length that the head tells, so that a body that is far too large is not read at all.
fn declared_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn too_large(unread: &Unread) -> Fault {
    Fault::new(FaultKind::TooLarge, unread.to_string())
}

fn malformed(error: multer::Error) -> Fault {
    match error {
        multer::Error::StreamReadFailed(error) => match error.downcast::<Unread>().as_deref() {
            Ok(unread @ Unread::TooLarge(_)) => too_large(unread),
            Ok(unread @ Unread::NoContent) => Fault::malformed(unread.to_string()),
            Err(_) => Fault::malformed("The form ended early."),
        },
        error => Fault::malformed(format!("The form cannot be read: {error}.")),
    }
}
