//! Identifiers: ULIDs with a separate type per kind, so that the compiler rejects mix-ups.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ulid::Ulid;

use crate::env::{Env, Timestamp};

/// Error for a text that is not an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an id")]
pub struct InvalidId;

/// Ids for the resources that one request creates, chosen when the request starts. Each id is the
/// previous one plus one, so ids are ordered, and a repeated request creates the same ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct IdSequence(Ulid);

impl IdSequence {
    /// Creates a sequence that starts at a new ULID.
    pub fn new(env: &Env) -> IdSequence {
        IdSequence(env.ulid())
    }

    fn next(&mut self) -> Ulid {
        let next = self.0;
        self.0 = Ulid(next.0.wrapping_add(1));
        next
    }
}

impl TryFrom<String> for IdSequence {
    type Error = InvalidId;

    fn try_from(text: String) -> Result<IdSequence, InvalidId> {
        Ulid::from_string(&text)
            .map(IdSequence)
            .map_err(|_| InvalidId)
    }
}

impl From<IdSequence> for String {
    fn from(ids: IdSequence) -> String {
        ids.0.to_string()
    }
}

/// JSON schema of an id.
#[derive(JsonSchema)]
#[schemars(transparent, rename = "Ulid", extend("pattern" = "^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$"))]
#[expect(dead_code, reason = "only its schema is used")]
struct UlidForm(String);

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident,)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(try_from = "String", into = "String")]
        #[schemars(with = "UlidForm")]
        pub struct $name(Ulid);

        impl $name {
            /// Number of characters of an id.
            pub const LENGTH: usize = ulid::ULID_LEN;
            pub const MIN: $name = $name(Ulid(0));
            pub const MAX: $name = $name(Ulid(u128::MAX));

            /// Returns the smallest id that can be created at `time`.
            pub fn min_at(time: Timestamp) -> $name {
                let ms = u64::try_from(time.ms()).expect("a timestamp is not before 1970");
                $name(Ulid::from_parts(ms, 0))
            }

            /// Returns the largest id that can be created before `time`.
            pub fn max_before(time: Timestamp) -> $name {
                $name(Ulid($name::min_at(time).0.0.saturating_sub(1)))
            }

            /// Returns the time at which the id was created.
            pub fn created_at(self) -> Timestamp {
                Timestamp::from_ms(self.0.timestamp_ms().try_into().unwrap_or(i64::MAX))
            }

            /// Returns which of a number of shards the id belongs to.
            pub fn shard(self, count: u8) -> u8 {
                let shard = self.0.0 % u128::from(count);
                u8::try_from(shard).expect("the remainder is below the divisor")
            }

            /// Creates an id with the current time.
            pub fn new(env: &Env) -> $name {
                $name(env.ulid())
            }

            /// Returns the next id of a request's sequence.
            pub fn from_sequence(ids: &mut IdSequence) -> $name {
                $name(ids.next())
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            /// Parses 26 characters of Crockford base32 in any case.
            fn from_str(text: &str) -> Result<$name, InvalidId> {
                // A first character above `7` overflows 128 bits; the parser would drop the excess.
                let overflows = text.bytes().next().is_none_or(|first| !(b'0'..=b'7').contains(&first));
                if overflows { Err(InvalidId) } else { Ulid::from_string(text).map($name).map_err(|_| InvalidId) }
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidId;

            fn try_from(text: String) -> Result<$name, InvalidId> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.to_string()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "{}({})", stringify!($name), self.0)
            }
        }
    )+};
}

ids! {
    /// Id of a space.
    SpaceId,
    /// Id of a user, the owner of account keys.
    UserId,
    /// Id of an upload config.
    UploadConfigId,
    /// Id of a folder.
    FolderId,
    /// Id of a file.
    FileId,
    /// Revision of a file's bytes: identifies one object stored for the file.
    Revision,
    /// Id of a webhook message.
    WebhookMessageId,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::random::tests::counting;

    #[test]
    fn sequence_ids_are_ordered_and_reproducible() {
        let mut ids = IdSequence::new(&counting());
        let mut again: IdSequence = String::from(ids).try_into().expect("a ULID");
        let first: Vec<FileId> = (0..3).map(|_| FileId::from_sequence(&mut ids)).collect();
        assert!(first.is_sorted_by(|one, next| one < next));
        assert_eq!(
            (0..3)
                .map(|_| FileId::from_sequence(&mut again))
                .collect::<Vec<_>>(),
            first
        );
    }

    #[test]
    fn ids_created_at_a_time_are_between_its_bounds() {
        let env = counting();
        let id = FileId::new(&env);
        assert!(FileId::min_at(env.now()) <= id && id <= FileId::max_before(env.now().plus_ms(1)));
        assert!(FileId::max_before(env.now()) < FileId::min_at(env.now()));
        assert_eq!(id.created_at(), env.now());
    }

    #[test]
    fn ids_parse_in_any_case_and_format_in_upper_case() {
        let id: FileId = "01jcqz4xk8v9w7y6t5s4r3q2p1".parse().expect("a ULID");
        assert_eq!(id.to_string(), "01JCQZ4XK8V9W7Y6T5S4R3Q2P1");
        for wrong in [
            "",
            "01JCQZ4XK8V9W7Y6T5S4R3Q2P",
            "01JCQZ4XK8V9W7Y6T5S4R3Q2P1X",
            "01JCQZ4XK8V9W7Y6T5S4R3Q2U1",
            "8ZZZZZZZZZZZZZZZZZZZZZZZZZ",
            "é",
        ] {
            assert_eq!(wrong.parse::<FileId>(), Err(InvalidId), "{wrong}");
        }
    }
}
