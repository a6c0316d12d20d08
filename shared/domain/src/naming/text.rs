//! Bounded texts: names, descriptions and references.

use icu_normalizer::ComposingNormalizerBorrowed;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::errors::FieldError;

/// Maximum number of characters of a text on one line.
const LINE_CHARACTERS: usize = 255;
/// Maximum number of characters of a description.
const DESCRIPTION_CHARACTERS: usize = 1_000;
/// Maximum number of characters of an alternative text.
const ALT_CHARACTERS: usize = 500;
/// Maximum number of characters of a value of a file's metadata.
const METADATA_CHARACTERS: usize = 500;
/// Regular expression (ECMA-262) of a text on one line: no control characters.
pub(crate) const LINE_PATTERN: &str = r"^[^\u0000-\u001f\u007f-\u009f]*$";
/// Regular expression (ECMA-262) of a text on any number of lines: no control characters but tabs
/// and line breaks.
const LINES_PATTERN: &str = r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$";

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident: $max:expr, $is_multiline:expr, $pattern:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        #[schemars(extend("minLength" = 1, "maxLength" = $max, "pattern" = $pattern))]
        pub struct $name(String);

        impl $name {
            /// Normalizes a text to Unicode NFC. Fails if it is empty, too long or contains control
            /// characters.
            pub fn parse(text: &str) -> Result<$name, FieldError> {
                bounded(text, $max, $is_multiline).map($name)
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
    )+};
}

texts! {
    /// Name of a space: 1 to 255 characters on one line. Unique among spaces, ignoring case.
    SpaceName: LINE_CHARACTERS, false, LINE_PATTERN;
    /// Name of an API key: 1 to 255 characters on one line.
    KeyName: LINE_CHARACTERS, false, LINE_PATTERN;
    /// Description of a resource: 1 to 1,000 characters on any number of lines.
    Description: DESCRIPTION_CHARACTERS, true, LINES_PATTERN;
    /// Title of a file: 1 to 255 characters on one line.
    Title: LINE_CHARACTERS, false, LINE_PATTERN;
    /// Alternative text of an image: 1 to 500 characters on any number of lines.
    AltText: ALT_CHARACTERS, true, LINES_PATTERN;
    /// Value of a file's metadata: 1 to 500 characters on any number of lines.
    MetadataValue: METADATA_CHARACTERS, true, LINES_PATTERN;
    /// Reference to a file, chosen by the caller: 1 to 255 characters on one line.
    Reference: LINE_CHARACTERS, false, LINE_PATTERN;
}

impl SpaceName {
    /// Returns the case-folded name, which is unique among spaces.
    pub fn folded(&self) -> String {
        folded(&self.0)
    }
}

/// Normalizes a text to Unicode NFC, so that canonically equivalent texts are equal.
pub(crate) fn nfc(text: &str) -> String {
    ComposingNormalizerBorrowed::new_nfc()
        .normalize(text)
        .into_owned()
}

/// Returns a normalized text in lower case, for comparisons that ignore case.
pub(crate) fn folded(text: &str) -> String {
    // The final sigma is replaced, since the end of a search prefix is not the end of a word.
    nfc(&nfc(text).to_lowercase().replace('ς', "σ"))
}

fn bounded(text: &str, max_characters: usize, is_multiline: bool) -> Result<String, FieldError> {
    let text = nfc(text);

    if text.is_empty() {
        return Err(FieldError::Required);
    }
    if text.chars().count() > max_characters {
        return Err(FieldError::TooLong(max_characters));
    }
    if text.chars().any(|character| {
        character.is_control() && !(is_multiline && matches!(character, '\n' | '\r' | '\t'))
    }) {
        return Err(FieldError::ControlCharacters);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_count_characters_not_bytes() {
        assert!(SpaceName::parse(&"é".repeat(255)).is_ok());
        assert_eq!(
            SpaceName::parse(&"é".repeat(256)),
            Err(FieldError::TooLong(255))
        );
        assert_eq!(SpaceName::parse(""), Err(FieldError::Required));
        assert_eq!(
            SpaceName::parse("a\u{0}b"),
            Err(FieldError::ControlCharacters)
        );
        assert_eq!(SpaceName::parse("a\nb"), Err(FieldError::ControlCharacters));
        assert!(Description::parse("a\nb").is_ok());
    }

    #[test]
    fn bounds_apply_after_nfc_normalization() {
        assert_eq!(
            SpaceName::parse(&"e\u{301}".repeat(255))
                .expect("a name")
                .as_str(),
            "é".repeat(255)
        );
        assert_eq!(Reference::parse("e\u{301}"), Reference::parse("é"));
    }

    #[test]
    fn folded_names_ignore_case_and_normalization() {
        let folded = |name| SpaceName::parse(name).expect("a name").folded();
        assert_eq!(folded("Ärger"), folded("äRGER"));
        assert_eq!(folded("E\u{301}te\u{301}"), folded("été"));
        assert_eq!(folded("ΟΔΟΣ"), folded("οδοσ"));
    }
}
