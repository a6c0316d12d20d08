//! Confirm tokens: the credential with which an anonymous caller confirms its presigned upload.

use std::fmt;

use crate::{
    id::FileId,
    signing::{MasterSecret, Secret},
};

/// Purpose of the derived secret.
const PURPOSE: &str = "confirm tokens";

/// Token that confirms one file: `ct_` and the HMAC-SHA256 of the file's id in lower-case hex.
#[derive(Clone)]
pub struct ConfirmToken(String);

/// Issues and verifies confirm tokens.
#[derive(Clone, Debug)]
pub struct ConfirmTokens(Secret);

impl ConfirmTokens {
    /// Derives the tokens' secret from the master secret.
    pub fn new(master: &MasterSecret) -> ConfirmTokens {
        ConfirmTokens(master.derive(PURPOSE))
    }

    /// Returns the token of a file.
    pub fn issue(&self, file: FileId) -> ConfirmToken {
        ConfirmToken(format!(
            "{}{}",
            ConfirmToken::PREFIX,
            hex::encode(self.0.mac(file.to_string().as_bytes()))
        ))
    }

    /// Whether a text is the token of a file, compared in constant time.
    pub fn verify(&self, text: &str, file: FileId) -> bool {
        let mac = text
            .strip_prefix(ConfirmToken::PREFIX)
            .and_then(|hex_mac| hex::decode(hex_mac).ok());
        mac.is_some_and(|mac| self.0.verify_mac(file.to_string().as_bytes(), &mac))
    }
}

impl ConfirmToken {
    /// Prefix of the text.
    pub const PREFIX: &str = "ct_";

    /// Returns the plain text, for the response that creates the pending file.
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
    fn token_is_valid_for_its_file_only() {
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
