//! Replaces what differs between runs in recorded examples.

use domain::env::Timestamp;
use regex::{Captures, Regex};
use serde_json::{Map, Value, json};

/// Handle of the space in the examples.
pub(super) const HANDLE: &str = "k3x9ab";
/// Time at which the examples begin, in milliseconds since 1970: 2026-01-05T09:30:00Z.
const START_MS: i64 = 1_767_605_400_000;

/// Replaces what differs between runs.
pub(super) struct Replacements {
    /// Texts, and what replaces them.
    pub(super) texts: Vec<(String, &'static str)>,
    pub(super) start_ms: i64,
}

impl Replacements {
    pub(super) fn apply(&self, examples: &Map<String, Value>) -> String {
        let mut text = format!("{:#}\n", json!(examples));
        for (found, replacement) in &self.texts {
            text = text.replace(found, replacement);
        }
        for (pattern, replacement) in [
            (
                r"sk_[0-9A-Za-z]{46}",
                "sk_00000000000000000000000000000000000000002kaqcA",
            ),
            (
                r"whsec_[^\x22]+",
                "whsec_bm90IGEgc2VjcmV0LCBidXQgYW4gZXhhbXBsZSBvZiBvbmU=",
            ),
            (
                r#""(secret|confirm_token)": "[^w"][^"]*""#,
                r#""$1": "not-a-secret""#,
            ),
            (
                r"signature=[0-9a-f]{64}",
                "signature=5d41402abc4b2a76b9719d911017c592ae0fb6a3ae8b1cb0a54e2a2b5e0b8a11",
            ),
            (r"expires=\d+", "expires=1767609000"),
            (
                r"\?[^\x22]*X-Amz-[^\x22]*",
                "?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=5d41402abc4b",
            ),
            (r#""last_four": "[^"]*""#, r#""last_four": "aqcA""#),
        ] {
            let pattern = Regex::new(pattern).expect("a pattern");
            text = pattern.replace_all(&text, replacement).into_owned();
        }

        let times = Regex::new(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z").expect("a pattern");
        let shifted = |found: &Captures<'_>| {
            let time = Timestamp::parse_rfc3339(&found[0]).expect("a time");
            // The account is older.
            let elapsed_ms = (time.ms() - self.start_ms).max(0);
            Timestamp::from_ms(START_MS + elapsed_ms).rfc3339()
        };
        let text = times.replace_all(&text, shifted).into_owned();

        let ids = Regex::new(r"\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b").expect("a pattern");
        let mut known: Vec<String> = Vec::new();
        let numbered = |found: &Captures<'_>| {
            let position = known.iter().position(|id| id == &found[0]);
            let number = position.unwrap_or_else(|| {
                known.push(found[0].to_owned());
                known.len() - 1
            });
            format!("01KE6WZ8N0{:016}", number + 1)
        };
        ids.replace_all(&text, numbered).into_owned()
    }
}
