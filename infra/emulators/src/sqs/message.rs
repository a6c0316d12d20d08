//! Limits of messages, and the MD5 digest that clients verify.

use md5::{Digest, Md5};

use super::error::SqsError;

/// Maximum size of a message, and of the messages of a batch, in bytes.
pub(super) const MESSAGE_BYTES_MAX: usize = 1024 * 1024;
/// Maximum length of a message group id, in characters.
const GROUP_ID_LENGTH_MAX: usize = 128;

pub(super) fn check_body(body: &str) -> Result<(), SqsError> {
    if body.is_empty() {
        return Err(SqsError::MissingBody);
    }
    if !body.chars().all(is_allowed) {
        return Err(SqsError::InvalidMessageContents);
    }
    if body.len() > MESSAGE_BYTES_MAX {
        let reason = format!(
            "One or more parameters are invalid. Reason: Message must be shorter than {MESSAGE_BYTES_MAX} bytes."
        );
        return Err(SqsError::InvalidParameterValue(reason));
    }
    Ok(())
}

/// Checks a message group id: up to 128 letters, digits and punctuation characters of ASCII
/// ("`SendMessage`" in the SQS API Reference).
pub(super) fn check_group_id(id: &str) -> Result<(), SqsError> {
    let is_allowed = id.bytes().all(|byte| byte.is_ascii_graphic());
    if is_allowed && (1..=GROUP_ID_LENGTH_MAX).contains(&id.len()) {
        return Ok(());
    }
    let reason = format!(
        "MessageGroupId can only include alphanumeric and punctuation characters. 1 to {GROUP_ID_LENGTH_MAX} in length"
    );
    Err(SqsError::InvalidParameterValue(reason))
}

/// Returns whether XML 1.0, the format of the older query protocol, allows a character.
fn is_allowed(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Returns the MD5 of the body, in hexadecimal.
pub(super) fn body_digest(body: &str) -> String {
    hex::encode(Md5::digest(body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn body_must_be_valid_xml_text_within_the_limit() {
        assert!(check_body("a\u{1F600}\n").is_ok());
        assert!(check_body(&"a".repeat(MESSAGE_BYTES_MAX)).is_ok());
        let long = "a".repeat(MESSAGE_BYTES_MAX + 1);
        for body in ["", "\u{0}", "\u{FFFF}", &long] {
            assert!(check_body(body).is_err(), "{body:.10}");
        }
    }

    #[test]
    fn group_id_is_limited_ascii_without_spaces() {
        for id in ["a", "space~1", &"g".repeat(128)] {
            assert!(check_group_id(id).is_ok(), "{id}");
        }
        for id in ["", "a b", "ä", &"g".repeat(129)] {
            assert!(check_group_id(id).is_err(), "{id}");
        }
    }
}
