//! Reads what a client declares of a file before it sends the bytes.

use domain::{FILE_BYTES, OriginalName, Violation};
use ingest::DeclaredFile;
use mime::Mime;
use schemars::JsonSchema;
use web::{FieldReader, Fields, UploadLimits};

/// Maximum number of characters of `filename`.
const FILENAME_CHARACTERS: usize = 255;
/// Maximum number of characters of `content_type`.
const CONTENT_TYPE_CHARACTERS: usize = 100;

/// MIME type of a declared file.
#[derive(JsonSchema)]
#[schemars(with = "String", extend("maxLength" = CONTENT_TYPE_CHARACTERS))]
struct ContentType {
    /// As it was sent, and has to be sent with the bytes.
    text: String,
    mime: Mime,
}

impl ContentType {
    fn parse(text: &str) -> Result<ContentType, Violation> {
        Ok(ContentType { text: text.to_owned(), mime: content_type(text)? })
    }
}

/// Reads a declared file, with the name that the grant fixes; `None` only if a violation was recorded.
pub(crate) fn read(fields: &mut Fields, limits: &UploadLimits) -> Option<DeclaredFile> {
    let name = fields.required("filename", file_name);
    let content_type = fields.required("content_type", ContentType::parse);
    if !fields.has("size") {
        fields.violate("size", &Violation::Required);
    }
    let size = fields.integer("size", 1, FILE_BYTES);

    let ContentType { text: content_type, mime } = content_type?;
    let original_name = limits.original_name.clone().unwrap_or(OriginalName::clean(&name?));
    let file = DeclaredFile { original_name, content_type, mime, size: size?.unsigned_abs() };

    let expected = limits.content_type.as_ref();
    if let Some(expected) = expected.filter(|expected| expected.essence_str() != file.mime.essence_str()) {
        fields.violate("content_type", &Violation::NotOfType(expected.to_string()));
    }
    Some(file)
}

/// Reads a file's name of up to 255 characters.
pub(crate) fn file_name(text: &str) -> Result<String, Violation> {
    if text.chars().count() > FILENAME_CHARACTERS {
        return Err(Violation::TooLong(FILENAME_CHARACTERS));
    }
    Ok(text.to_owned())
}

/// Reads a MIME type of up to 100 characters that a header can hold.
pub(crate) fn content_type(text: &str) -> Result<Mime, Violation> {
    if text.chars().count() > CONTENT_TYPE_CHARACTERS {
        return Err(Violation::TooLong(CONTENT_TYPE_CHARACTERS));
    }
    if !text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
        return Err(Violation::Format);
    }
    let mime: Mime = text.parse().map_err(|_| Violation::Format)?;
    // RFC 6838, 4.2.
    let is_name = |name: mime::Name<'_>| name.as_str().starts_with(|first: char| first.is_ascii_alphanumeric());
    if is_name(mime.type_()) && is_name(mime.subtype()) { Ok(mime) } else { Err(Violation::Format) }
}
