//! Detects UTF-8.

/// Validates UTF-8 in chunks. A character may span two chunks.
#[derive(Debug, Default)]
pub(crate) struct Utf8Validator {
    is_invalid: bool,
    /// The first bytes of a character that the last chunk did not complete.
    partial: Vec<u8>,
}

impl Utf8Validator {
    /// Validates the next bytes.
    pub(crate) fn update(&mut self, chunk: &[u8]) {
        let mut rest = chunk;
        while let Some((first, after)) = rest
            .split_first()
            .filter(|_| !self.is_invalid && !self.partial.is_empty())
        {
            self.partial.push(*first);
            rest = after;
            match std::str::from_utf8(&self.partial) {
                Ok(_) => self.partial.clear(),
                Err(error) => self.is_invalid = error.error_len().is_some(),
            }
        }
        if self.is_invalid {
            return;
        }

        if let Err(error) = std::str::from_utf8(rest) {
            self.is_invalid = error.error_len().is_some();
            self.partial.extend_from_slice(&rest[error.valid_up_to()..]);
        }
    }

    /// Returns whether the bytes so far are the start of valid UTF-8.
    pub(crate) fn is_valid_so_far(&self) -> bool {
        !self.is_invalid
    }

    /// Returns whether the bytes so far are valid UTF-8, without a partial character at the end.
    pub(crate) fn is_valid(&self) -> bool {
        !self.is_invalid && self.partial.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_valid(chunks: &[&[u8]]) -> bool {
        let mut validator = Utf8Validator::default();
        for chunk in chunks {
            validator.update(chunk);
        }
        validator.is_valid()
    }

    #[test]
    fn utf8_is_valid_at_every_chunk_boundary() {
        let text = "aé€🚀z".as_bytes();
        for first in 0..=text.len() {
            for second in first..=text.len() {
                assert!(
                    is_valid(&[&text[..first], &text[first..second], &text[second..]]),
                    "{first} {second}"
                );
            }
        }
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        assert!(is_valid(&bytes));
    }

    #[test]
    fn other_encodings_are_invalid_at_every_chunk_boundary() {
        for wrong in [
            &b"caf\xE9 au lait"[..],
            b"\xFF\xFEa\0",
            b"\xC0\xAF",
            b"\xED\xA0\x80",
            b"\xF0\x9F\x9Ax",
            b"a\xE2\x82",
        ] {
            for cut in 0..=wrong.len() {
                assert!(
                    !is_valid(&[&wrong[..cut], &wrong[cut..]]),
                    "{wrong:?} {cut}"
                );
            }
        }
    }

    #[test]
    fn prefix_that_ends_within_a_character_is_valid_so_far() {
        let mut validator = Utf8Validator::default();
        validator.update(b"a\xE2\x82");

        assert!(validator.is_valid_so_far());
        assert!(!validator.is_valid());
    }
}
