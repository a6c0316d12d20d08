//! Removes control characters from the headers of a form's parts, before they are parsed.
//!
//! Clients may send any byte in a file's name, and the parser refuses headers that hold control
//! characters.
//!
//! Invariants:
//! - Content, boundaries and whatever is outside of a part pass unchanged, wherever the chunks are
//!   cut.
//! - The filter finds headers where the parser does (RFC 2046, section 5.1.1): after a boundary,
//!   optional spaces and tabs, and a line break, up to the first empty line of what the filter
//!   passes on.
//! - Of headers, control characters are removed, except tabs and the pairs of CR and LF that end
//!   lines.

use bytes::{Bytes, BytesMut};

/// What ends a line.
const LINE_BREAK: &[u8; 2] = b"\r\n";

/// The filter of one form.
pub(crate) struct PartHeaders {
    state: State,
    /// Finds the first boundary.
    first_boundary: Matcher,
    /// Finds the boundary that ends a part's content, together with the line break before it.
    next_boundary: Matcher,
}

/// Where in a form the next byte stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before the first boundary.
    Preamble,
    /// After a boundary, in its optional padding.
    Padding,
    /// After a boundary and a CR.
    PaddingEnd,
    /// In the headers of a part, after a number of consecutive line breaks.
    Headers { line_breaks: u8 },
    /// The same, after a CR that is passed on only if an LF follows.
    HeadersCr { line_breaks: u8 },
    /// In the content of a part.
    Content,
    /// After the last boundary, or where the parser fails.
    End,
}

impl PartHeaders {
    /// Creates the filter of a form with this boundary.
    pub(crate) fn new(boundary: &str) -> PartHeaders {
        PartHeaders {
            state: State::Preamble,
            first_boundary: Matcher::new(format!("--{boundary}").into_bytes()),
            next_boundary: Matcher::new(format!("\r\n--{boundary}").into_bytes()),
        }
    }

    /// Returns the next chunk of the form as the parser is to see it.
    pub(crate) fn filter(&mut self, chunk: Bytes) -> Bytes {
        let mut output = Output::of(chunk);
        while let Some(rest) = output.rest() {
            match self.state {
                State::Preamble => {
                    let (read, is_found) = self.first_boundary.advance(rest);
                    output.keep(read);
                    self.state = if is_found {
                        State::Padding
                    } else {
                        State::Preamble
                    };
                }
                State::Content => {
                    let (read, is_found) = self.next_boundary.advance(rest);
                    output.keep(read);
                    self.state = if is_found {
                        State::Padding
                    } else {
                        State::Content
                    };
                }
                State::End => output.keep(rest.len()),
                State::Padding | State::PaddingEnd => {
                    self.state = after_boundary(self.state, rest[0]);
                    output.keep(1);
                }
                State::Headers { line_breaks } => {
                    self.header_byte(line_breaks, rest[0], &mut output);
                }
                State::HeadersCr { line_breaks } => {
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
                self.state = State::HeadersCr { line_breaks };
            }
            b'\t' => self.keep_header_byte(output),
            byte if byte.is_ascii_control() => output.remove(1),
            _ => self.keep_header_byte(output),
        }
    }

    fn keep_header_byte(&mut self, output: &mut Output) {
        output.keep(1);
        self.state = State::Headers { line_breaks: 0 };
    }

    fn header_byte_after_cr(&mut self, line_breaks: u8, byte: u8, output: &mut Output) {
        // A CR that does not end a line stays removed, and its successor is read as any other byte.
        self.state = State::Headers { line_breaks };
        if byte == b'\n' {
            output.replace(1, LINE_BREAK);
            self.state = if line_breaks == 1 {
                State::Content
            } else {
                State::Headers { line_breaks: 1 }
            };
        }
    }
}

fn after_boundary(state: State, byte: u8) -> State {
    match (state, byte) {
        (State::Padding, b' ' | b'\t') => State::Padding,
        (State::Padding, b'\r') => State::PaddingEnd,
        (State::PaddingEnd, b'\n') => State::Headers { line_breaks: 0 },
        // Two hyphens end the form; anything else is an error of the parser.
        _ => State::End,
    }
}

/// A chunk that is passed on; it is copied only where bytes of it are removed.
struct Output {
    chunk: Bytes,
    /// Bytes of the chunk that were read.
    read: usize,
    /// Bytes of the chunk that are in `copy` or removed.
    done: usize,
    copy: Option<BytesMut>,
}

impl Output {
    fn of(chunk: Bytes) -> Output {
        Output {
            chunk,
            read: 0,
            done: 0,
            copy: None,
        }
    }

    /// Returns the bytes that were not read yet; `None` if there are none.
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
        let capacity = self.chunk.len() + LINE_BREAK.len();
        let copy = self
            .copy
            .get_or_insert_with(|| BytesMut::with_capacity(capacity));
        copy.extend_from_slice(&self.chunk[self.done..self.read]);
        copy.extend_from_slice(by);
        self.read += count;
        self.done = self.read;
    }

    fn finish(self) -> Bytes {
        let Some(mut copy) = self.copy else {
            return self.chunk;
        };
        copy.extend_from_slice(&self.chunk[self.done..]);
        copy.freeze()
    }
}

/// Finds a pattern in bytes that come in chunks (Knuth, Morris and Pratt).
struct Matcher {
    pattern: Vec<u8>,
    /// For each number of bytes that match: how many still match if the next one does not.
    fallback: Vec<usize>,
    matched: usize,
}

impl Matcher {
    fn new(pattern: Vec<u8>) -> Matcher {
        let mut fallback = vec![0; pattern.len()];
        let mut length = 0;
        for index in 1..pattern.len() {
            while length > 0 && pattern[index] != pattern[length] {
                length = fallback[length - 1];
            }
            length += usize::from(pattern[index] == pattern[length]);
            fallback[index] = length;
        }
        Matcher {
            pattern,
            fallback,
            matched: 0,
        }
    }

    /// Reads bytes up to the end of the pattern. Returns how many were read, and whether they end
    /// with the pattern.
    fn advance(&mut self, bytes: &[u8]) -> (usize, bool) {
        let mut read = 0;
        while read < bytes.len() {
            if self.matched == 0 {
                // Most bytes are none of the pattern.
                match memchr::memchr(self.pattern[0], &bytes[read..]) {
                    Some(position) => read += position,
                    None => return (bytes.len(), false),
                }
            }
            self.step(bytes[read]);
            read += 1;
            if self.matched == self.pattern.len() {
                self.matched = 0;
                return (read, true);
            }
        }
        (read, false)
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

    /// Returns what the filter passes on of a form that is cut at these positions.
    fn filtered(form: &[u8], cuts: &[Index]) -> Vec<u8> {
        let mut positions: Vec<usize> = cuts.iter().map(|cut| cut.index(form.len() + 1)).collect();
        positions.extend([0, form.len()]);
        positions.sort_unstable();

        let mut filter = PartHeaders::new(BOUNDARY);
        let chunks = positions
            .windows(2)
            .map(|cut| Bytes::copy_from_slice(&form[cut[0]..cut[1]]));
        chunks.flat_map(|chunk| filter.filter(chunk)).collect()
    }

    /// Headers that hold control characters, tabs, CR and LF alone, but no line breaks.
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

    /// Pieces of content that come close to boundaries and headers.
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

    /// Content that holds no boundary.
    fn content() -> impl Strategy<Value = Vec<u8>> {
        let pieces = vec(proptest::sample::select(&PIECES[..]), 0..12);
        let content = pieces.prop_map(|pieces| pieces.concat());
        content
            .prop_filter("no boundary", |content| {
                !content.contains(&format!("\r\n--{BOUNDARY}"))
            })
            .prop_map(String::into_bytes)
    }

    fn form(parts: &[(Vec<u8>, Vec<u8>)], shown: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
        let part = |(header, content): &(Vec<u8>, Vec<u8>)| {
            let head = [format!("--{BOUNDARY} \t\r\n").as_bytes(), &shown(header)].concat();
            [
                &head,
                &b"\r\n"[..],
                &shown(header),
                b"\r\n\r\n",
                content,
                b"\r\n",
            ]
            .concat()
        };
        let end = format!("--{BOUNDARY}--\r\n\0\r\n");
        [
            &b"\0pre\r\n"[..],
            &parts.iter().flat_map(part).collect::<Vec<_>>(),
            end.as_bytes(),
        ]
        .concat()
    }

    proptest! {
        #[test]
        fn headers_lose_control_bytes_and_content_is_unchanged(
            parts in vec((header(), content()), 0..4),
            cuts in vec(any::<Index>(), 0..40),
        ) {
            let cleaned = |header: &[u8]| -> Vec<u8> {
                header.iter().copied().filter(|byte| *byte == b'\t' || !byte.is_ascii_control()).collect()
            };
            let sent = form(&parts, <[u8]>::to_vec);
            prop_assert_eq!(filtered(&sent, &cuts), form(&parts, cleaned));
        }

        #[test]
        fn chunks_make_no_difference(form in vec(any::<u8>(), 0..200), cuts in vec(any::<Index>(), 0..40)) {
            let form = [format!("--{BOUNDARY}\r\n").as_bytes(), &form].concat();
            prop_assert_eq!(filtered(&form, &cuts), filtered(&form, &[]));
        }
    }

    #[test]
    fn bytes_that_are_not_removed_are_not_copied() {
        let form = Bytes::from(format!("--{BOUNDARY}\r\nx: y"));
        let content = Bytes::from_static(b"\0\r\n\0 content");
        let mut filter = PartHeaders::new(BOUNDARY);
        filter.filter(form);
        filter.filter(Bytes::from_static(b"\r\n\r\n"));
        assert_eq!(filter.filter(content.clone()).as_ptr(), content.as_ptr());
    }

    #[test]
    fn a_lone_line_feed_is_removed_and_no_empty_line_appears_before_one_is_passed_on() {
        let sent = b"----a--ab\r\na\nb: \r\r\nc\r\n\0\r\n\0content";
        assert_eq!(
            filtered(sent, &[]),
            b"----a--ab\r\nab: \r\nc\r\n\r\n\0content"
        );
    }
}
