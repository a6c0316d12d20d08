//! Original file names, sanitized for display.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::naming::text::{folded, nfc};

/// Maximum number of characters of a name.
const MAX_CHARACTERS: usize = 255;
/// Maximum number of characters of an extension.
const MAX_EXTENSION_CHARACTERS: usize = 20;
/// Name of a file whose own name is empty after sanitization.
const DEFAULT_NAME: &str = "file";

/// Base name of an uploaded file in Unicode NFC: 1 to 255 characters, without directories, control
/// characters and bidirectional formatting characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct OriginalName(String);

impl OriginalName {
    /// Sanitizes a file name from a client. Never fails. Of a longer name, the stem is cut.
    pub fn clean(filename: &str) -> OriginalName {
        let base = filename.rsplit(['/', '\\']).next().unwrap_or_default();
        let sanitized: String = base
            .chars()
            .filter(|character| {
                !character.is_control() && !is_bidi_control(*character) && is_sortable(*character)
            })
            .collect();
        let shortened = shortened(nfc(&sanitized).trim());
        OriginalName(match shortened.trim_end() {
            "" | "." | ".." => DEFAULT_NAME.to_owned(),
            name => name.to_owned(),
        })
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the case-folded name for searches.
    pub fn folded(&self) -> String {
        folded(&self.0)
    }

    /// Returns the name without its last extension.
    pub fn stem(&self) -> &str {
        self.0.rsplit_once('.').map_or(&self.0, |(stem, _)| stem)
    }

    /// Returns the last extension in lower case, if it consists of 1 to 20 letters and digits.
    pub fn extension(&self) -> Option<String> {
        let (_, extension) = self.0.rsplit_once('.')?;
        let is_extension = (1..=MAX_EXTENSION_CHARACTERS).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_extension.then(|| extension.to_ascii_lowercase())
    }

    /// Splits the name at its dots, in lower case: `["report", "pdf"]`.
    pub fn parts(&self) -> Vec<String> {
        self.0.split('.').map(str::to_lowercase).collect()
    }
}

/// Cuts a name to the maximum length: its stem, so that the extension stays.
fn shortened(name: &str) -> String {
    let extension = name
        .rsplit_once('.')
        .map_or("", |(stem, _)| &name[stem.len()..]);
    let length = extension.chars().count();
    let (stem, kept) = if length <= 1 + MAX_EXTENSION_CHARACTERS {
        (&name[..name.len() - extension.len()], extension)
    } else {
        (name, "")
    };

    let characters = MAX_CHARACTERS - kept.chars().count();
    let cut: String = stem.chars().take(characters).collect();
    cut + kept
}

/// Whether a character is allowed in sort keys: `char::MAX` marks the end of a key range.
fn is_sortable(character: char) -> bool {
    character != char::MAX
}

/// Whether a character changes the direction of text ([UAX
/// #9](https://www.unicode.org/reports/tr9/)), which can display `gpj.exe` as `exe.jpg`.
fn is_bidi_control(character: char) -> bool {
    matches!(character, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn clean_removes_directories_and_deceptive_characters() {
        let cases = [
            ("photo.jpg", "photo.jpg"),
            ("C:\\Users\\me\\photo.jpg", "photo.jpg"),
            ("../../etc/passwd", "passwd"),
            ("photo\u{202E}gpj.exe", "photogpj.exe"),
            ("a\0b\n.txt", "ab.txt"),
            ("  été.png ", "été.png"),
            ("e\u{301}t\u{0}e\u{301}.png", "été.png"),
            ("..", "file"),
            ("dir/", "file"),
            ("\u{0}", "file"),
        ];

        for (filename, expected) in cases {
            assert_eq!(
                OriginalName::clean(filename).as_str(),
                expected,
                "{filename:?}"
            );
        }

        let long = "é".repeat(300);
        for (filename, expected) in [
            (long.clone(), "é".repeat(255)),
            (format!("{long}.jpg"), "é".repeat(251) + ".jpg"),
            (format!("a.{long}"), format!("a.{}", "é".repeat(253))),
        ] {
            assert_eq!(OriginalName::clean(&filename).as_str(), expected);
        }
    }

    proptest! {
        #[test]
        fn clean_is_bounded_and_idempotent(filename in any::<String>()) {
            let name = OriginalName::clean(&filename);
            let count = name.as_str().chars().count();
            prop_assert!((1..=MAX_CHARACTERS).contains(&count));
            prop_assert!(!name.as_str().contains(['/', '\\', '\0']));
            prop_assert_eq!(OriginalName::clean(name.as_str()), name);
        }
    }
}
