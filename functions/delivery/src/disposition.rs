//! `Content-Disposition` (RFC 6266): whether a file is shown or saved, and under which name.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What `filename*` has to encode: everything but `attr-char` of RFC 8187.
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

/// The header's value: always ASCII. Names beyond ASCII stand in `filename*`, with a plain stand-in
/// for old clients.
pub(crate) fn content_disposition(save: bool, name: &str) -> String {
    let kind = if save { "attachment" } else { "inline" };
    let plain: String = name
        .chars()
        .map(|character| {
            if character.is_ascii_graphic() || character == ' ' {
                character
            } else {
                '_'
            }
        })
        .map(|character| {
            if matches!(character, '"' | '\\') {
                '_'
            } else {
                character
            }
        })
        .collect();
    if plain == name {
        format!("{kind}; filename=\"{plain}\"")
    } else {
        format!(
            "{kind}; filename=\"{plain}\"; filename*=UTF-8''{}",
            utf8_percent_encode(name, ENCODED)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out_of_the_header() {
        assert_eq!(
            content_disposition(false, "a b.jpg"),
            "inline; filename=\"a b.jpg\""
        );
        assert_eq!(
            content_disposition(true, "\"é\r\n.jpg"),
            "attachment; filename=\"____.jpg\"; filename*=UTF-8''%22%C3%A9%0D%0A.jpg"
        );
    }
}
