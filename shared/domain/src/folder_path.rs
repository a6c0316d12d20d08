//! Paths of folders.

use serde::{Deserialize, Serialize};

use crate::Violation;

/// Most characters of a folder's name.
const NAME_CHARACTERS: usize = 255;
/// Most folders within one another.
const DEPTH: usize = 20;

/// A folder's path from the root, its names parted by slashes: `photos/vacation`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FolderPath(String);

impl FolderPath {
    /// Takes a path of 1 to 20 names. Slashes around it are dropped; names are 1 to 255 characters without control
    /// characters, and none is `.` or `..`.
    pub fn parse(text: &str) -> Result<FolderPath, Violation> {
        let path = text.trim_matches('/');
        let names: Vec<&str> = path.split('/').map(str::trim).collect();
        if path.is_empty() {
            return Err(Violation::Required);
        }
        if names.len() > DEPTH {
            return Err(Violation::TooMany(DEPTH));
        }
        if names.iter().any(|name| name.chars().count() > NAME_CHARACTERS) {
            return Err(Violation::TooLong(NAME_CHARACTERS));
        }
        let is_name = |name: &&str| !matches!(*name, "" | "." | "..") && !name.chars().any(char::is_control);
        if names.iter().all(is_name) { Ok(FolderPath(names.join("/"))) } else { Err(Violation::Format) }
    }

    /// The path's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_made_of_names() {
        assert_eq!(FolderPath::parse("/photos/ vacation /").expect("a path").as_str(), "photos/vacation");
        assert!(FolderPath::parse(&["a"; 20].join("/")).is_ok());
        for wrong in ["", "/", "a//b", "a/../b", ".", "a/\u{7}", &["a"; 21].join("/"), &"a".repeat(256)] {
            assert!(FolderPath::parse(wrong).is_err(), "{wrong}");
        }
    }
}
