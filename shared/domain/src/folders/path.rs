//! Folder names and folder paths.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    errors::FieldError,
    naming::text::{folded, nfc},
};

/// Maximum number of characters of a folder name.
const NAME_CHARACTERS: usize = 255;
/// Maximum depth of nested folders.
pub const MAX_FOLDER_DEPTH: usize = 20;

/// Name of a folder in Unicode NFC: 1 to 255 characters without slashes and control characters,
/// not `.` or `..`. Unique in its parent folder, ignoring case.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("minLength" = 1, "maxLength" = NAME_CHARACTERS, "pattern" = r"^[^/\u0000-\u001f\u007f-\u009f]+$"))]
pub struct FolderName(String);

const NOT_A_FOLDER_NAME: FieldError =
    FieldError::Custom("must not be . or .., and must not contain slashes or control characters");
const NOT_A_FOLDER_PATH: FieldError =
    FieldError::Custom("must not contain the names . and .., or control characters");

impl FolderName {
    /// Trims, normalizes and validates a name.
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
            Err(NOT_A_FOLDER_NAME)
        } else {
            Ok(FolderName(name))
        }
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the case-folded name, which is unique in its parent folder.
    pub fn folded(&self) -> String {
        folded(&self.0)
    }
}

/// Path of 1 to 20 folder names: `photos/vacation`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("minLength" = 1, "pattern" = r"^[^\u0000-\u001f\u007f-\u009f]+$"))]
pub struct FolderPath(Vec<FolderName>);

impl FolderPath {
    /// Parses names separated by slashes. Leading and trailing slashes are ignored.
    pub fn parse(text: &str) -> Result<FolderPath, FieldError> {
        let path = text.trim().trim_matches('/');
        if path.trim().is_empty() {
            return Err(FieldError::Required);
        }
        let parse = |name| {
            FolderName::parse(name).map_err(|error| match error {
                FieldError::Required => FieldError::Custom("must not contain empty names"),
                FieldError::TooLong(max) => FieldError::NameTooLong(max),
                NOT_A_FOLDER_NAME => NOT_A_FOLDER_PATH,
                error => error,
            })
        };

        // One name above the maximum is enough to detect that there are too many.
        let names: Vec<FolderName> = path
            .split('/')
            .take(MAX_FOLDER_DEPTH + 1)
            .map(parse)
            .collect::<Result<_, _>>()?;
        if names.len() > MAX_FOLDER_DEPTH {
            Err(FieldError::TooManyNames(MAX_FOLDER_DEPTH))
        } else {
            Ok(FolderPath(names))
        }
    }

    /// Returns the names, root first.
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
        FolderPath::parse(&text).map_err(|_| "not a folder path")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_consists_of_valid_names() {
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

        assert_eq!(
            FolderPath::parse("a/ /b"),
            Err(FieldError::Custom("must not contain empty names"))
        );
        assert_eq!(FolderPath::parse("a/../b"), Err(NOT_A_FOLDER_PATH));
        assert_eq!(
            FolderPath::parse(&format!("a/{}", "b".repeat(256))),
            Err(FieldError::NameTooLong(255))
        );
        assert_eq!(
            FolderPath::parse(&["a"; 21].join("/")),
            Err(FieldError::TooManyNames(20))
        );
    }

    #[test]
    fn folded_names_ignore_case_and_normalization() {
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
