//! Text, told from anything else by its first bytes.

/// Control characters that text holds: tab, line feed, vertical tab, form feed, carriage return, escape.
const TEXT_CONTROLS: [u8; 6] = [9, 10, 11, 12, 13, 27];

/// Whether bytes read as text: UTF-16 by its mark, or no control characters but those of text.
pub(crate) fn is_text(head: &[u8]) -> bool {
    let marked = head.starts_with(&[0xFF, 0xFE]) || head.starts_with(&[0xFE, 0xFF]);
    marked || head.iter().all(|byte| *byte >= b' ' || TEXT_CONTROLS.contains(byte))
}
