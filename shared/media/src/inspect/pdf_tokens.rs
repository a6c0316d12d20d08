//! Dictionaries of PDF files in the order of their ends.
//!
//! Invariants:
//! - Each byte is read once, and those of a stream of objects twice.
//! - At most [`MAX_DEPTH`] dictionaries are open.

/// Maximum number of nested dictionaries.
const MAX_DEPTH: usize = 32;
/// Keyword after the data of a stream.
const END_OF_STREAM: &[u8] = b"endstream";

/// Type of a dictionary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum DictionaryType {
    /// Node of a page tree.
    PageTree,
    /// Followed by a stream of further objects, which is compressed with zlib.
    ObjectStream,
    #[default]
    Other,
}

/// Entries of a dictionary.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Dictionary {
    pub(super) kind: DictionaryType,
    /// Whether it has a parent, so that it is no root.
    pub(super) has_parent: bool,
    /// Number of pages of a page tree.
    pub(super) count: Option<u32>,
    /// Length of a linearized file, in bytes.
    pub(super) linearized_length: Option<u64>,
    /// Number of pages of a linearized file.
    pub(super) pages: Option<u32>,
    is_linearized: bool,
    length: Option<u64>,
}

/// Iterator over the dictionaries of a file.
pub(super) struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    open: Vec<Dictionary>,
    /// Number of open dictionaries above the maximum depth.
    ignored: usize,
    /// The last name, which is the key of a value that follows.
    key: &'a [u8],
}

impl<'a> Scanner<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Scanner<'a> {
        Scanner {
            bytes,
            at: 0,
            open: Vec::new(),
            ignored: 0,
            key: b"",
        }
    }

    /// Returns the next dictionary that ends.
    pub(super) fn next(&mut self) -> Option<Dictionary> {
        while let Some(byte) = self.bytes.get(self.at) {
            let rest = &self.bytes[self.at..];
            match byte {
                b'<' if rest.starts_with(b"<<") => {
                    self.at += 2;
                    self.begin();
                }
                b'>' if rest.starts_with(b">>") => {
                    self.at += 2;
                    if let Some(dictionary) = self.end() {
                        return Some(dictionary);
                    }
                }
                b'/' => self.name(),
                b'(' => self.skip_text(),
                b'%' => self.skip_comment(),
                b's' if rest.starts_with(b"stream") => self.skip_stream(),
                b'o' if rest.starts_with(b"obj") => {
                    // Damage does not affect later objects.
                    self.open.clear();
                    self.ignored = 0;
                    self.at += 3;
                }
                b'e' if rest.starts_with(b"endobj") => self.at += 6,
                b'0'..=b'9' => self.number(),
                _ => self.at += 1,
            }
        }

        None
    }

    /// Returns the data of the stream after the last dictionary.
    pub(super) fn stream(&self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..)?.trim_ascii_start();
        let data = rest.strip_prefix(b"stream")?;
        let data = data.strip_prefix(b"\r").unwrap_or(data);
        let data = data.strip_prefix(b"\n").unwrap_or(data);
        Some(&data[..find(data, END_OF_STREAM).unwrap_or(data.len())])
    }

    fn begin(&mut self) {
        self.key = b"";
        if self.open.len() < MAX_DEPTH {
            self.open.push(Dictionary::default());
        } else {
            self.ignored += 1;
        }
    }

    fn end(&mut self) -> Option<Dictionary> {
        self.key = b"";
        if let Some(ignored) = self.ignored.checked_sub(1) {
            self.ignored = ignored;
            return None;
        }
        let mut dictionary = self.open.pop()?;
        if dictionary.is_linearized {
            dictionary.linearized_length = dictionary.length;
        }
        Some(dictionary)
    }

    /// Reads a name, which is a key or the value of one.
    fn name(&mut self) {
        let start = self.at + 1;
        let rest = self.bytes.get(start..).unwrap_or_default();
        let length = rest.iter().position(|byte| !is_regular(*byte));
        let name = &rest[..length.unwrap_or(rest.len())];
        self.at = start + name.len();

        if let Some(dictionary) = self.open.last_mut()
            && self.ignored == 0
        {
            match (self.key, name) {
                (b"Type", b"Pages") => dictionary.kind = DictionaryType::PageTree,
                (b"Type", b"ObjStm") => dictionary.kind = DictionaryType::ObjectStream,
                (_, b"Parent") => dictionary.has_parent = true,
                (_, b"Linearized") => dictionary.is_linearized = true,
                _ => {}
            }
        }
        self.key = name;
    }

    /// Reads a number, which may be the value of a key.
    fn number(&mut self) {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|byte| !is_regular(*byte));
        let digits = &rest[..length.unwrap_or(rest.len())];
        self.at += digits.len();

        let number = str::from_utf8(digits).ok();
        let number = number.and_then(|digits| digits.parse::<u64>().ok());
        let short = number.and_then(|number| u32::try_from(number).ok());
        if let Some(dictionary) = self.open.last_mut()
            && self.ignored == 0
        {
            match self.key {
                b"Count" => dictionary.count = short,
                b"N" => dictionary.pages = short,
                b"L" => dictionary.length = number,
                _ => {}
            }
        }
        self.key = b"";
    }

    /// Skips a text in parentheses, which may be nested.
    fn skip_text(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
    }

    /// Skips a comment, up to the end of its line.
    fn skip_comment(&mut self) {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        self.at += end.unwrap_or(rest.len());
    }

    /// Skips the data of a stream.
    fn skip_stream(&mut self) {
        let rest = &self.bytes[self.at..];
        let end = find(rest, END_OF_STREAM);
        self.at += end.map_or(rest.len(), |end| end + END_OF_STREAM.len());
    }
}

/// Returns the offset of a text.
fn find(bytes: &[u8], text: &[u8]) -> Option<usize> {
    bytes.windows(text.len()).position(|window| window == text)
}

/// Whether a byte belongs to a name or a number.
fn is_regular(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && byte != 0 && !b"()<>[]{}/%".contains(&byte)
}
