//! Documents in ZIP archives, by the names of their first files (APPNOTE.TXT of PKWARE, 4.3.7).

use crate::{Container, FORMATS, FileFormat};

/// Signature of a local file header.
const FILE_HEADER: &[u8] = b"PK\x03\x04";
/// Length of a local file header before the name, in bytes.
const HEADER_BYTES: usize = 30;
/// Maximum number of files whose names are read.
const MAX_FILES: usize = 256;
/// Name of the first file of an EPUB or `OpenDocument`, which contains the MIME type.
const MIME_TYPE: &[u8] = b"mimetype";
/// Names of files that every document of Office Open XML has (ECMA-376 part 2).
const OFFICE: [&[u8]; 3] = [b"[Content_Types].xml", b"_rels/", b"docProps/"];

/// Returns the MIME type of a ZIP archive: that of the document, if the names of its files show
/// one.
pub(crate) fn mime_type(head: &[u8]) -> Option<&'static str> {
    let is_archive = head.starts_with(FILE_HEADER)
        || head.starts_with(b"PK\x05\x06")
        // The first part of a split archive.
        || (head.starts_with(b"PK\x07\x08") || head.starts_with(b"PK00")) && head[4..].starts_with(FILE_HEADER);
    is_archive.then(|| {
        open_document(head)
            .or_else(|| office(head))
            .unwrap_or("application/zip")
    })
}

/// Returns the MIME type that the first file contains, uncompressed (`OpenDocument` 1.3 part 2,
/// 3.3; EPUB 3.3, 4.2.6.3).
fn open_document(head: &[u8]) -> Option<&'static str> {
    let (name, content) = files(head).next()?;
    if name != MIME_TYPE {
        return None;
    }
    let in_archive = FORMATS
        .iter()
        .filter(|format| format.container() == Some(Container::Zip))
        .map(FileFormat::mime_type);
    // Of two types, one may begin with the other one.
    in_archive
        .filter(|known| content.starts_with(known.as_bytes()))
        .max_by_key(|known| known.len())
}

/// Returns the MIME type of a document of Office, by the folder of its main part.
fn office(head: &[u8]) -> Option<&'static str> {
    let names = || files(head).map(|(name, _)| name);
    if !names().any(|name| OFFICE.iter().any(|known| name.starts_with(known))) {
        return None;
    }

    let folders: [(&[u8], &str); 3] = [
        (
            b"word/",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ),
        (
            b"xl/",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        ),
        (
            b"ppt/",
            "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        ),
    ];

    let mut found =
        names().filter_map(|name| folders.iter().find(|(folder, _)| name.starts_with(folder)));
    found.next().map(|(_, mime_type)| *mime_type)
}

/// Iterates over the names of the first files, with the bytes after each name. The headers are
/// searched, because that of a file that was written as a stream does not contain its length.
fn files(head: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let starts = head.windows(FILE_HEADER.len()).enumerate();
    let starts = starts.filter(|(_, window)| *window == FILE_HEADER);
    let file = |(start, _): (usize, &[u8])| {
        let header = head.get(start..start + HEADER_BYTES)?;
        let length = |at: usize| usize::from(u16::from_le_bytes([header[at], header[at + 1]]));
        let name_end = start + HEADER_BYTES + length(26);
        let name = head.get(start + HEADER_BYTES..name_end)?;
        Some((name, head.get(name_end + length(28)..).unwrap_or_default()))
    };
    starts.filter_map(file).take(MAX_FILES)
}
