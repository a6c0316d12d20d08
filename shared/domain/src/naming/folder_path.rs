//! Names and paths of folders.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    FieldError,
    naming::text::{folded, nfc},
};

/// Most characters of a folder's name.
const NAME_CHARACTERS: usize = 255;
/// Most folders within one another.
pub const MAX_FOLDER_DEPTH: usize = 20;

/// A folder's name, in Unicode's form NFC: 1 to 255 characters, no slash, no control characters,
/// not `.` or `..`; unlike that of every other folder in the same one, whatever the case.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("minLength" = 1, "maxLength" = NAME_CHARACTERS, "pattern" = r"^[^/\u0000-\u001f\u007f-\u009f]+$"))]
pub struct FolderName(String);

impl FolderName {
    /// Takes a name.
    pub fn parse(text: &str) -> Result<FolderName, FieldError> {
        let name = nfc(text.trim());
        if name.is_empty() {
            Err(FieldError::Required)
        } else if name.chars().count() > NAME_CHARACTERS {
            Err(FieldError::TooLong(NAME_CHARACTERS))
        } else if matches!(name.as_str(), "." | "..")
            || name.contains('/')
            || text.chars().any(char::is_control)
        {
            Err(FieldError::InvalidFormat)
        } else {
            Ok(FolderName(name))
        }
    }

    /// The name's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What has to be unlike that of every other folder in the same one.
    pub fn folded(&self) -> String {
        folded(&self.0)
    }
}

/// A path down through folders, 1 to 20 names: `photos/vacation`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("minLength" = 1, "pattern" = r"^[^\u0000-\u001f\u007f-\u009f]+$"))]
pub struct FolderPath(Vec<FolderName>);

impl FolderPath {
    /// Takes names parted by slashes. Slashes around them are dropped.
    pub fn parse(text: &str) -> Result<FolderPath, FieldError> {
        let path = text.trim().trim_matches('/');
        if path.trim().is_empty() {
            return Err(FieldError::Required);
        }
        let parse = |name| {
            FolderName::parse(name).map_err(|why| {
                if why == FieldError::Required {
                    FieldError::InvalidFormat
                } else {
                    why
                }
            })
        };
        // One more than may be tells that there are too many, however many there are.
        let names: Vec<FolderName> = path
            .split('/')
            .take(MAX_FOLDER_DEPTH + 1)
            .map(parse)
            .collect::<Result<_, _>>()?;
        if names.len() > MAX_FOLDER_DEPTH {
            Err(FieldError::TooMany(MAX_FOLDER_DEPTH))
        } else {
            Ok(FolderPath(names))
        }
    }

    /// The names, from the top one down.
    pub fn names(&self) -> &[FolderName] {
        &self.0
    }
}

impl fmt::Display for FolderPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.0.iter().enumerate() {
            let slash = if index == 0 { "" } else { "/" };
            write!(formatter, "{slash}{}", name.as_str())?;
        }
        Ok(())
    }
}

impl From<FolderPath> for String {
    fn from(path: FolderPath) -> String {
        path.to_string()
    }
}

impl TryFrom<String> for FolderPath {
    type Error = &'static str;

    fn try_from(text: String) -> Result<FolderPath, &'static str> {
        FolderPath::parse(&text).map_err(|_| "not a path of folders")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_made_of_names() {
        assert_eq!(
            FolderPath::parse("/photos/ vacation /")
                .expect("a path")
                .to_string(),
            "photos/vacation"
        );
        assert!(FolderPath::parse(&["a"; 20].join("/")).is_ok());
        for wrong in [
            "",
            "/",
            "a//b",
            "a/../b",
            ".",
            "a/\u{7}",
            &["a"; 21].join("/"),
            &"a".repeat(256),
        ] {
            assert!(FolderPath::parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(FolderPath::parse("a/ /b"), Err(FieldError::InvalidFormat));
    }

    #[test]
    fn names_differ_by_more_than_case_and_spelling() {
        let name = |text: &str| FolderName::parse(text).expect("a name");
        assert_eq!(name("e\u{301}te").as_str(), "\u{e9}te");
        assert_eq!(name("E\u{301}TE").folded(), name("\u{e9}te").folded());
        assert_eq!(name("ΟΔΟΣ").folded(), name("οδοσ").folded());
        assert_ne!(name("ete").folded(), name("\u{e9}te").folded());
        assert!(FolderName::parse(&"e\u{301}".repeat(255)).is_ok());
        for wrong in ["a/b", "a\nb", "\u{85}b", "..", ".", " ", &"a".repeat(256)] {
            assert!(FolderName::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
