//! API keys: what is shown once, what is kept, and who a key speaks for.
//!
//! Invariant: the secret itself is never stored nor printed; what is kept is its SHA-256.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Env, InvalidId, KeyName, Role, Secret, SpaceId, Timestamp, UserId};

/// What every key begins with.
const PREFIX: &str = "sk_";
/// Random characters of a key: 238 bits.
const RANDOM_LENGTH: usize = 40;
/// Characters of a key's checksum: CRC-32 in base 62.
const CHECKSUM_LENGTH: usize = 6;
/// The digits of base 62.
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Characters of a key that a list shows.
const SHOWN_LENGTH: usize = 4;

/// A key as its holder has it: `sk_`, 40 random base-62 characters, 6 of CRC-32 over these 40.
///
/// The checksum tells a mistyped or invented key without a look-up.
#[derive(Clone, PartialEq, Eq)]
pub struct KeySecret(String);

impl KeySecret {
    /// A fresh key.
    pub fn new(env: &Env) -> KeySecret {
        let random = env.random_text(BASE62, RANDOM_LENGTH);
        let checksum = checksum(&random);
        KeySecret(format!("{PREFIX}{random}{checksum}"))
    }

    /// Takes a text of a key's form, with a true checksum.
    pub fn parse(text: &str) -> Option<KeySecret> {
        let rest = text.strip_prefix(PREFIX)?;
        let is_base62 = rest.len() == RANDOM_LENGTH + CHECKSUM_LENGTH
            && rest.bytes().all(|byte| BASE62.contains(&byte));
        let (random, given) = is_base62.then(|| rest.split_at(RANDOM_LENGTH))?;
        (checksum(random) == given).then(|| KeySecret(text.to_owned()))
    }

    /// What is kept of it.
    pub fn hash(&self) -> KeyHash {
        KeyHash(hex::encode(Sha256::digest(&self.0)))
    }

    /// Its last four characters, by which its holder knows it again.
    pub fn last_four(&self) -> &str {
        &self.0[self.0.len() - SHOWN_LENGTH..]
    }

    /// The secret of its own for a purpose: what is sealed with it opens for this key's holder
    /// alone.
    pub fn derive(&self, purpose: &str) -> Secret {
        Secret::derive(self.0.as_bytes(), purpose)
    }

    /// The key itself: to be shown once, to whoever made it.
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

/// SHA-256 of a key, in hex: where its record is found.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeyHash(String);

impl KeyHash {
    /// The 64 hex digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A key's number: positive, rising as keys are made, unlike every other key's of this
/// installation.
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

    /// Reads a number as it is written: without a sign, and without zeros before it.
    fn from_str(text: &str) -> Result<KeyId, InvalidId> {
        let id = text.parse().map(KeyId).map_err(|_| InvalidId)?;
        if id.to_string() == text {
            Ok(id)
        } else {
            Err(InvalidId)
        }
    }
}

/// Whom a key speaks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum KeyScope {
    /// A user, in every space where that user has a role.
    Account {
        /// The user.
        user_id: UserId,
    },
    /// Itself, in one space.
    Space {
        /// The space.
        space_id: SpaceId,
        /// What it may do there.
        role: Role,
    },
}

/// Whose a key is: who lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyOwner {
    /// A user.
    User(UserId),
    /// A space.
    Space(SpaceId),
}

impl KeyScope {
    /// Whose the key is.
    pub fn owner(self) -> KeyOwner {
        match self {
            KeyScope::Account { user_id } => KeyOwner::User(user_id),
            KeyScope::Space { space_id, .. } => KeyOwner::Space(space_id),
        }
    }
}

/// A key's record: everything but the secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKey {
    /// Its number.
    pub id: KeyId,
    /// What it is for.
    pub name: KeyName,
    /// Whom it speaks for.
    pub scope: KeyScope,
    /// SHA-256 of the secret.
    pub hash: KeyHash,
    /// The secret's last four characters.
    pub last_four: String,
    /// Whether it has not been revoked.
    pub is_active: bool,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

impl ApiKey {
    /// Whether the key authenticates at this moment: neither revoked nor expired.
    pub fn is_active_at(&self, now: Timestamp) -> bool {
        self.is_active && self.expires_at.is_none_or(|end| now < end)
    }
}

/// Who uploaded a file, or made something: a user, or a space key, which is a principal of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "id", rename_all = "snake_case")]
pub enum Principal {
    /// A user, by whichever account key.
    User(UserId),
    /// A space key.
    ApiKey(KeyId),
    /// Whoever held a signed address.
    SignedUrl,
    /// Anyone, from where an upload config lets strangers come.
    Unsigned,
}

impl Principal {
    /// Returns whether the uploader has no key.
    pub fn is_anonymous(self) -> bool {
        matches!(self, Principal::SignedUrl | Principal::Unsigned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_of_a_key_is_pinned() {
        // CRC-32 of forty zeros is 2520759182: 2kaqcA in base 62.
        let key = format!("sk_{}2kaqcA", "0".repeat(40));
        let secret = KeySecret::parse(&key).expect("a key");
        assert_eq!(secret.reveal(), key);
        assert_eq!(format!("{secret:?}"), "KeySecret(…)");
    }

    #[test]
    fn a_mistyped_key_is_told_by_its_checksum() {
        let random = "abcdefghijABCDEFGHIJ0123456789abcdefghij";
        let key = format!("sk_{random}{}", checksum(random));
        assert!(KeySecret::parse(&key).is_some());
        for index in PREFIX.len()..key.len() {
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
    fn a_number_is_read_as_it_is_written() {
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
