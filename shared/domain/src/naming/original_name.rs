//! The name a file was uploaded under, made safe to show.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::naming::text::{folded, nfc};

/// Most characters that are kept of a name.
const MOST_CHARACTERS: usize = 255;
/// The name of a file whose own has nothing left.
const NAMELESS: &str = "file";

/// The base name of what a client called its file, in Unicode NFC: without directories, without
/// control characters and without those that turn the direction of text around, 1 to 255
/// characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct OriginalName(String);

impl OriginalName {
    /// Cleans whatever a client sent; never fails.
    pub fn clean(sent: &str) -> OriginalName {
        let base = sent.rsplit(['/', '\\']).next().unwrap_or_default();
        let kept: String = base
            .chars()
            .filter(|character| {
                !character.is_control() && !turns_text(*character) && is_sortable(*character)
            })
            .collect();
        let cut: String = nfc(&kept).trim().chars().take(MOST_CHARACTERS).collect();
        OriginalName(match cut.trim_end() {
            "" | "." | ".." => NAMELESS.to_owned(),
            name => name.to_owned(),
        })
    }

    /// The name's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name as it is searched for, whatever the case.
    pub fn folded(&self) -> String {
        folded(&self.0)
    }

    /// The name without its last extension.
    pub fn stem(&self) -> &str {
        self.0.rsplit_once('.').map_or(&self.0, |(stem, _)| stem)
    }

    /// What stands between the name's dots, in lower case, the name itself first: `["report",
    /// "pdf"]`.
    pub fn parts(&self) -> Vec<String> {
        self.0.split('.').map(str::to_lowercase).collect()
    }
}

/// Whether something sorts after a character: the last one of all is none that a text has.
fn is_sortable(character: char) -> bool {
    character != char::MAX
}

/// Whether a character embeds, overrides or isolates the direction of text (Unicode Standard Annex
/// 9), by which `gpj.exe` could show as `exe.jpg`.
fn turns_text(character: char) -> bool {
    matches!(character, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_lose_what_would_deceive() {
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
        for (sent, kept) in cases {
            assert_eq!(OriginalName::clean(sent).as_str(), kept, "{sent:?}");
        }
        assert_eq!(
            OriginalName::clean(&"é".repeat(300)).as_str(),
            "é".repeat(255)
        );
    }

    proptest! {
        #[test]
        fn whatever_is_sent_the_name_is_short_clean_and_stays_as_it_is(sent in any::<String>()) {
            let name = OriginalName::clean(&sent);
            let count = name.as_str().chars().count();
            prop_assert!((1..=MOST_CHARACTERS).contains(&count));
            prop_assert!(!name.as_str().contains(['/', '\\', '\0']));
            prop_assert_eq!(OriginalName::clean(name.as_str()), name);
        }
    }
}
