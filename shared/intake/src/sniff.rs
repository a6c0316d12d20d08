//! Decides the type that a file is stored with: by its bytes, else by its extension and its
//! declared type.
//!
//! Invariants:
//! - A recognized format that contradicts the declared type is an error, not another type; so is a
//!   declared image, audio or video whose signature is known and missing.
//! - No executable extension is stored, unless the rules name its format.

use domain::{
    errors::FieldError,
    files::{MediaType, is_executable},
    keys::Principal,
    naming::OriginalName,
    uploads::ValidationRules,
};
use formats::{FileFormat, Recognized, is_svg, recognize};
use mime::Mime;

use crate::validation;

/// MIME type of unrecognized binary files.
const UNKNOWN: &str = "application/octet-stream";
/// Extension of unrecognized binary files.
pub(crate) const UNKNOWN_EXTENSION: &str = "bin";
/// MIME type of unrecognized text files.
const PLAIN_TEXT: &str = "text/plain";
/// Extension of unrecognized text files.
const PLAIN_TEXT_EXTENSION: &str = "txt";
/// The type of an OLE file that is neither declared nor named as a document.
const OLE: &str = "application/x-ole-storage";
/// The type of text that must contain a tag.
const SVG: &str = "image/svg+xml";
/// MIME type of scripts that browsers run.
const JAVASCRIPT: &str = "text/javascript";
/// What errors name the type of bytes that are neither text nor of a recognized format.
const UNRECOGNIZED: &str = "not recognized";

/// Returns the type that a file is stored as, by its first bytes. Fails if they contradict the
/// declared type.
///
/// A file whose detected extension is executable is stored as an unknown type, unless the rules
/// name its format.
pub(crate) fn stored_type(
    head: &[u8],
    declared: Option<&Mime>,
    name: Option<&OriginalName>,
    rules: &ValidationRules,
) -> Result<MediaType, FieldError> {
    let declared = declared.map(Mime::essence_str);
    let declared = declared.map(formats::canonical);
    let declared = declared.filter(|declared| *declared != UNKNOWN);
    let extension = name.and_then(OriginalName::extension);
    let extension = extension.as_deref();

    let stored = match recognize(head) {
        Recognized::Format(recognized) => of_format(recognized, declared, extension)?,
        Recognized::Text => of_text(head, declared, extension, rules)?,
        Recognized::Unknown => of_unknown(declared, extension)?,
    };
    // An OLE file that is neither declared nor named as a document may be an installer.
    let is_suspicious = is_executable(&stored.extension) || stored.mime_type == OLE;
    if is_suspicious && !validation::names(&stored, rules) {
        return Ok(of_type(UNKNOWN, UNKNOWN_EXTENSION));
    }
    Ok(stored)
}

/// Returns the type of a file with this declared type and name, as far as they fix it: `None` if
/// the bytes decide, because the extension is that of another format that such files may have.
pub(crate) fn declared_type(declared: &Mime, name: &OriginalName) -> Option<MediaType> {
    let declared = formats::by_mime_type(declared.essence_str())?;
    let extension = name.extension().unwrap_or_default();
    let format = match formats::textual(&extension) {
        Some(textual) if declared.is_text() => textual,
        Some(_) => return None,
        None if declared.may_be_named(&extension) => return None,
        None => declared,
    };
    (format.mime_type() != UNKNOWN).then(|| format.media_type())
}

/// Returns the type that a principal's file is stored as. JavaScript of anonymous uploaders is
/// stored as plain text, so that no page can load it as a script from our domain.
pub(crate) fn without_scripts(media_type: MediaType, uploaded_by: Principal) -> MediaType {
    let by_extension = formats::textual(&media_type.extension);
    let has_script_extension = by_extension.is_some_and(|format| format.mime_type() == JAVASCRIPT);
    let is_script = media_type.mime_type == JAVASCRIPT || has_script_extension;

    if uploaded_by.is_anonymous() && is_script {
        of_type(PLAIN_TEXT, PLAIN_TEXT_EXTENSION)
    } else {
        media_type
    }
}

/// Returns whether a file of an expected type is stored as plain text.
pub(crate) fn is_neutralized_script(expected: &str, stored: &MediaType) -> bool {
    expected == JAVASCRIPT && stored.mime_type == PLAIN_TEXT
}

/// Returns whether a type is that of unrecognized binary files.
pub(crate) fn is_unknown(media_type: &MediaType) -> bool {
    media_type.mime_type == UNKNOWN
}

/// Returns the type of a file whose format was recognized.
fn of_format(
    recognized: &'static FileFormat,
    declared: Option<&str>,
    extension: Option<&str>,
) -> Result<MediaType, FieldError> {
    let stored = recognized.within_container(declared, extension);
    match declared {
        Some(declared) if stored.contradicts(declared) => {
            Err(contradiction(declared, recognized.mime_type()))
        }
        _ => Ok(stored.media_type()),
    }
}

/// Returns the type of a text file: by its extension, whatever browsers make of it, or else its
/// declared type.
fn of_text(
    head: &[u8],
    declared: Option<&str>,
    extension: Option<&str>,
    rules: &ValidationRules,
) -> Result<MediaType, FieldError> {
    let is_like_text = |format: &&FileFormat| format.mime_type() != SVG || is_svg(head);
    let by_extension = extension.and_then(formats::textual).filter(is_like_text);
    if let Some(format) = by_extension {
        return Ok(format.media_type());
    }
    if let Some(extension) = extension
        && is_executable(extension)
        && rules.allows(extension)
    {
        return Ok(of_type(PLAIN_TEXT, extension));
    }

    let Some(declared) = declared else {
        return Ok(of_type(PLAIN_TEXT, PLAIN_TEXT_EXTENSION));
    };
    let by_declaration = formats::by_mime_type(declared)
        .filter(|format| format.is_text())
        .filter(is_like_text);
    match by_declaration {
        Some(format) => Ok(format.media_type()),
        None if formats::resource_type(declared).is_media() => {
            Err(contradiction(declared, PLAIN_TEXT))
        }
        None => Ok(of_type(PLAIN_TEXT, PLAIN_TEXT_EXTENSION)),
    }
}

/// Returns the type of binary data without a known signature: an image, audio or video of a type
/// whose signature is not known is stored as declared.
fn of_unknown(declared: Option<&str>, extension: Option<&str>) -> Result<MediaType, FieldError> {
    let is_media = |declared: &&str| formats::resource_type(declared).is_media();
    let Some(declared) = declared.filter(is_media) else {
        return Ok(of_type(UNKNOWN, UNKNOWN_EXTENSION));
    };
    match formats::by_mime_type(declared) {
        Some(format) if format.is_recognizable() || format.mime_type() == SVG => {
            Err(contradiction(declared, UNRECOGNIZED))
        }
        Some(format) => Ok(format.media_type()),
        None => {
            let unknown = extension.filter(|extension| !formats::is_name(extension));
            Ok(of_type(declared, unknown.unwrap_or(UNKNOWN_EXTENSION)))
        }
    }
}

/// Returns the field error of bytes that contradict the declared type.
fn contradiction(declared: &str, detected: &str) -> FieldError {
    FieldError::ContradictsType {
        declared: declared.to_owned(),
        detected: detected.to_owned(),
    }
}

/// Returns the media type with this MIME type and extension.
pub(crate) fn of_type(mime_type: &str, extension: &str) -> MediaType {
    MediaType {
        mime_type: mime_type.to_owned(),
        extension: extension.to_owned(),
        resource_type: formats::resource_type(mime_type),
    }
}

#[cfg(test)]
mod tests;
