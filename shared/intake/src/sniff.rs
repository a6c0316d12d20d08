//! Detects the type of a file from its bytes. The declared type and the extension decide only if the
//! bytes do not.

use domain::{
    Extension, FieldError, MediaType, OriginalName, Principal, ResourceType, ValidationRules,
    is_executable,
};
use infer::MatcherType;
use media::Format;
use mime::Mime;

use crate::{media_types, text::is_text};

/// MIME type of unrecognized binary files.
const UNKNOWN: &str = "application/octet-stream";
/// Extension of unrecognized binary files.
pub(crate) const UNKNOWN_EXTENSION: &str = "bin";
/// MIME type of unrecognized text files.
const PLAIN_TEXT: &str = "text/plain";
/// Extension of unrecognized text files.
const PLAIN_TEXT_EXTENSION: &str = "txt";
/// The image type whose bytes are text.
const SVG: &str = "image/svg+xml";
/// Formats with a signature whose first bytes may all be text.
const TEXTUAL_FORMATS: [&str; 3] = [
    "application/pdf",
    "application/rtf",
    "application/postscript",
];
/// What errors name the type of bytes that are neither text nor of a recognized format.
const UNRECOGNIZED: &str = "not recognized";

/// Returns the type that a file is stored as, by its first bytes. Fails if they contradict the
/// declared type.
///
/// A file whose detected extension is executable is stored as an unknown type, unless the rules
/// allow the extension by name.
pub(crate) fn stored_type(
    head: &[u8],
    declared: Option<&Mime>,
    name: &OriginalName,
    rules: &ValidationRules,
) -> Result<MediaType, FieldError> {
    let detected = detect(head, declared, name, rules)?;
    if is_executable(&detected.extension) && !rules.allows(&detected.extension) {
        return Ok(of_type(UNKNOWN, UNKNOWN_EXTENSION));
    }
    Ok(detected)
}

/// Returns the type that a principal's file is stored as. JavaScript of anonymous uploaders is
/// stored as plain text, so that no page can load it as a script from our domain.
pub(crate) fn without_scripts(media_type: MediaType, uploaded_by: Principal) -> MediaType {
    let has_script_extension =
        media_types::textual_type(&media_type.extension).is_some_and(media_types::is_javascript);
    let is_script = media_types::is_javascript(&media_type.mime_type) || has_script_extension;

    if uploaded_by.is_anonymous() && is_script {
        of_type(PLAIN_TEXT, PLAIN_TEXT_EXTENSION)
    } else {
        media_type
    }
}

/// Returns whether a type is that of unrecognized text files.
pub(crate) fn is_plain_text(media_type: &MediaType) -> bool {
    media_type.mime_type == PLAIN_TEXT
}

/// Returns whether a type is that of unrecognized binary files.
pub(crate) fn is_unknown(media_type: &MediaType) -> bool {
    media_type.mime_type == UNKNOWN
}

/// Detects formats by their signatures. Bytes that look like text are text although they begin with a signature,
/// since some are words like `BM` and `ID3`, unless it is that of an image format that `media` detects.
fn detect(
    head: &[u8],
    declared: Option<&Mime>,
    name: &OriginalName,
    rules: &ValidationRules,
) -> Result<MediaType, FieldError> {
    let declared = declared
        .map(Mime::essence_str)
        .map(media_types::registered_name)
        .filter(|declared| *declared != UNKNOWN);
    let is_text = is_text(head) && Format::detect(head).is_none();
    let detected = infer::get(head).filter(|detected| {
        detected.matcher_type() != MatcherType::Text
            && (!is_text || TEXTUAL_FORMATS.contains(&detected.mime_type()))
    });

    if let Some(detected) = detected {
        return of_format(detected.mime_type(), detected.extension(), declared);
    }
    if is_text {
        return of_text(head, declared, name, rules);
    }
    match declared.filter(|declared| has_signature(declared)) {
        Some(declared) => Err(contradiction(declared, UNRECOGNIZED)),
        None => Ok(of_type(UNKNOWN, UNKNOWN_EXTENSION)),
    }
}

/// Returns the type of a file whose format was detected. The declared type selects among the types of its
/// container.
fn of_format(
    detected: &str,
    extension: &str,
    declared: Option<&str>,
) -> Result<MediaType, FieldError> {
    if let Some(declared) = declared {
        if let Some((selected, extension)) = media_types::within_container(detected, declared) {
            let mime_type = media_types::registered_name_for(selected, extension);
            return Ok(of_type(mime_type, extension));
        }
        if media_types::contradicts(detected, declared) {
            return Err(contradiction(declared, detected));
        }
    }

    // `allowed_formats` are compared with the normalized extension.
    let normalized = Extension::parse(extension);
    let extension = normalized.as_ref().map_or(extension, Extension::as_str);
    let mime_type = media_types::registered_name_for(detected, extension);
    Ok(of_type(mime_type, extension))
}

/// Returns the type of a text file, by its declared type or else its extension.
fn of_text(
    head: &[u8],
    declared: Option<&str>,
    name: &OriginalName,
    rules: &ValidationRules,
) -> Result<MediaType, FieldError> {
    let parts = name.parts();
    let extension = if parts.len() > 1 {
        parts[parts.len() - 1].as_str()
    } else {
        ""
    };

    let is_declared_svg = declared == Some(SVG) || (declared.is_none() && extension == "svg");
    if is_declared_svg && is_svg(head) {
        return Ok(of_type(SVG, "svg"));
    }
    if let Some(declared) = declared
        && has_signature(declared)
    {
        return Err(contradiction(declared, PLAIN_TEXT));
    }
    if is_executable(extension) && rules.allows(extension) {
        return Ok(of_type(PLAIN_TEXT, extension));
    }

    if let Some(mime_type) = declared
        && let Some(stored_extension) = media_types::textual_extension(mime_type)
    {
        return Ok(of_type(mime_type, stored_extension));
    }
    let mime_type = media_types::textual_type(extension).unwrap_or(PLAIN_TEXT);
    let stored_extension =
        media_types::textual_extension(mime_type).unwrap_or(PLAIN_TEXT_EXTENSION);
    Ok(of_type(mime_type, stored_extension))
}

/// Returns the field error of bytes that contradict the declared type.
fn contradiction(declared: &str, detected: &str) -> FieldError {
    FieldError::ContradictsType {
        declared: declared.to_owned(),
        detected: detected.to_owned(),
    }
}

/// Returns whether files of a declared type always have a signature that is detected.
fn has_signature(declared: &str) -> bool {
    matches!(
        media_types::resource_type(declared),
        ResourceType::Image | ResourceType::Audio | ResourceType::Video
    )
}

/// Returns the media type with this MIME type and extension.
pub(crate) fn of_type(mime_type: &str, extension: &str) -> MediaType {
    MediaType {
        mime_type: mime_type.to_owned(),
        extension: extension.to_owned(),
        resource_type: media_types::resource_type(mime_type),
    }
}

fn is_svg(head: &[u8]) -> bool {
    head.windows(4)
        .any(|window| window.eq_ignore_ascii_case(b"<svg"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const JPEG: &[u8] = b"\xFF\xD8\xFF\xE0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0";
    const PNG: &[u8] = b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\0\x01";
    const ZIP: &[u8] = b"PK\x03\x04\x14\0\0\0\x08\0\0\0\0\0\0\0";
    const WEBM: &[u8] =
        b"\x1A\x45\xDF\xA3\x9F\x42\x86\x81\x01\x42\xF7\x81\x01\x42\xF2\x81\x04\x42\xF3\x81\x08\x42\x82\x84webm";
    const OLE: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\0\0\0\0";
    const MP4: &[u8] = b"\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41";
    const OGG: &[u8] = b"OggS\0\x02\0\0\0\0\0\0\0\0\x01\x02\x03\x04\0\0\0\0";
    const WAV: &[u8] = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0";

    /// `infer` expects at least 256 bytes of a `WebM` file.
    fn webm() -> Vec<u8> {
        [WEBM, &[0; 256]].concat()
    }

    fn stored(head: &[u8], declared: Option<&str>, name: &str) -> Result<MediaType, FieldError> {
        let declared: Option<Mime> = declared.map(|text| text.parse().expect("a MIME type"));
        let name = OriginalName::clean(name);
        stored_type(head, declared.as_ref(), &name, &ValidationRules::default())
    }

    /// Asserts the MIME type and the extension that a declared file is stored as.
    #[track_caller]
    fn assert_declared(head: &[u8], declared: &str, name: &str, expected: &str) {
        let stored = stored(head, Some(declared), name).expect("a valid type");
        assert_eq!(
            format!("{} {}", stored.mime_type, stored.extension),
            expected
        );
    }

    /// Asserts the MIME type and the extension that a file without a declared type is stored as.
    #[track_caller]
    fn assert_undeclared(head: &[u8], name: &str, expected: &str) {
        let stored = stored(head, None, name).expect("a valid type");
        assert_eq!(
            format!("{} {}", stored.mime_type, stored.extension),
            expected
        );
    }

    #[test]
    fn signature_decides_before_declared_type_and_name() {
        let pdf = b"%PDF-1.7\n%";
        let rtf = b"{\\rtf1 x}";

        assert_declared(JPEG, "image/jpeg", "a.jpg", "image/jpeg jpg");
        assert_declared(JPEG, "image/png", "a.png", "image/jpeg jpg");
        assert_declared(JPEG, "application/octet-stream", "a", "image/jpeg jpg");
        assert_undeclared(JPEG, "a.exe.txt", "image/jpeg jpg");
        assert_declared(pdf, "application/pdf", "a.pdf", "application/pdf pdf");
        assert_declared(rtf, "application/rtf", "a.rtf", "application/rtf rtf");
        assert_declared(rtf, "text/rtf", "a.rtf", "application/rtf rtf");
    }

    #[test]
    fn declared_type_decides_within_a_zip_container() {
        let zip = "application/zip zip";
        let text = "application/vnd.oasis.opendocument.text";
        let graphics = "application/vnd.oasis.opendocument.graphics";
        let chart = "application/vnd.oasis.opendocument.chart";
        let macros = "application/vnd.ms-excel.sheet.macroEnabled.12";

        assert_declared(ZIP, "application/zip", "a.zip", zip);
        assert_declared(ZIP, "application/x-zip-compressed", "a.zip", zip);
        assert_declared(ZIP, text, "a.odt", &format!("{text} odt"));
        assert_declared(ZIP, graphics, "a", &format!("{graphics} odg"));
        assert_declared(ZIP, chart, "a.odc", zip);
        assert_declared(ZIP, macros, "a.xlsm", zip);
        assert_declared(ZIP, "application/msword", "a.doc", zip);
    }

    #[test]
    fn declared_type_decides_within_an_ole_container() {
        let unknown = "application/octet-stream bin";
        let outlook = "application/vnd.ms-outlook";

        assert_undeclared(OLE, "a.msg", unknown);
        assert_declared(OLE, "application/x-ole-storage", "a", unknown);
        assert_declared(OLE, outlook, "a.msg", "application/vnd.ms-outlook msg");
    }

    #[test]
    fn declared_type_selects_the_family_within_a_media_container() {
        let webm = webm();
        for (head, container, audio, video) in [
            (MP4, "mp4", "audio/mp4 m4a", "video/mp4 mp4"),
            (&webm, "webm", "audio/webm webm", "video/webm webm"),
            (OGG, "ogg", "audio/ogg ogg", "video/ogg ogv"),
        ] {
            for declared in ["aac", "mpeg", "mp4", "x-m4a", "ogg", "webm", "flac"] {
                let declared = format!("audio/{declared}");
                assert_declared(head, &declared, container, audio);
            }
            for declared in ["mp4", "ogg", "webm", "mpeg"] {
                let declared = format!("video/{declared}");
                assert_declared(head, &declared, container, video);
            }
            for declared in ["audio/wav", "audio/x-wav", "audio/aiff", "video/x-msvideo"] {
                let stored = stored(head, Some(declared), "a");
                assert!(stored.is_err(), "{container} {declared}: {stored:?}");
            }
        }

        assert_declared(MP4, "video/quicktime", "a.mov", "video/quicktime mov");
        assert_declared(OGG, "audio/opus", "a.opus", "audio/opus opus");
        assert_declared(WAV, "audio/wave", "a.wav", "audio/wav wav");
    }

    #[test]
    fn image_whose_first_bytes_look_like_text_is_no_text() {
        let comment = [b' '; 8_192];
        let jpeg = [&b"\xFF\xD8\xFF\xFE\x20\x20"[..], &comment].concat();
        let gif = [&b"GIF89a\x20\x20\x20\x20 "[..], &comment].concat();
        let webp = [&b"RIFF\x20\x20\x20\x20WEBPVP8X"[..], &comment].concat();

        for (head, expected) in [
            (&jpeg, "image/jpeg jpg"),
            (&gif, "image/gif gif"),
            (&webp, "image/webp webp"),
        ] {
            assert_undeclared(head, "a.txt", expected);
            assert!(stored(head, Some("text/plain"), "a.txt").is_err());
        }
        for text in ["BMW is a car", "GIF is a format", "ID3 is a tag"] {
            assert_declared(text.as_bytes(), "text/plain", "a.txt", "text/plain txt");
        }
    }

    #[test]
    fn declared_type_or_extension_decides_for_text() {
        let csv = b"a,b\n1,2\n";
        let xml = b"<?xml version='1.0'?><svg xmlns=''/>";

        assert_declared(csv, "text/csv", "a.csv", "text/csv csv");
        assert_undeclared(csv, "a.csv", "text/csv csv");
        assert_declared(b"{}", "application/json", "a", "application/json json");
        assert_undeclared(b"caf\xE9", "a", "text/plain txt");
        assert_declared(xml, "image/svg+xml", "a.svg", "image/svg+xml svg");
        assert_undeclared(b"<svg/>", "a.svg", "image/svg+xml svg");
    }

    #[test]
    fn unrecognized_bytes_are_stored_as_an_unknown_type() {
        assert_declared(
            b"\0\x01\x02\x03",
            "application/x-mine",
            "a.mine",
            "application/octet-stream bin",
        );
    }

    #[test]
    fn bytes_that_contradict_the_declared_type_are_rejected() {
        let text = b"just text";
        let binary = b"\0\x01\x02\x03";
        for (head, declared, detected) in [
            (JPEG, "application/pdf", "image/jpeg"),
            (JPEG, "text/plain", "image/jpeg"),
            (PNG, "video/mp4", "image/png"),
            (PNG, "application/json", "image/png"),
            (ZIP, "image/png", "application/zip"),
            (ZIP, "application/pdf", "application/zip"),
            (OLE, "application/pdf", "application/x-ole-storage"),
            (MP4, "image/png", "video/mp4"),
            (text, "image/png", "text/plain"),
            (text, "image/svg+xml", "text/plain"),
            (binary, "video/mp4", "not recognized"),
        ] {
            let result = stored(head, Some(declared), "a");
            assert_eq!(result, Err(contradiction(declared, detected)));
        }
    }
}
