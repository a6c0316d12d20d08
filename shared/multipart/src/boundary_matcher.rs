//! Searches a stream of chunks for the boundary of a form.

/// Finds a pattern in chunks of bytes with the Knuth–Morris–Pratt algorithm.
pub(crate) struct BoundaryMatcher {
    pattern: Vec<u8>,
    /// Length of the longest proper prefix of the pattern that is also a suffix of its first
    /// `index + 1` bytes.
    fallback: Vec<usize>,
    /// Number of bytes of the pattern that match the last bytes read.
    matched: usize,
}

/// Progress of a [`BoundaryMatcher`] in a chunk.
pub(crate) struct Advance {
    /// Number of bytes read.
    pub(crate) read: usize,
    /// Whether the bytes read end with the pattern.
    pub(crate) is_complete: bool,
}

impl BoundaryMatcher {
    pub(crate) fn new(pattern: Vec<u8>) -> BoundaryMatcher {
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
    pub(crate) fn advance(&mut self, bytes: &[u8]) -> Advance {
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
