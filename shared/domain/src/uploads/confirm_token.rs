//! What proves that a stranger's file is theirs to confirm: they have no key to come back with.

use std::fmt;

use crate::{FileId, MasterSecret, Secret};

/// What every token begins with.
const PREFIX: &str = "ct_";
/// The purpose of the secret that tokens are made by.
const PURPOSE: &str = "confirm tokens";

/// A token that confirms one file: `ct_` and the HMAC-SHA256 of its id, in lower-case hex.
#[derive(Clone)]
pub struct ConfirmToken(String);

/// Makes tokens, and knows them again.
#[derive(Clone, Debug)]
pub struct ConfirmTokens(Secret);

impl ConfirmTokens {
    /// Tokens of this master secret.
    pub fn new(master: &MasterSecret) -> ConfirmTokens {
        ConfirmTokens(master.derive(PURPOSE))
    }

    /// The token of a file.
    pub fn issue(&self, file: FileId) -> ConfirmToken {
        ConfirmToken(format!(
            "{PREFIX}{}",
            hex::encode(self.0.mac(file.to_string().as_bytes()))
        ))
    }

    /// Whether a text is the token of a file; compared in constant time.
    pub fn verify(&self, text: &str, file: FileId) -> bool {
        let mark = text
            .strip_prefix(PREFIX)
            .and_then(|mark| hex::decode(mark).ok());
        mark.is_some_and(|mark| self.0.verify_mac(file.to_string().as_bytes(), &mark))
    }
}

impl ConfirmToken {
    /// The token itself, for whoever announced the file.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ConfirmToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ConfirmToken(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_one_files_alone() {
        let tokens = ConfirmTokens::new(&MasterSecret::new("master"));
        let token = tokens.issue(FileId::MIN);
        assert!(tokens.verify(token.reveal(), FileId::MIN));
        assert!(!tokens.verify(token.reveal(), FileId::MAX));
        for wrong in [
            "",
            "ct_",
            &token.reveal()[3..],
            &token.reveal()[..66],
            "ct_é",
        ] {
            assert!(!tokens.verify(wrong, FileId::MIN), "{wrong}");
        }
        assert!(
            !ConfirmTokens::new(&MasterSecret::new("other")).verify(token.reveal(), FileId::MIN)
        );
        assert_eq!(format!("{token:?}"), "ConfirmToken(…)");
    }
}
