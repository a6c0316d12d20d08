//! Decides the type that a file is stored with: by its bytes, else by its extension and its declared type.

use domain::{FieldError, MediaType, OriginalName, Principal, ValidationRules, is_executable};
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

/// Returns the type of a file with this declared type and name, as far as they fix it: `None` if the bytes decide, because the
/// extension is that of another format that such files may have.
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

/// Returns the type of a text file: by its extension, whatever browsers make of it, or else its declared type.
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

/// Returns the type of binary data without a known signature: an image, audio or video of a type whose signature is not
/// known is stored as declared.
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
        let rules = ValidationRules::default();
        stored_type(head, declared.as_ref(), Some(&name), &rules)
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
        assert_declared(
            ZIP,
            macros,
            "a.xlsm",
            &format!("{} xlsm", macros.to_lowercase()),
        );
        assert_declared(ZIP, "application/msword", "a.doc", zip);
    }

    #[test]
    fn declared_type_or_extension_decides_within_an_ole_container() {
        let outlook = "application/vnd.ms-outlook msg";
        let installer = "application/octet-stream bin";

        assert_undeclared(OLE, "a.msg", outlook);
        assert_undeclared(OLE, "a", installer);
        assert_declared(OLE, "application/vnd.ms-outlook", "a", outlook);
        assert_declared(OLE, "application/x-msi", "a", installer);
    }

    #[test]
    fn raw_photo_in_tiff_is_known_by_its_extension_or_declared_type() {
        let tiff = b"II*\0\x08\0\0\0";
        assert_undeclared(tiff, "DSC1.NEF", "image/x-nikon-nef nef");
        assert_declared(tiff, "image/x-sony-arw", "a", "image/x-sony-arw arw");
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
        assert_undeclared(b"caf\xE9", "a", "text/plain txt");
        assert_declared(xml, "image/svg+xml", "a.svg", "image/svg+xml svg");
        assert_undeclared(b"<svg/>", "a.svg", "image/svg+xml svg");
    }

    #[test]
    fn extension_of_a_textual_format_decides_whatever_is_declared() {
        let text = b"some text";
        for (declared, name, expected) in [
            ("video/mp2t", "a.ts", "text/x-typescript ts"),
            (
                "audio/mpegurl",
                "a.m3u8",
                "application/vnd.apple.mpegurl m3u8",
            ),
            ("image/vnd.dxf", "a.DXF", "image/vnd.dxf dxf"),
            ("application/vnd.ms-excel", "a.csv", "text/csv csv"),
            ("text/plain", "a.md", "text/markdown md"),
            ("application/json", "a.unknown", "application/json json"),
        ] {
            assert_declared(text, declared, name, expected);
        }
        assert!(stored(text, Some("image/svg+xml"), "a.svg").is_err());
        assert!(stored(text, Some("video/mp2t"), "a.mts2").is_err());
    }

    #[test]
    fn unrecognized_bytes_are_stored_as_declared_if_their_signature_is_not_known() {
        let binary = b"\0\x01\x02\x03";
        for (declared, name, expected) in [
            (
                "application/x-mine",
                "a.mine",
                "application/octet-stream bin",
            ),
            ("image/x-tga", "a.tga", "image/x-tga tga"),
            ("image/tga", "a", "image/x-tga tga"),
            ("image/x-mine", "a.Mine", "image/x-mine mine"),
            ("audio/x-mine", "a.html", "audio/x-mine bin"),
        ] {
            assert_declared(binary, declared, name, expected);
        }
        for declared in ["image/heic", "audio/mp3", "video/mp2t", "image/svg+xml"] {
            assert!(stored(binary, Some(declared), "a").is_err(), "{declared}");
        }
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
