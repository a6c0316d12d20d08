//! Messages as they are sent: their attributes, their bounds, and the digests by which clients
//! check them.

use std::collections::BTreeMap;

use base64::{Engine, engine::general_purpose::STANDARD};
use md5::{Digest, Md5};
use serde::{Deserialize, Serialize};

use super::error::SqsError;

/// Attributes that one message can have.
const ATTRIBUTES_MAX: usize = 10;

/// Attributes of a message, by name.
pub(super) type MessageAttributes = BTreeMap<String, MessageAttribute>;

/// One attribute of a message: a text or some bytes.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct MessageAttribute {
    /// `String`, `Number` or `Binary`, with a custom suffix perhaps.
    data_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    string_value: Option<String>,
    /// Base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    binary_value: Option<String>,
}

impl MessageAttribute {
    /// The kind of transport and the bytes that are transported.
    fn transported(&self) -> Option<(u8, Vec<u8>)> {
        match (
            self.data_type.split('.').next()?,
            &self.string_value,
            &self.binary_value,
        ) {
            ("String" | "Number", Some(text), None) => Some((1, text.clone().into_bytes())),
            ("Binary", None, Some(encoded)) => Some((2, STANDARD.decode(encoded).ok()?)),
            _ => None,
        }
    }
}

/// Checks a message and gives its size in bytes.
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
        return Err(SqsError::invalid_value(format!(
            "A message can have at most {ATTRIBUTES_MAX} attributes."
        )));
    }
    let mut bytes = body.len();
    for (name, attribute) in attributes {
        let Some((_, value)) = attribute.transported() else {
            return Err(SqsError::invalid_value(format!(
                "The message attribute {name} has no value of its type."
            )));
        };
        bytes += name.len() + attribute.data_type.len() + value.len();
    }
    if bytes > max_bytes {
        let reason = format!(
            "One or more parameters are invalid. Reason: Message must be shorter than {max_bytes} bytes."
        );
        return Err(SqsError::invalid_value(reason));
    }
    Ok(bytes)
}

/// What XML 1.0 allows, which the older protocol spoke.
fn is_allowed(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// The body's MD5, in hexadecimal.
pub(super) fn body_digest(body: &str) -> String {
    hex::encode(Md5::digest(body))
}

/// The attributes' MD5, in hexadecimal: sorted by name, each of name, type and value with its
/// length in four bytes before it, and the kind of transport before the value. None where there are
/// no attributes.
pub(super) fn attributes_digest(attributes: &MessageAttributes) -> Option<String> {
    if attributes.is_empty() {
        return None;
    }
    let mut digest = Md5::new();
    let mut add = |bytes: &[u8], transport: Option<u8>| {
        digest.update(transport.as_slice());
        // `check` bounds the whole message to far less than 4 GiB.
        digest.update(u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_be_bytes());
        digest.update(bytes);
    };
    for (name, attribute) in attributes {
        let (transport, value) = attribute.transported()?;
        add(name.as_bytes(), None);
        add(attribute.data_type.as_bytes(), None);
        // The kind of transport stands before the length.
        add(&value, Some(transport));
    }
    Some(hex::encode(digest.finalize()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_attributes_digest_is_the_one_that_clients_compute() {
        let attributes: MessageAttributes = serde_json::from_value(json!({
            "n": { "DataType": "Number", "StringValue": "1" },
            "b": { "DataType": "Binary", "BinaryValue": "AP8=" },
        }))
        .unwrap();
        // What follows the specification byte by byte: `b` sorts before `n`.
        let bytes = b"\0\0\0\x01b\0\0\0\x06Binary\x02\0\0\0\x02\x00\xff\0\0\0\x01n\0\0\0\x06Number\x01\0\0\0\x011";
        assert_eq!(
            attributes_digest(&attributes),
            Some(hex::encode(Md5::digest(bytes)))
        );
    }

    #[test]
    fn a_body_has_to_be_text_that_xml_can_carry() {
        let none = MessageAttributes::new();
        assert_eq!(check("a\u{1F600}\n", &none, 10).unwrap(), 6);
        for body in ["", "\u{0}", "\u{FFFF}", "more than ten"] {
            assert!(check(body, &none, 10).is_err(), "{body:?}");
        }
    }
}
