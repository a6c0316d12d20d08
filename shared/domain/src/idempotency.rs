//! Idempotent requests: the key by which a client names one, and its reservation.

use schemars::JsonSchema;

use crate::{ChosenIds, Secret, Timestamp, Violation};

/// Most characters of a key.
const KEY_CHARACTERS: usize = 255;

/// The name that a client gives a request: 1 to 255 printable characters of ASCII.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(extend("minLength" = 1, "maxLength" = KEY_CHARACTERS, "pattern" = "^[ -~]*[!-~][ -~]*$"))]
pub struct IdempotencyKey(String);

/// The right to do a request, until its lease ends.
#[derive(Clone, Debug)]
pub struct IdempotencyReservation {
    /// Identifies the request.
    pub mark: String,
    /// Tells this reservation from an earlier and a later one of the request.
    pub token: String,
    /// The ids of what the request creates.
    pub ids: ChosenIds,
}

/// A reservation, and what completes it.
#[derive(Clone, Debug)]
pub struct Completion {
    /// The reservation.
    pub reservation: IdempotencyReservation,
    /// The encrypted response.
    pub response: Vec<u8>,
}

/// Outcome of an attempt to reserve a request.
#[derive(Clone, Debug)]
pub enum ReservationOutcome {
    /// The request is reserved for this caller.
    Reserved(IdempotencyReservation),
    /// The request was done before; this is the encrypted response.
    Completed(Vec<u8>),
    /// Another request with the same payload is in progress, and its lease ends then.
    InProgress(Timestamp),
    /// The key was used for another payload.
    OtherPayload,
}

impl IdempotencyKey {
    /// Parses a key. Fails for an empty one, whose client expects that the request is done once.
    pub fn parse(bytes: &[u8]) -> Result<IdempotencyKey, Violation> {
        let text = std::str::from_utf8(bytes)
            .map_err(|_| Violation::Format)?
            .trim();
        if text.is_empty() {
            Err(Violation::Required)
        } else if text.len() > KEY_CHARACTERS {
            Err(Violation::TooLong(KEY_CHARACTERS))
        } else if text
            .bytes()
            .all(|byte| byte == b' ' || byte.is_ascii_graphic())
        {
            Ok(IdempotencyKey(text.to_owned()))
        } else {
            Err(Violation::Format)
        }
    }

    /// Returns the secret of a caller without an API key, from their identity and the key.
    pub fn secret_of(&self, identity: &str) -> Secret {
        Secret::derive(
            format!("{identity}\n{}", self.0).as_bytes(),
            "idempotency of strangers",
        )
    }

    /// The key's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_short_and_printable() {
        assert_eq!(
            IdempotencyKey::parse(b" order 7 ").expect("a key").as_str(),
            "order 7"
        );
        assert!(IdempotencyKey::parse(&[b'x'; 255]).is_ok());
        for (wrong, why) in [
            (&b""[..], Violation::Required),
            (b"  ", Violation::Required),
            (&[b'x'; 256], Violation::TooLong(255)),
            (b"a\x07b", Violation::Format),
            ("é".as_bytes(), Violation::Format),
            (b"\xFF", Violation::Format),
        ] {
            assert_eq!(IdempotencyKey::parse(wrong), Err(why), "{wrong:?}");
        }
    }
}
