//! API keys: secrets, stored records and the principals that keys authenticate as.
//!
//! Invariant: a secret is never stored or logged; only its SHA-256 is stored.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    env::{Env, Timestamp},
    id::{InvalidId, SpaceId, UserId},
    keys::Role,
    naming::KeyName,
    signing::Secret,
};

/// Number of random characters of a key: 238 bits of entropy.
const RANDOM_LENGTH: usize = 40;
/// Number of characters of a key's checksum: CRC-32 in base 62.
const CHECKSUM_LENGTH: usize = 6;
/// Digits of base 62.
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Number of characters of a key that lists show.
const SHOWN_LENGTH: usize = 4;

/// Secret of an API key: `sk_`, 40 random base-62 characters, then the CRC-32 of these 40 in 6
/// base-62 characters. The checksum detects mistyped keys without a read of the table.
#[derive(Clone, PartialEq, Eq)]
pub struct KeySecret(String);

impl KeySecret {
    /// Prefix of the text.
    pub const PREFIX: &str = "sk_";

    /// Creates a random key.
    pub fn new(env: &Env) -> KeySecret {
        let random = env.random_text(BASE62, RANDOM_LENGTH);
        let checksum = checksum(&random);
        KeySecret(format!("{}{random}{checksum}", KeySecret::PREFIX))
    }

    /// Parses a key. Returns `None` if the format or the checksum is wrong.
    pub fn parse(text: &str) -> Option<KeySecret> {
        let rest = text.strip_prefix(KeySecret::PREFIX)?;
        let is_base62 = rest.len() == RANDOM_LENGTH + CHECKSUM_LENGTH
            && rest.bytes().all(|byte| BASE62.contains(&byte));
        let (random, presented) = is_base62.then(|| rest.split_at(RANDOM_LENGTH))?;
        (checksum(random) == presented).then(|| KeySecret(text.to_owned()))
    }

    /// Returns the hash under which the key is stored.
    pub fn hash(&self) -> KeyHash {
        KeyHash(hex::encode(Sha256::digest(&self.0)))
    }

    /// Returns the last four characters, which identify the key to its holder.
    pub fn last_four(&self) -> &str {
        &self.0[self.0.len() - SHOWN_LENGTH..]
    }

    /// Derives a secret for a purpose, which only the key's holder can reproduce.
    pub fn derive(&self, purpose: &str) -> Secret {
        Secret::derive(self.0.as_bytes(), purpose)
    }

    /// Returns the plain text, to be shown once in the response that creates the key.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for KeySecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("KeySecret(…)")
    }
}

fn checksum(random: &str) -> String {
    let mut rest = crc32fast::hash(random.as_bytes());
    let mut digits = [b'0'; CHECKSUM_LENGTH];
    for digit in digits.iter_mut().rev() {
        *digit = BASE62[(rest % 62) as usize];
        rest /= 62;
    }
    digits.iter().map(|digit| char::from(*digit)).collect()
}

/// SHA-256 of a key in hex, which addresses the key's record.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeyHash(String);

impl KeyHash {
    /// Returns the 64 hex digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Id of a key: a positive number, increasing and unique in the installation.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
#[schemars(extend("minimum" = 1))]
pub struct KeyId(pub u64);

impl fmt::Display for KeyId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl FromStr for KeyId {
    type Err = InvalidId;

    /// Parses a number without a sign and leading zeros.
    fn from_str(text: &str) -> Result<KeyId, InvalidId> {
        let id = text.parse().map(KeyId).map_err(|_| InvalidId)?;
        if id.to_string() == text {
            Ok(id)
        } else {
            Err(InvalidId)
        }
    }
}

/// Scope of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum KeyScope {
    /// Authenticates as a user, in every space where that user has a role.
    Account {
        /// Id of the user.
        user_id: UserId,
    },
    /// Authenticates as the key itself, in one space.
    Space {
        /// Id of the space.
        space_id: SpaceId,
        /// Role of the key in the space.
        role: Role,
    },
}

/// Owner of a key, in whose list it appears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyOwner {
    User(UserId),
    Space(SpaceId),
}

impl KeyScope {
    /// Returns the owner of the key.
    pub fn owner(self) -> KeyOwner {
        match self {
            KeyScope::Account { user_id } => KeyOwner::User(user_id),
            KeyScope::Space { space_id, .. } => KeyOwner::Space(space_id),
        }
    }

    /// Returns the role of a space key; `None` for an account key.
    pub fn space_role(self) -> Option<Role> {
        match self {
            KeyScope::Account { .. } => None,
            KeyScope::Space { role, .. } => Some(role),
        }
    }
}

/// Stored record of an API key, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKey {
    /// Id of the key.
    pub id: KeyId,
    pub name: KeyName,
    /// User or space that the key authenticates for.
    pub scope: KeyScope,
    /// SHA-256 of the secret.
    pub hash: KeyHash,
    /// Last four characters of the secret.
    pub last_four: String,
    /// Whether it has been revoked.
    pub is_revoked: bool,
    /// Expiration time; `None` never expires.
    pub expires_at: Option<Timestamp>,
    /// Time of the last use, with a resolution of one minute.
    pub last_used_at: Option<Timestamp>,
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

impl ApiKey {
    /// Whether the key is neither revoked nor expired.
    pub fn is_active_at(&self, now: Timestamp) -> bool {
        !self.is_revoked && self.expires_at.is_none_or(|end| now < end)
    }
}

/// Uploader of a file or creator of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "id", rename_all = "snake_case")]
#[schemars(rename = "Uploader")]
pub enum Principal {
    /// A user with any of their account keys.
    User(UserId),
    /// An API key of a space.
    ApiKey(KeyId),
    /// An anonymous caller with a signed URL.
    SignedUrl,
    /// An anonymous caller of an unsigned upload.
    Unsigned,
}

impl Principal {
    /// Whether the caller has no API key.
    pub fn is_anonymous(self) -> bool {
        matches!(self, Principal::SignedUrl | Principal::Unsigned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_format_is_pinned() {
        // CRC-32 of forty zeros is 2520759182: 2kaqcA in base 62.
        let key = format!("sk_{}2kaqcA", "0".repeat(40));
        let secret = KeySecret::parse(&key).expect("a key");
        assert_eq!(secret.reveal(), key);
        assert_eq!(format!("{secret:?}"), "KeySecret(…)");
    }

    #[test]
    fn checksum_detects_mistyped_keys() {
        let random = "abcdefghijABCDEFGHIJ0123456789abcdefghij";
        let key = format!("sk_{random}{}", checksum(random));

        assert!(KeySecret::parse(&key).is_some());
        for index in KeySecret::PREFIX.len()..key.len() {
            let mut mistyped = key.clone().into_bytes();
            mistyped[index] = if mistyped[index] == b'x' { b'y' } else { b'x' };
            let mistyped = String::from_utf8(mistyped).expect("ASCII");
            assert!(KeySecret::parse(&mistyped).is_none(), "{index}");
        }

        for wrong in [
            "",
            "sk_",
            &key[1..],
            &key[..key.len() - 1],
            &format!("{key}0"),
            &key.replace('a', "é"),
        ] {
            assert!(KeySecret::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn key_id_parses_canonical_numbers_only() {
        assert_eq!("7".parse(), Ok(KeyId(7)));

        for wrong in [
            "",
            "+7",
            "-7",
            "07",
            " 7",
            "7 ",
            "7.0",
            "7e1",
            "\u{0667}",
            "18446744073709551616",
        ] {
            assert_eq!(wrong.parse::<KeyId>(), Err(InvalidId), "{wrong}");
        }
    }
}
