//! `Content-Disposition` (RFC 6266).

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Characters that `filename*` encodes: all except `attr-char` of RFC 8187.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'#')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b'-')
    .remove(b'.')
    .remove(b'^')
    .remove(b'_')
    .remove(b'`')
    .remove(b'|')
    .remove(b'~');

/// Whether the client shows or saves a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DispositionType {
    Inline,
    Attachment,
}

impl DispositionType {
    /// Returns the value of the header, in ASCII. A name with other characters is in `filename*`,
    /// and `filename` has a replacement for old clients.
    pub(crate) fn header(self, name: &str) -> String {
        let disposition = match self {
            DispositionType::Inline => "inline",
            DispositionType::Attachment => "attachment",
        };
        let ascii_name: String = name.chars().map(ascii_character).collect();
        let plain = format!("{disposition}; filename=\"{ascii_name}\"");
        if ascii_name == name {
            return plain;
        }

        let encoded = utf8_percent_encode(name, ENCODED);
        format!("{plain}; filename*=UTF-8''{encoded}")
    }
}

/// Replaces a character that a quoted string cannot contain.
fn ascii_character(character: char) -> char {
    let is_allowed = character.is_ascii_graphic() || character == ' ';
    if is_allowed && !matches!(character, '"' | '\\') {
        character
    } else {
        '_'
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_cannot_add_headers_or_parameters() {
        assert_eq!(
            DispositionType::Inline.header("a b.jpg"),
            "inline; filename=\"a b.jpg\""
        );
        assert_eq!(
            DispositionType::Attachment.header("\"é\r\n.jpg"),
            "attachment; filename=\"____.jpg\"; filename*=UTF-8''%22%C3%A9%0D%0A.jpg"
        );
    }
}
