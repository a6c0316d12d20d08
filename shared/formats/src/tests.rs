use std::collections::HashMap;

use super::*;

/// The page that lists all formats.
const PAGE: &str = include_str!("../../../docs/formats.md");

pub(crate) fn recognized(head: &[u8]) -> &'static str {
    match recognize(head) {
        Recognized::Format(format) => format.extension(),
        Recognized::Text => "text",
        Recognized::Unknown => "unknown",
    }
}

/// Asserts what files are recognized as.
#[track_caller]
pub(crate) fn assert_recognized(cases: Vec<(Vec<u8>, &str)>) {
    for (bytes, expected) in cases {
        let start = &bytes[..16.min(bytes.len())];
        assert_eq!(recognized(&bytes), expected, "{start:?}");
    }
}

pub(crate) fn boxed(kind: [u8; 4], content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len() + 8).expect("a short box");
    [&length.to_be_bytes(), &kind[..], content].concat()
}

/// Returns an ISO media file with a major brand and one compatible brand.
pub(crate) fn branded(major: [u8; 4], compatible: [u8; 4]) -> Vec<u8> {
    boxed(*b"ftyp", &[&major[..], &[0; 4], &compatible].concat())
}

/// Returns frames of a length that start with these bytes.
fn frames(start: &[u8], length: usize, count: usize) -> Vec<u8> {
    let mut frame = start.to_vec();
    frame.resize(length, 0);
    frame.repeat(count)
}

/// Returns a ZIP archive of empty files, written as a stream.
fn zipped(names: &[&str]) -> Vec<u8> {
    let file = |name: &&str| {
        let mut header = b"PK\x03\x04\x14\0\x08\0\x08\0".to_vec();
        header.resize(26, 0);
        let length = u16::try_from(name.len()).expect("a short name");
        header.extend(length.to_le_bytes());
        header.extend([0, 0]);
        header.extend(name.bytes());
        header.extend([3, 0, 0, 7]);
        header
    };
    names.iter().flat_map(file).collect()
}

fn id3(content: &[u8]) -> Vec<u8> {
    let tag = [&b"ID3\x04\0\0\0\0\x01\x0A"[..], &[b'x'; 138]].concat();
    [&tag, content].concat()
}

#[test]
fn every_name_is_of_one_format_that_is_recognized_alike() {
    let mut formats: HashMap<&str, Vec<&str>> = HashMap::new();
    for format in FORMATS {
        for name in format.names() {
            assert_eq!(name, name.to_ascii_lowercase());
            formats.entry(name).or_default().push(format.mime_type());
        }
        assert_eq!(
            by_mime_type(format.mime_type()).map(FileFormat::mime_type),
            Some(format.mime_type())
        );
    }
    formats.retain(|_, named| named.len() > 1);
    let shared: Vec<&str> = {
        let mut names: Vec<&str> = formats.into_keys().collect();
        names.sort_unstable();
        names
    };

    assert_eq!(shared, ["3gp", "mts", "ts", "webm"]);
}

#[test]
fn page_lists_all_formats() {
    let row = |format: &FileFormat| {
        let mut names = format
            .names()
            .filter(|name| *name != format.mime_type() && *name != format.extension());
        let others = names.by_ref().collect::<Vec<_>>().join(", ");
        format!(
            "| `{}` | `{}` | {others} |\n",
            format.extension(),
            format.mime_type()
        )
    };
    let missing: String = FORMATS
        .iter()
        .map(row)
        .filter(|row| !PAGE.contains(row))
        .collect();

    assert_eq!(missing, "", "add to docs/formats.md");
}

#[test]
fn any_brand_is_iso_media_and_known_ones_select_the_type() {
    for (major, compatible, expected) in [
        (b"isom", b"iso2", "mp4"),
        (b"iso7", b"cmfc", "mp4"),
        (b"XAVC", b"mp42", "mp4"),
        (b"CAEP", b"CAEP", "mp4"),
        (b"niko", b"niko", "mp4"),
        (b"hvc1", b"none", "mp4"),
        (b"qt  ", b"qt  ", "mov"),
        (b"M4A ", b"mp42", "m4a"),
        (b"M4B ", b"M4A ", "m4a"),
        (b"3gp4", b"3gp5", "3gp"),
        (b"3g2a", b"3g2a", "3g2"),
        (b"heic", b"mif1", "heic"),
        (b"mif1", b"miaf", "heic"),
        (b"heis", b"none", "heic"),
        (b"msf1", b"hevc", "heic"),
        (b"mif1", b"avif", "avif"),
        (b"avis", b"msf1", "avif"),
        (b"crx ", b"isom", "cr3"),
    ] {
        assert_eq!(
            recognized(&branded(*major, *compatible)),
            expected,
            "{major:?}"
        );
    }

    assert_eq!(recognized(&boxed(*b"mdat", &[0; 40])), "mov");

    let long = branded(*b"heic", *b"mif1");
    for length in [0_u32, 256, 2 << 20] {
        let file = [&length.to_be_bytes()[..], &long[4..]].concat();
        assert_eq!(recognized(&file), "heic", "{length}");
    }

    let in_64_bits = [
        &1_u32.to_be_bytes()[..],
        b"ftyp",
        &36_u64.to_be_bytes(),
        &long[8..],
    ]
    .concat();
    assert_eq!(recognized(&in_64_bits), "heic");
    assert_eq!(recognized(b"all free as text"), "text");
}

#[test]
fn audio_is_recognized_by_successive_frames() {
    let mp3 = frames(b"\xFF\xFB\x90\0", 417, 4);
    let low_rate = frames(b"\xFF\xE3\x80\xC0", 417, 4);
    let layer_2 = frames(b"\xFF\xFD\x80\0", 417, 4);
    let aac = frames(&[0xFF, 0xF1, 0x50, 0x80, 0x0C, 0x80, 0], 100, 4);

    assert_recognized(vec![
        (mp3.clone(), "mp3"),
        (frames(b"\xFF\xFB\x90\0", 417, 1), "mp3"),
        (low_rate, "mp3"),
        (layer_2, "mp3"),
        ([vec![0; 700], mp3.clone()].concat(), "mp3"),
        (id3(&mp3), "mp3"),
        (id3(&[&[1; 90], &mp3[..]].concat()), "mp3"),
        (b"ID3\x04\0\0\0\x7F\0\0".to_vec(), "mp3"),
        (id3(&id3(b"fLaC\0\0\0\x22")), "flac"),
        (id3(&aac), "aac"),
        (aac, "aac"),
        (id3(&[1; 900]), "unknown"),
        (b"\xFF\xFB\x90\0 and something else".to_vec(), "unknown"),
        (
            "\u{FEFF}text"
                .encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect(),
            "text",
        ),
        // A single frame would end with the file.
        ([&b"\xFF\xFEt\0"[..], &b"a\0".repeat(110)].concat(), "text"),
        (b"ID3 is a tag".to_vec(), "text"),
    ]);
}

#[test]
fn documents_are_known_by_the_names_in_their_archive() {
    let odt = zipped(&["mimetypeapplication/vnd.oasis.opendocument.text"]);
    let with_content = |mime_type: &str| {
        let mut bytes = zipped(&["mimetype"]);
        bytes.truncate(bytes.len() - 4);
        bytes.extend(mime_type.bytes());
        bytes
    };

    for (bytes, expected) in [
        (
            zipped(&[
                "[Content_Types].xml",
                "_rels/.rels",
                "docProps/app.xml",
                "docProps/core.xml",
                "word/document.xml",
            ]),
            "docx",
        ),
        (zipped(&["docProps/app.xml", "xl/theme/theme1.xml"]), "xlsx"),
        (zipped(&["ppt/presentation.xml", "_rels/.rels"]), "pptx"),
        (zipped(&["word/list.txt", "readme.txt"]), "zip"),
        (zipped(&["META-INF/MANIFEST.MF"]), "zip"),
        (with_content("application/epub+zip"), "epub"),
        (
            with_content("application/vnd.oasis.opendocument.text-template"),
            "ott",
        ),
        (
            with_content("application/vnd.oasis.opendocument.textPK"),
            "odt",
        ),
        (odt, "zip"),
        (b"PK\x05\x06".to_vec(), "zip"),
    ] {
        assert_eq!(recognized(&bytes), expected);
    }
}

#[test]
fn other_containers_name_their_formats() {
    let packets = |length: usize, first: usize| {
        let mut bytes = vec![1; 5 * length];
        bytes
            .iter_mut()
            .skip(first)
            .step_by(length)
            .for_each(|byte| *byte = 0x47);
        bytes
    };
    let ogg = |packet: &[u8]| [&b"OggS\0\x02"[..], &[0; 20], &[1, 9], packet].concat();

    assert_recognized(vec![
        (packets(188, 0), "ts"),
        (packets(192, 4), "ts"),
        (packets(190, 0), "unknown"),
        (vec![b'G'; 1_000], "text"),
        (ogg(b"OpusHead"), "opus"),
        (ogg(b"\x01vorbis"), "ogg"),
        (ogg(b"\x80theora"), "ogv"),
        (b"\x1A\x45\xDF\xA3\x9F\x42\x82\x84webm".to_vec(), "webm"),
        (b"\x1A\x45\xDF\xA3\x9F\x42\x82\x88matroska".to_vec(), "mkv"),
        (b"RF64\xFF\xFF\xFF\xFFWAVEds64".to_vec(), "wav"),
        (b"FORM\0\0\0\x40AIFCFVER".to_vec(), "aiff"),
        (b"II\x2B\0\x08\0\0\0".to_vec(), "tiff"),
        (b"II*\0\x10\0\0\0CR\x02\0".to_vec(), "cr2"),
        (b"\xEF\xBB\xBF%PDF-1.7\n".to_vec(), "pdf"),
        ([&[0; 90], &b"%PDF-1.7\n"[..]].concat(), "pdf"),
        (b"a text about %PDF-1.7".to_vec(), "text"),
        (
            b"@PJL ENTER LANGUAGE=PDF\r\n%PDF-1.7\n1 0 obj\n".to_vec(),
            "pdf",
        ),
        (b"MZ is how this sentence begins.".to_vec(), "text"),
        (b"MZ\x90\0".to_vec(), "exe"),
        (b"\xCA\xFE\xBA\xBE\0\0\0\x02".to_vec(), "mach"),
        (b"\xCA\xFE\xBA\xBE\0\0\0\x34".to_vec(), "unknown"),
    ]);
}

#[test]
fn words_are_no_signatures() {
    let words = [
        "MMORPG is a game",
        "MAC & PC",
        "FWS\t1",
        "gimp xcf is a format",
        "FUJIFILMCCD-RAW is a word",
        "BMW is a car",
        "GIF is a format",
        "RIFF is a word",
        "OTTO",
        "AC10 is a road",
        "FLV",
        "MAC is",
        "CWS",
        "%!TEX program",
        "DDS ",
    ];

    for text in words {
        assert_eq!(recognized(text.as_bytes()), "text", "{text}");
    }
}

#[test]
fn no_other_signature_hides_an_executable() {
    let with = |start: &[u8], at: usize, signature: &[u8]| {
        let mut head = vec![0; 512];
        head[..start.len()].copy_from_slice(start);
        head[at..at + signature.len()].copy_from_slice(signature);
        recognized(&head)
    };

    for (start, expected) in [
        (&b"MZ\x90\0"[..], "exe"),
        (b"\x7FELF", "elf"),
        (b"\xCF\xFA\xED\xFE", "mach"),
    ] {
        for (at, signature) in [
            (80, &b"%PDF-1.7"[..]),
            (257, b"ustar"),
            (128, b"DICM"),
            (60, b"BOOKMOBI"),
            (4, b"moov"),
            (4, b"ftyp"),
        ] {
            assert_eq!(with(start, at, signature), expected);
        }
    }
}

#[test]
fn first_bytes_of_any_length_are_recognized_without_panic() {
    let whole = [
        branded(*b"heic", *b"mif1"),
        zipped(&["mimetype"]),
        id3(&frames(b"\xFF\xFB\x90\0", 417, 2)),
    ];
    for bytes in whole {
        for length in 0..bytes.len() {
            recognized(&bytes[..length]);
        }
    }
}

#[test]
fn svg_is_found_behind_comments_and_in_utf16() {
    let comment = format!(
        "<?xml version='1.0'?><!--{}--><svg xmlns=''/>",
        " license".repeat(1_200)
    );
    let utf16: Vec<u8> = format!("\u{FEFF}{comment}")
        .encode_utf16()
        .flat_map(u16::to_be_bytes)
        .collect();

    assert!(is_svg(comment.as_bytes()) && is_svg(&utf16) && is_svg(&utf16[2..]));
    assert_eq!(recognized(&utf16[2..]), "text");
    assert!(is_svg(b"<s:SVG xmlns:s='http://www.w3.org/2000/svg'>") && is_svg(b"<svg/>"));
    assert!(!is_svg(b"<html></html>") && !is_svg(b"< s v g") && !is_svg(b"<svgs>"));
}
