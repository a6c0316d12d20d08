//! Identifiers: a ULID apiece, each kind a type of its own, so that one cannot stand in for
//! another.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ulid::Ulid;

use crate::{Env, Timestamp};

/// The text is not an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an id")]
pub struct InvalidId;

/// The ids of all that one request makes, chosen at its beginning: each is the one before it plus
/// one, so what a request makes is ordered, and a request that is made again makes the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct IdSequence(Ulid);

impl IdSequence {
    /// Fresh ids of this moment.
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

/// Form of an id in JSON.
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
            /// Characters of an id.
            pub const LENGTH: usize = ulid::ULID_LEN;
            /// What every id follows.
            pub const MIN: $name = $name(Ulid(0));
            /// What follows every id.
            pub const MAX: $name = $name(Ulid(u128::MAX));

            /// What every id of a moment, and of any later one, follows.
            pub fn min_at(moment: Timestamp) -> $name {
                let ms = u64::try_from(moment.ms()).expect("a timestamp is not before 1970");
                $name(Ulid::from_parts(ms, 0))
            }

            /// A fresh id of this moment.
            pub fn new(env: &Env) -> $name {
                $name(env.ulid())
            }

            /// The next of the ids chosen for a request.
            pub fn from_sequence(ids: &mut IdSequence) -> $name {
                $name(ids.next())
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            /// Reads 26 characters of either case.
            fn from_str(text: &str) -> Result<$name, InvalidId> {
                // Above seven, a first character would overflow 128 bits, and the parser would drop
                // the excess.
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
    /// Id of a user, who holds account keys.
    UserId,
    /// Id of an upload config.
    UploadConfigId,
    /// Id of a folder.
    FolderId,
    /// Id of a file.
    FileId,
    /// What tells the object that holds a file's bytes from every other that was stored for the
    /// file.
    Revision,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::random::tests::counting;

    #[test]
    fn chosen_ids_follow_one_another_and_are_the_same_again() {
        let mut ids = IdSequence::new(&counting());
        let mut again: IdSequence = String::from(ids).try_into().expect("a ULID");
        let drawn: Vec<FileId> = (0..3).map(|_| FileId::from_sequence(&mut ids)).collect();
        assert!(drawn.is_sorted_by(|one, next| one < next));
        assert_eq!(
            (0..3)
                .map(|_| FileId::from_sequence(&mut again))
                .collect::<Vec<_>>(),
            drawn
        );
    }

    #[test]
    fn ids_follow_the_first_of_their_moment_and_none_of_a_later_one() {
        let env = counting();
        let id = FileId::new(&env);
        assert!(FileId::min_at(env.now()) <= id && id < FileId::min_at(env.now().plus_ms(1)));
    }

    #[test]
    fn ids_are_read_in_any_case_and_written_in_upper_case() {
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
