//! Idempotent requests: the key by which a client names one, and its reservation.

use schemars::JsonSchema;

use crate::{FieldError, IdSequence, Secret, Timestamp};

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
    pub request_hash: String,
    /// Tells this reservation from an earlier and a later one of the request.
    pub token: String,
    /// The ids of what the request creates.
    pub ids: IdSequence,
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
    pub fn parse(bytes: &[u8]) -> Result<IdempotencyKey, FieldError> {
        let text = std::str::from_utf8(bytes)
            .map_err(|_| FieldError::InvalidFormat)?
            .trim();
        if text.is_empty() {
            Err(FieldError::Required)
        } else if text.len() > KEY_CHARACTERS {
            Err(FieldError::TooLong(KEY_CHARACTERS))
        } else if text
            .bytes()
            .all(|byte| byte == b' ' || byte.is_ascii_graphic())
        {
            Ok(IdempotencyKey(text.to_owned()))
        } else {
            Err(FieldError::InvalidFormat)
        }
    }

    /// Returns the secret of a caller without an API key, from their identity and the key.
    pub fn anonymous_secret(&self, identity: &str) -> Secret {
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
            (&b""[..], FieldError::Required),
            (b"  ", FieldError::Required),
            (&[b'x'; 256], FieldError::TooLong(255)),
            (b"a\x07b", FieldError::InvalidFormat),
            ("é".as_bytes(), FieldError::InvalidFormat),
            (b"\xFF", FieldError::InvalidFormat),
        ] {
            assert_eq!(IdempotencyKey::parse(wrong), Err(why), "{wrong:?}");
        }
    }
}
