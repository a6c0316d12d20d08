//! Attempts of a message.

use serde::{Deserialize, Serialize};

use crate::env::Timestamp;

/// Maximum size of the stored beginning of a response, in bytes.
pub const MAX_RESPONSE_EXCERPT_BYTES: usize = 1_024;

/// One attempt to send a webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookAttempt {
    /// Number of the attempt, from 1.
    pub number: u32,
    /// Start of the attempt.
    pub at: Timestamp,
    pub duration_ms: u64,
    /// Status of the response; `None` without a response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_code: Option<u16>,
    /// Why there was no valid response, in words for the owner of the endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Beginning of the body of the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_excerpt: Option<WebhookExcerpt>,
}

impl WebhookAttempt {
    /// Returns whether the endpoint accepted the webhook.
    pub fn is_success(&self) -> bool {
        self.error.is_none() && matches!(self.status_code, Some(200..=299))
    }

    /// Describes a failed attempt in one sentence.
    pub fn describe_failure(&self) -> String {
        match (&self.error, self.status_code) {
            (Some(error), _) => error.clone(),
            (None, Some(status)) => format!("The host responds with status {status}."),
            (None, None) => "There was no response.".to_owned(),
        }
    }
}

/// Printable beginning of a response: at most [`MAX_RESPONSE_EXCERPT_BYTES`] of UTF-8 without
/// control characters except tabs and line feeds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WebhookExcerpt(String);

impl WebhookExcerpt {
    /// Returns the excerpt of a body; `None` of an empty one. Bytes that are not UTF-8 and control
    /// characters are replaced by U+FFFD.
    pub fn of(body: &[u8]) -> Option<WebhookExcerpt> {
        let is_kept = |character: char| !character.is_control() || matches!(character, '\t' | '\n');

        let mut text: String = String::from_utf8_lossy(body)
            .replace("\r\n", "\n")
            .chars()
            .filter(|character| !is_direction_mark(*character))
            .map(|character| {
                if is_kept(character) {
                    character
                } else {
                    char::REPLACEMENT_CHARACTER
                }
            })
            .collect();

        text.truncate(text.floor_char_boundary(MAX_RESPONSE_EXCERPT_BYTES));
        (!text.is_empty()).then_some(WebhookExcerpt(text))
    }

    /// Returns the excerpt as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether a character changes the direction of the text after it, which could disguise a log.
fn is_direction_mark(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpt_is_bounded_and_printable() {
        let excerpt = |body: &[u8]| WebhookExcerpt::of(body).map(|excerpt| excerpt.0);
        assert_eq!(excerpt(b""), None);
        assert_eq!(
            excerpt(b"a\tb\r\nc\x1b[0m\xff").as_deref(),
            Some("a\tb\nc\u{fffd}[0m\u{fffd}")
        );
        assert_eq!(excerpt("a\u{202e}b".as_bytes()).as_deref(), Some("ab"));
        let long = excerpt("é".repeat(4_000).as_bytes()).expect("a text");
        assert_eq!(long.len(), MAX_RESPONSE_EXCERPT_BYTES);
        let invalid = excerpt(&[0xff; 4_000]).expect("a text");
        assert!(invalid.len() <= MAX_RESPONSE_EXCERPT_BYTES);
    }
}
