//! Limits the size of the headers of a form's parts, and removes control characters from them,
//! before they are parsed.
//!
//! The parser buffers its input until it finds the end of a part's headers, and it rejects control
//! characters, although clients may send any byte in a file's name.
//!
//! Invariants:
//! - Content, boundaries and everything outside of parts pass unchanged, at any chunk boundaries.
//! - The filter finds headers where the parser does (RFC 2046, section 5.1.1): after a boundary,
//!   optional spaces and tabs, and a line break, up to the first empty line of the filter's output.
//! - In headers, all control characters are removed except tabs and the CRLFs that end lines.

use bytes::{Bytes, BytesMut};
use thiserror::Error;

use crate::boundary_matcher::BoundaryMatcher;

/// Maximum number of bytes before the content of a part, after the boundary: its headers. For the
/// first part, everything before its content.
pub(crate) const MAX_HEADER_BYTES: usize = 16 << 10;

/// The end of a line.
const CRLF: &[u8; 2] = b"\r\n";

/// The headers of a part exceed 16 KiB.
#[derive(Debug, Error)]
#[error(
    "The form has more than {} kilobytes before its first boundary, or in the headers of one part.",
    MAX_HEADER_BYTES >> 10
)]
pub struct HeadersTooLarge;

/// The filter of one form.
pub(crate) struct PartHeaderFilter {
    state: FilterState,
    /// Number of bytes since the last content.
    header_bytes: usize,
    /// Finds the first boundary.
    first_boundary: BoundaryMatcher,
    /// Finds the boundary after a part's content, with the line break before it.
    next_boundary: BoundaryMatcher,
}

/// The position of the next byte in the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FilterState {
    /// Before the first boundary.
    Preamble,
    /// After a boundary, in its optional padding.
    Padding,
    /// After a boundary and a CR.
    PaddingCr,
    /// In the headers of a part, after this number of consecutive line breaks.
    Headers { line_breaks: u8 },
    /// In the headers of a part, after a CR that is passed on only if an LF follows.
    HeadersCr { line_breaks: u8 },
    /// In the content of a part.
    Content,
    /// After the last boundary, or after input that the parser rejects.
    End,
}

impl PartHeaderFilter {
    /// Creates the filter of a form with this boundary.
    pub(crate) fn new(boundary: &str) -> PartHeaderFilter {
        PartHeaderFilter {
            state: FilterState::Preamble,
            header_bytes: 0,
            first_boundary: BoundaryMatcher::new(format!("--{boundary}").into_bytes()),
            next_boundary: BoundaryMatcher::new(format!("\r\n--{boundary}").into_bytes()),
        }
    }

    /// Filters the next chunk of the form. Fails if the headers of a part are too large.
    pub(crate) fn filter(&mut self, chunk: Bytes) -> Result<Bytes, HeadersTooLarge> {
        let mut output = Output::of(chunk);
        while let Some(rest) = output.rest() {
            let start = output.read;
            let is_counted = !matches!(self.state, FilterState::Content | FilterState::End);
            match self.state {
                FilterState::Preamble => {
                    let matched = self.first_boundary.advance(rest);
                    output.keep(matched.read);
                    if matched.is_complete {
                        self.state = FilterState::Padding;
                    }
                }
                FilterState::Content => {
                    let matched = self.next_boundary.advance(rest);
                    output.keep(matched.read);
                    if matched.is_complete {
                        self.state = FilterState::Padding;
                    }
                }
                FilterState::End => output.keep(rest.len()),
                FilterState::Padding | FilterState::PaddingCr => {
                    self.state = after_boundary(self.state, rest[0]);
                    output.keep(1);
                }
                FilterState::Headers { line_breaks } => {
                    self.header_byte(line_breaks, rest[0], &mut output);
                }
                FilterState::HeadersCr { line_breaks } => {
                    self.header_byte_after_cr(line_breaks, rest[0], &mut output);
                }
            }

            let counted = self.header_bytes + output.read - start;
            self.header_bytes = if is_counted { counted } else { 0 };
            if self.header_bytes > MAX_HEADER_BYTES {
                return Err(HeadersTooLarge);
            }
        }

        Ok(output.finish())
    }

    fn header_byte(&mut self, line_breaks: u8, byte: u8, output: &mut Output) {
        match byte {
            b'\r' => {
                output.remove(1);
                self.state = FilterState::HeadersCr { line_breaks };
            }
            b'\t' => self.keep_header_byte(output),
            byte if byte.is_ascii_control() => output.remove(1),
            _ => self.keep_header_byte(output),
        }
    }

    fn keep_header_byte(&mut self, output: &mut Output) {
        output.keep(1);
        self.state = FilterState::Headers { line_breaks: 0 };
    }

    fn header_byte_after_cr(&mut self, line_breaks: u8, byte: u8, output: &mut Output) {
        if byte != b'\n' {
            // The CR is not part of a line break: it stays removed, and the byte is read again.
            self.state = FilterState::Headers { line_breaks };
            return;
        }

        output.replace(1, CRLF);
        self.state = if line_breaks == 1 {
            FilterState::Content
        } else {
            FilterState::Headers { line_breaks: 1 }
        };
    }
}

fn after_boundary(state: FilterState, byte: u8) -> FilterState {
    match (state, byte) {
        (FilterState::Padding, b' ' | b'\t') => FilterState::Padding,
        (FilterState::Padding, b'\r') => FilterState::PaddingCr,
        (FilterState::PaddingCr, b'\n') => FilterState::Headers { line_breaks: 0 },
        // Two hyphens end the form. The parser rejects everything else.
        _ => FilterState::End,
    }
}

/// The filtered chunk. It is copied only if bytes are removed from it.
struct Output {
    chunk: Bytes,
    /// Number of bytes of the chunk that were read.
    read: usize,
    /// Number of bytes of the chunk that were copied or removed.
    copied: usize,
    copy: Option<BytesMut>,
}

impl Output {
    fn of(chunk: Bytes) -> Output {
        Output {
            chunk,
            read: 0,
            copied: 0,
            copy: None,
        }
    }

    /// Returns the bytes that were not read yet. `None` if there are none.
    fn rest(&self) -> Option<&[u8]> {
        self.chunk.get(self.read..).filter(|rest| !rest.is_empty())
    }

    fn keep(&mut self, count: usize) {
        self.read += count;
    }

    fn remove(&mut self, count: usize) {
        self.replace(count, b"");
    }

    fn replace(&mut self, count: usize, by: &[u8]) {
        let capacity = self.chunk.len() + CRLF.len();
        let copy = self
            .copy
            .get_or_insert_with(|| BytesMut::with_capacity(capacity));
        copy.extend_from_slice(&self.chunk[self.copied..self.read]);
        copy.extend_from_slice(by);
        self.read += count;
        self.copied = self.read;
    }

    fn finish(self) -> Bytes {
        let Some(mut copy) = self.copy else {
            return self.chunk;
        };
        copy.extend_from_slice(&self.chunk[self.copied..]);
        copy.freeze()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::vec, prelude::*, sample::Index};

    const BOUNDARY: &str = "--a--ab";

    /// Filters a form in chunks that end at these positions.
    fn filter_in_chunks(form: &[u8], cuts: &[Index]) -> Result<Vec<u8>, HeadersTooLarge> {
        let mut positions: Vec<usize> = cuts.iter().map(|cut| cut.index(form.len() + 1)).collect();
        positions.extend([0, form.len()]);
        positions.sort_unstable();

        let mut filter = PartHeaderFilter::new(BOUNDARY);
        let chunks = positions
            .windows(2)
            .map(|cut| Bytes::copy_from_slice(&form[cut[0]..cut[1]]));
        let filtered: Result<Vec<Bytes>, HeadersTooLarge> =
            chunks.map(|chunk| filter.filter(chunk)).collect();
        Ok(filtered?.concat())
    }

    /// Generates header lines with control characters, tabs and CRs, but without CRLF.
    fn header() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![
            Just(b'\r'),
            Just(b'\t'),
            Just(0),
            Just(0x7F),
            Just(b'"'),
            Just(0xE9),
            Just(b'a')
        ];
        vec(byte, 0..8).prop_map(|bytes| [b"x", &bytes[..], b"y"].concat())
    }

    /// Pieces of content that resemble boundaries and headers.
    const PIECES: [&str; 10] = [
        "\r\n--",
        "\r\n----a--a",
        "--a--",
        "\r",
        "\n",
        "\r\n\r\n",
        "\0",
        "a",
        "-",
        "b",
    ];

    /// Generates content without a boundary.
    fn content() -> impl Strategy<Value = Vec<u8>> {
        let pieces = vec(proptest::sample::select(&PIECES[..]), 0..12);
        let content = pieces.prop_map(|pieces| pieces.concat());
        content
            .prop_filter("contains a boundary", |content| {
                !content.contains(&format!("\r\n--{BOUNDARY}"))
            })
            .prop_map(String::into_bytes)
    }

    #[derive(Clone, Debug)]
    struct FormPart {
        header: Vec<u8>,
        content: Vec<u8>,
    }

    fn part() -> impl Strategy<Value = FormPart> {
        (header(), content()).prop_map(|(header, content)| FormPart { header, content })
    }

    /// Returns a form with these parts, whose headers are mapped by `map_header`.
    fn form(parts: &[FormPart], map_header: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
        let mut form = b"\0pre\r\n".to_vec();
        for part in parts {
            let header = map_header(&part.header);
            form.extend(format!("--{BOUNDARY} \t\r\n").as_bytes());
            form.extend(&header);
            form.extend(b"\r\n");
            form.extend(&header);
            form.extend(b"\r\n\r\n");
            form.extend(&part.content);
            form.extend(b"\r\n");
        }
        form.extend(format!("--{BOUNDARY}--\r\n\0\r\n").as_bytes());
        form
    }

    /// Removes control characters other than tabs.
    fn clean(header: &[u8]) -> Vec<u8> {
        header
            .iter()
            .copied()
            .filter(|byte| *byte == b'\t' || !byte.is_ascii_control())
            .collect()
    }

    proptest! {
        #[test]
        fn headers_lose_control_characters_and_content_is_unchanged(
            parts in vec(part(), 0..4),
            cuts in vec(any::<Index>(), 0..40),
        ) {
            let sent = form(&parts, <[u8]>::to_vec);
            prop_assert_eq!(filter_in_chunks(&sent, &cuts).expect("short headers"), form(&parts, clean));
        }

        #[test]
        fn output_is_independent_of_chunk_boundaries(
            rest in vec(any::<u8>(), 0..200),
            cuts in vec(any::<Index>(), 0..40),
        ) {
            let form = [format!("--{BOUNDARY}\r\n").as_bytes(), &rest].concat();
            prop_assert_eq!(
                filter_in_chunks(&form, &cuts).expect("short headers"),
                filter_in_chunks(&form, &[]).expect("short headers")
            );
        }

        #[test]
        fn headers_of_each_part_have_at_most_the_maximum_size(
            content in content(),
            cuts in vec(any::<Index>(), 0..9),
            excess in 0..2_usize,
        ) {
            let header = b"x".repeat(MAX_HEADER_BYTES - "\r\n\r\n\r\n".len() + excess);
            let first = format!("--{BOUNDARY}\r\n\r\n\r\n{content:?}\r\n--{BOUNDARY}\r\n");
            let form = [first.as_bytes(), &header, b"\r\n\r\n", &content].concat();
            prop_assert_eq!(filter_in_chunks(&form, &cuts).is_ok(), excess == 0);
        }
    }

    #[test]
    fn unchanged_chunks_are_not_copied() {
        let headers = Bytes::from(format!("--{BOUNDARY}\r\nx: y"));
        let content = Bytes::from_static(b"\0\r\n\0 content");
        let mut filter = PartHeaderFilter::new(BOUNDARY);
        for headers in [headers, Bytes::from_static(b"\r\n\r\n")] {
            filter.filter(headers).expect("short headers");
        }

        let filtered = filter.filter(content.clone()).expect("content");
        assert_eq!(filtered.as_ptr(), content.as_ptr());
    }

    #[test]
    fn empty_line_of_the_output_ends_the_headers() {
        let sent = b"----a--ab\r\na\nb: \r\r\nc\r\n\0\r\n\0content";
        assert_eq!(
            filter_in_chunks(sent, &[]).expect("short headers"),
            b"----a--ab\r\nab: \r\nc\r\n\r\n\0content"
        );
    }
}
