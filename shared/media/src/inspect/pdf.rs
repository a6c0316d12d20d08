//! PDF: the number of pages (ISO 32000).
//!
//! The file is not parsed by its cross-reference table, which often is damaged: all dictionaries
//! are read in the order of the file, and the last root of a page tree counts, since changes are
//! appended.

use std::io::Read;

use flate2::read::ZlibDecoder;

use super::{
    MAX_SPARSE_CHUNKS, MediaProperties, SPARSE_CHUNK_BYTES,
    input::{Input, InspectError, Inspected},
    pdf_tokens::{Dictionary, DictionaryType, Scanner},
};

/// Maximum length of a PDF whose pages are counted, in bytes, unless it is linearized.
pub const MAX_PDF_BYTES: u64 = (MAX_SPARSE_CHUNKS * SPARSE_CHUNK_BYTES) as u64;
/// Number of first bytes that contain the dictionary of a linearized file.
const HEAD_BYTES: usize = 1_024;
/// Maximum length of a decompressed object stream, in bytes.
const MAX_STREAM_BYTES: usize = 4 << 20;
/// Maximum length of all decompressed object streams, in bytes.
const MAX_STREAMS_BYTES: usize = 32 << 20;
/// Maximum number of pages.
const MAX_PAGES: u32 = 10_000_000;

/// Reads the number of pages.
pub(super) fn read(input: &mut Input, properties: &mut MediaProperties) -> Inspected {
    let head = input.read_up_to(0, HEAD_BYTES)?;
    let pages = match linearized_pages(&head, input.length()) {
        Some(pages) => Some(pages),
        None if input.length() <= MAX_PDF_BYTES => {
            let length = usize::try_from(input.length()).map_err(|_| InspectError::Invalid)?;
            root_pages(&input.read_up_to(0, length)?)
        }
        None => None,
    };
    properties.pages = pages.filter(|pages| (1..=MAX_PAGES).contains(pages));
    Ok(())
}

/// Returns the number of pages of a linearized file that was not changed since.
fn linearized_pages(head: &[u8], length: u64) -> Option<u32> {
    let mut scanner = Scanner::new(head);
    while let Some(dictionary) = scanner.next() {
        if let Some(linearized) = dictionary.linearized_length {
            return dictionary.pages.filter(|_| linearized == length);
        }
    }
    None
}

/// Returns the number of pages of the last root of a page tree.
fn root_pages(file: &[u8]) -> Option<u32> {
    let mut pages = None;
    let mut bytes_left = MAX_STREAMS_BYTES;
    let mut scanner = Scanner::new(file);

    while let Some(dictionary) = scanner.next() {
        pages = root_count(&dictionary).or(pages);

        if dictionary.kind == DictionaryType::ObjectStream
            && let Some(data) = scanner.stream()
        {
            let objects = inflated(data, bytes_left.min(MAX_STREAM_BYTES));
            bytes_left -= objects.len();
            let mut objects = Scanner::new(&objects);
            while let Some(dictionary) = objects.next() {
                pages = root_count(&dictionary).or(pages);
            }
        }
    }

    pages
}

/// Returns the number of pages of a root of a page tree.
fn root_count(dictionary: &Dictionary) -> Option<u32> {
    let is_root = dictionary.kind == DictionaryType::PageTree && !dictionary.has_parent;
    dictionary.count.filter(|_| is_root)
}

/// Decompresses data up to a limit, or up to its damaged part.
fn inflated(data: &[u8], limit: usize) -> Vec<u8> {
    let mut inflated = Vec::new();
    let mut decoder = ZlibDecoder::new(data).take(limit as u64);
    // Objects before an error are used.
    let _ = decoder.read_to_end(&mut inflated);
    inflated
}
