//! Short texts with a bound: names and descriptions.

use icu_normalizer::ComposingNormalizerBorrowed;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::FieldError;

/// Most characters of a name, a description's first line, a reference: what a form's single line
/// holds.
const LINE_CHARACTERS: usize = 255;
/// Most characters of a description.
const DESCRIPTION_CHARACTERS: usize = 1_000;
/// Regular expression (ECMA-262) of a text on one line: no control characters.
pub(crate) const LINE_PATTERN: &str = r"^[^\u0000-\u001f\u007f-\u009f]*$";
/// Regular expression (ECMA-262) of a text on any number of lines: no control characters but tabs
/// and line breaks.
const LINES_PATTERN: &str = r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$";

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident: $most:expr, $lines:expr, $pattern:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        #[schemars(extend("minLength" = 1, "maxLength" = $most, "pattern" = $pattern))]
        pub struct $name(String);

        impl $name {
            /// Parses a text and normalises it to Unicode NFC. Fails if it is empty, too long, or
            /// holds control characters.
            pub fn parse(text: &str) -> Result<$name, FieldError> {
                bounded(text, $most, $lines).map($name)
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
    )+};
}

texts! {
    /// Name of a space: 1 to 255 characters on one line, unlike every other space's, whatever the
    /// case.
    SpaceName: LINE_CHARACTERS, false, LINE_PATTERN;
    /// Name of an API key: 1 to 255 characters on one line.
    KeyName: LINE_CHARACTERS, false, LINE_PATTERN;
    /// What something is for: up to 1,000 characters, in any number of lines.
    Description: DESCRIPTION_CHARACTERS, true, LINES_PATTERN;
    /// A caller's own reference to a file: 1 to 255 characters on one line.
    Reference: LINE_CHARACTERS, false, LINE_PATTERN;
}

impl SpaceName {
    /// Returns the form that is unique among spaces, whatever the case and the composition of
    /// characters.
    pub fn folded(&self) -> String {
        folded(&self.0)
    }
}

/// A text in Unicode's form NFC: what looks alike is spelled alike.
pub(crate) fn nfc(text: &str) -> String {
    ComposingNormalizerBorrowed::new_nfc()
        .normalize(text)
        .into_owned()
}

/// What texts have in common that differ in case, or in how their characters are composed, alone.
pub(crate) fn folded(text: &str) -> String {
    // Of the two small sigmas one is for the ends of words, which the end of a prefix is not.
    nfc(&nfc(text).to_lowercase().replace('ς', "σ"))
}

fn bounded(text: &str, most: usize, lines: bool) -> Result<String, FieldError> {
    let text = nfc(text);
    if text.is_empty() {
        return Err(FieldError::Required);
    }
    if text.chars().count() > most {
        return Err(FieldError::TooLong(most));
    }
    if text.chars().any(|character| {
        character.is_control() && !(lines && matches!(character, '\n' | '\r' | '\t'))
    }) {
        return Err(FieldError::InvalidFormat);
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
        assert_eq!(SpaceName::parse("a\u{0}b"), Err(FieldError::InvalidFormat));
        assert_eq!(SpaceName::parse("a\nb"), Err(FieldError::InvalidFormat));
        assert!(Description::parse("a\nb").is_ok());
    }

    #[test]
    fn texts_are_normalised_to_nfc_before_they_are_measured() {
        assert_eq!(
            SpaceName::parse(&"e\u{301}".repeat(255))
                .expect("a name")
                .as_str(),
            "é".repeat(255)
        );
        assert_eq!(Reference::parse("e\u{301}"), Reference::parse("é"));
    }

    #[test]
    fn names_differ_only_by_more_than_case() {
        let folded = |name| SpaceName::parse(name).expect("a name").folded();
        assert_eq!(folded("Ärger"), folded("äRGER"));
        assert_eq!(folded("E\u{301}te\u{301}"), folded("été"));
        assert_eq!(folded("ΟΔΟΣ"), folded("οδοσ"));
    }
}
