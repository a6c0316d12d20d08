//! Messages: their attributes, limits, and the MD5 digests that clients verify.

use std::collections::BTreeMap;

use base64::{Engine, engine::general_purpose::STANDARD};
use md5::{Digest, Md5};
use serde::{Deserialize, Serialize};

use super::error::SqsError;

/// Maximum number of attributes of a message.
const ATTRIBUTES_MAX: usize = 10;
/// Maximum length of a message group id, in characters.
const GROUP_ID_LENGTH_MAX: usize = 128;

/// Attributes of a message by name.
pub(super) type MessageAttributes = BTreeMap<String, MessageAttribute>;

/// One attribute of a message: text or bytes.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct MessageAttribute {
    /// `String`, `Number` or `Binary`, optionally with a custom suffix.
    data_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    string_value: Option<String>,
    /// Base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    binary_value: Option<String>,
}

/// The value of an attribute as the MD5 digest covers it.
struct TransportValue {
    /// 1 for text, 2 for bytes.
    kind: u8,
    bytes: Vec<u8>,
}

impl MessageAttribute {
    /// Returns `None` if the value does not fit the data type.
    fn transport_value(&self) -> Option<TransportValue> {
        let base_type = self.data_type.split('.').next()?;
        match (base_type, &self.string_value, &self.binary_value) {
            ("String" | "Number", Some(text), None) => Some(TransportValue {
                kind: 1,
                bytes: text.clone().into_bytes(),
            }),
            ("Binary", None, Some(encoded)) => Some(TransportValue {
                kind: 2,
                bytes: STANDARD.decode(encoded).ok()?,
            }),
            _ => None,
        }
    }
}

/// Checks a message and returns its size in bytes.
pub(super) fn check(
    body: &str,
    attributes: &MessageAttributes,
    max_bytes: usize,
) -> Result<usize, SqsError> {
    if body.is_empty() {
        return Err(SqsError::missing("MessageBody"));
    }
    if !body.chars().all(is_allowed) {
        return Err(SqsError::invalid_contents());
    }
    if attributes.len() > ATTRIBUTES_MAX {
        let reason = format!("A message can have at most {ATTRIBUTES_MAX} attributes.");
        return Err(SqsError::invalid_value(reason));
    }

    let mut size_bytes = body.len();
    for (name, attribute) in attributes {
        let Some(value) = attribute.transport_value() else {
            let reason = format!("The message attribute {name} has no value of its type.");
            return Err(SqsError::invalid_value(reason));
        };
        size_bytes += name.len() + attribute.data_type.len() + value.bytes.len();
    }

    if size_bytes > max_bytes {
        let reason = format!(
            "One or more parameters are invalid. Reason: Message must be shorter than {max_bytes} bytes."
        );
        return Err(SqsError::invalid_value(reason));
    }

    Ok(size_bytes)
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
    Err(SqsError::invalid_value(reason))
}

/// Returns whether XML 1.0, the format of the older query protocol, allows a character.
fn is_allowed(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Returns the MD5 of the body, in hexadecimal.
pub(super) fn body_digest(body: &str) -> String {
    hex::encode(Md5::digest(body))
}

/// Returns the MD5 of the attributes, in hexadecimal. `None` without attributes.
///
/// Covers, sorted by name: name, data type and value, each after its length in four big-endian
/// bytes, with the kind byte before the length of the value ("Calculating the MD5 message digest
/// for message attributes" in the SQS developer guide).
pub(super) fn attributes_digest(attributes: &MessageAttributes) -> Option<String> {
    if attributes.is_empty() {
        return None;
    }

    let mut digest = Md5::new();
    for (name, attribute) in attributes {
        let value = attribute.transport_value()?;
        update(&mut digest, name.as_bytes());
        update(&mut digest, attribute.data_type.as_bytes());
        digest.update([value.kind]);
        update(&mut digest, &value.bytes);
    }

    Some(hex::encode(digest.finalize()))
}

fn update(digest: &mut Md5, bytes: &[u8]) {
    // `check` limits the message to far less than 4 GiB.
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    digest.update(length.to_be_bytes());
    digest.update(bytes);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn attributes_digest_follows_the_aws_specification() {
        let attributes: MessageAttributes = serde_json::from_value(json!({
            "n": { "DataType": "Number", "StringValue": "1" },
            "b": { "DataType": "Binary", "BinaryValue": "AP8=" },
        }))
        .unwrap();
        // `b` sorts before `n`.
        let bytes = b"\0\0\0\x01b\0\0\0\x06Binary\x02\0\0\0\x02\x00\xff\0\0\0\x01n\0\0\0\x06Number\x01\0\0\0\x011";
        assert_eq!(
            attributes_digest(&attributes),
            Some(hex::encode(Md5::digest(bytes)))
        );
    }

    #[test]
    fn body_must_be_valid_xml_text_within_the_limit() {
        let no_attributes = MessageAttributes::new();
        assert_eq!(check("a\u{1F600}\n", &no_attributes, 10).unwrap(), 6);
        for body in ["", "\u{0}", "\u{FFFF}", "more than ten"] {
            assert!(check(body, &no_attributes, 10).is_err(), "{body:?}");
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
