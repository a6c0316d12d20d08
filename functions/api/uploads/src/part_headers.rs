//! Removes control characters from the headers of a form's parts before they are parsed.
//!
//! Clients may send any byte in a file's name, and the parser rejects headers with control
//! characters.
//!
//! Invariants:
//! - Content, boundaries and everything outside of parts pass unchanged, at any chunk boundaries.
//! - The filter finds headers where the parser does (RFC 2046, section 5.1.1): after a boundary,
//!   optional spaces and tabs, and a line break, up to the first empty line of the filter's output.
//! - In headers, all control characters are removed except tabs and the CRLFs that end lines.

use bytes::{Bytes, BytesMut};

/// The end of a line.
const CRLF: &[u8; 2] = b"\r\n";

/// The filter of one form.
pub(crate) struct PartHeaderFilter {
    state: FilterState,
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
            first_boundary: BoundaryMatcher::new(format!("--{boundary}").into_bytes()),
            next_boundary: BoundaryMatcher::new(format!("\r\n--{boundary}").into_bytes()),
        }
    }

    /// Filters the next chunk of the form.
    pub(crate) fn filter(&mut self, chunk: Bytes) -> Bytes {
        let mut output = Output::of(chunk);
        while let Some(rest) = output.rest() {
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
        }

        output.finish()
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

/// Finds a pattern in chunks of bytes with the Knuth–Morris–Pratt algorithm.
struct BoundaryMatcher {
    pattern: Vec<u8>,
    /// Length of the longest proper prefix of the pattern that is also a suffix of its first
    /// `index + 1` bytes.
    fallback: Vec<usize>,
    /// Number of bytes of the pattern that match the last bytes read.
    matched: usize,
}

/// Progress of a [`BoundaryMatcher`] in a chunk.
struct Advance {
    /// Number of bytes read.
    read: usize,
    /// Whether the bytes read end with the pattern.
    is_complete: bool,
}

impl BoundaryMatcher {
    fn new(pattern: Vec<u8>) -> BoundaryMatcher {
        let mut fallback = vec![0; pattern.len()];
        let mut length = 0;
        for index in 1..pattern.len() {
            while length > 0 && pattern[index] != pattern[length] {
                length = fallback[length - 1];
            }
            length += usize::from(pattern[index] == pattern[length]);
            fallback[index] = length;
        }
        BoundaryMatcher {
            pattern,
            fallback,
            matched: 0,
        }
    }

    /// Reads bytes up to the end of the pattern, or all of them if it does not end in them.
    fn advance(&mut self, bytes: &[u8]) -> Advance {
        let mut read = 0;
        while read < bytes.len() {
            if self.matched == 0 {
                // Skips bytes that cannot start the pattern.
                match memchr::memchr(self.pattern[0], &bytes[read..]) {
                    Some(position) => read += position,
                    None => break,
                }
            }
            self.step(bytes[read]);
            read += 1;

            if self.matched == self.pattern.len() {
                self.matched = 0;
                return Advance {
                    read,
                    is_complete: true,
                };
            }
        }
        Advance {
            read: bytes.len(),
            is_complete: false,
        }
    }

    fn step(&mut self, byte: u8) {
        while self.matched > 0 && byte != self.pattern[self.matched] {
            self.matched = self.fallback[self.matched - 1];
        }
        self.matched += usize::from(byte == self.pattern[self.matched]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::vec, prelude::*, sample::Index};

    const BOUNDARY: &str = "--a--ab";

    /// Filters a form in chunks that end at these positions.
    fn filter_in_chunks(form: &[u8], cuts: &[Index]) -> Vec<u8> {
        let mut positions: Vec<usize> = cuts.iter().map(|cut| cut.index(form.len() + 1)).collect();
        positions.extend([0, form.len()]);
        positions.sort_unstable();

        let mut filter = PartHeaderFilter::new(BOUNDARY);
        let chunks = positions
            .windows(2)
            .map(|cut| Bytes::copy_from_slice(&form[cut[0]..cut[1]]));
        chunks.flat_map(|chunk| filter.filter(chunk)).collect()
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
            prop_assert_eq!(filter_in_chunks(&sent, &cuts), form(&parts, clean));
        }

        #[test]
        fn output_is_independent_of_chunk_boundaries(
            rest in vec(any::<u8>(), 0..200),
            cuts in vec(any::<Index>(), 0..40),
        ) {
            let form = [format!("--{BOUNDARY}\r\n").as_bytes(), &rest].concat();
            prop_assert_eq!(filter_in_chunks(&form, &cuts), filter_in_chunks(&form, &[]));
        }
    }

    #[test]
    fn unchanged_chunks_are_not_copied() {
        let headers = Bytes::from(format!("--{BOUNDARY}\r\nx: y"));
        let content = Bytes::from_static(b"\0\r\n\0 content");
        let mut filter = PartHeaderFilter::new(BOUNDARY);
        filter.filter(headers);
        filter.filter(Bytes::from_static(b"\r\n\r\n"));

        assert_eq!(filter.filter(content.clone()).as_ptr(), content.as_ptr());
    }

    #[test]
    fn empty_line_of_the_output_ends_the_headers() {
        let sent = b"----a--ab\r\na\nb: \r\r\nc\r\n\0\r\n\0content";
        assert_eq!(
            filter_in_chunks(sent, &[]),
            b"----a--ab\r\nab: \r\nc\r\n\r\n\0content"
        );
    }
}
