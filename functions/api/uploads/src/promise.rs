//! What a client says of a file whose bytes are to come.

use domain::{FILE_BYTES, OriginalName, Principal, UploadRules, Violation};
use intake::Promise;
use mime::Mime;
use web::Fields;

/// Most characters of `filename`.
const FILENAME_CHARACTERS: usize = 255;
/// Most characters of `content_type`.
const CONTENT_TYPE_CHARACTERS: usize = 100;

/// What is said of a file.
pub(crate) struct Said {
    name: OriginalName,
    /// As it is said, and so is to be sent.
    pub(crate) content_type: String,
    mime: Mime,
    pub(crate) size: u64,
}

impl Said {
    /// Reads it; `None` only where a violation was noted.
    pub(crate) fn read(fields: &mut Fields) -> Option<Said> {
        let name = fields.required("filename", file_name);
        let content_type =
            fields.required("content_type", |text| content_type(text).map(|mime| (text.to_owned(), mime)));
        if !fields.has("size") {
            fields.violate("size", &Violation::Required);
        }
        let size = fields.integer("size", 1, FILE_BYTES);
        let (content_type, mime) = content_type?;
        Some(Said { name: OriginalName::clean(&name?), content_type, mime, size: size?.unsigned_abs() })
    }

    /// Notes what the rules refuse of it, whatever the bytes will be.
    pub(crate) fn judge(&self, rules: &UploadRules, uploaded_by: Principal, fields: &mut Fields) {
        let promise = self.promise(uploaded_by);
        fields.keep("size", promise.demand_size(&rules.validation));
        fields.keep("filename", promise.demand_name(&rules.validation));
        fields.keep("content_type", promise.demand_format(&rules.validation));
    }

    /// The same, to be recorded.
    pub(crate) fn promise(&self, uploaded_by: Principal) -> Promise<'_> {
        Promise { original_name: &self.name, declared: &self.mime, size: self.size, uploaded_by }
    }

    /// Keeps the name, whatever the client calls the file, and refuses another type than the one expected.
    pub(crate) fn bind(&mut self, name: Option<OriginalName>, expected: Option<&Mime>, fields: &mut Fields) {
        if let Some(name) = name {
            self.name = name;
        }
        if let Some(expected) = expected.filter(|expected| expected.essence_str() != self.mime.essence_str()) {
            fields.violate("content_type", &Violation::NotOfType(expected.to_string()));
        }
    }
}

/// What a file is called: up to 255 characters.
pub(crate) fn file_name(text: &str) -> Result<String, Violation> {
    if text.chars().count() > FILENAME_CHARACTERS {
        return Err(Violation::TooLong(FILENAME_CHARACTERS));
    }
    Ok(text.to_owned())
}

/// A MIME type that a header can hold: up to 100 characters.
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
