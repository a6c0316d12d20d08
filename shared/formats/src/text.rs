//! Recognition of text.

/// Control characters that text may contain: tab, line feed, vertical tab, form feed, carriage
/// return, escape.
const TEXT_CONTROLS: [u8; 6] = [9, 10, 11, 12, 13, 27];
/// Number of first bytes that must be text.
const TEXT_BYTES: usize = 8 << 10;

/// Starts of UTF-16: byte order marks, and `<?` without one ("Autodetection" in appendix F of XML
/// 1.0).
const UTF16_STARTS: [&[u8]; 4] = [b"\xFF\xFE", b"\xFE\xFF", b"<\0?\0", b"\0<\0?"];

/// Returns whether a file is text, by its first bytes: UTF-16, or free of control characters that
/// text does not contain.
pub fn is_text(head: &[u8]) -> bool {
    is_utf16(head)
        || head
            .iter()
            .take(TEXT_BYTES)
            .all(|byte| *byte >= b' ' || TEXT_CONTROLS.contains(byte))
}

fn is_utf16(head: &[u8]) -> bool {
    UTF16_STARTS.iter().any(|start| head.starts_with(start))
}

/// Returns whether text is an SVG: whether its first bytes contain the start tag, with or without a
/// prefix of the namespace, also in UTF-16.
pub fn is_svg(head: &[u8]) -> bool {
    let bytes_per_character = if is_utf16(head) { 2 } else { 1 };
    // The high bytes of big-endian characters of ASCII come first.
    let first = usize::from(bytes_per_character == 2 && matches!(head, [0xFE | 0, ..]));
    let characters: Vec<u8> = head
        .iter()
        .skip(first)
        .step_by(bytes_per_character)
        .copied()
        .collect();

    characters
        .split(|character| *character == b'<')
        .skip(1)
        .any(|tag| {
            let end = tag
                .iter()
                .position(|character| character.is_ascii_whitespace() || b">/".contains(character));
            let name = &tag[..end.unwrap_or(tag.len())];
            let local = name
                .rsplit(|character| *character == b':')
                .next()
                .unwrap_or(name);
            local.eq_ignore_ascii_case(b"svg")
        })
}
