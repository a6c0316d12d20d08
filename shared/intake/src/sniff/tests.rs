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
    let playlist = "application/vnd.apple.mpegurl m3u8";
    for (declared, name, expected) in [
        ("video/mp2t", "a.ts", "text/x-typescript ts"),
        ("audio/mpegurl", "a.m3u8", playlist),
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
    let unknown = "application/octet-stream bin";
    for (declared, name, expected) in [
        ("application/x-mine", "a.mine", unknown),
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
