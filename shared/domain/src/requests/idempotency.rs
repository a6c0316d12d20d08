//! Idempotency keys and the reservations of requests.

use schemars::JsonSchema;

use crate::{FieldError, IdSequence, Secret, Timestamp};

/// Maximum number of characters of a key.
const KEY_CHARACTERS: usize = 255;

/// Value of an `Idempotency-Key` header: 1 to 255 printable ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(extend("minLength" = 1, "maxLength" = KEY_CHARACTERS, "pattern" = "^[ -~]*[!-~][ -~]*$"))]
pub struct IdempotencyKey(String);

/// Exclusive right to execute a request until its lease ends.
#[derive(Clone, Debug)]
pub struct IdempotencyReservation {
    /// Identifies the request: an HMAC of route and key under the caller's secret, in hex.
    pub request_hash: String,
    /// Distinguishes this reservation from earlier and later ones of the same request.
    pub token: String,
    /// Ids of the resources that the request creates.
    pub ids: IdSequence,
}

/// Completion of a reservation, written in the transaction of the request.
#[derive(Clone, Debug)]
pub struct Completion {
    /// Reservation to complete.
    pub reservation: IdempotencyReservation,
    /// Encrypted response.
    pub response: Vec<u8>,
}

/// Outcome of an attempt to reserve a request.
#[derive(Clone, Debug)]
pub enum ReservationOutcome {
    /// The request is reserved for this caller.
    Reserved(IdempotencyReservation),
    /// The request was executed before, with this encrypted response.
    Completed(Vec<u8>),
    /// A request with the same key and payload is in progress; its lease ends at this time.
    InProgress(Timestamp),
    /// The key was used with another payload.
    OtherPayload,
}

impl IdempotencyKey {
    /// Parses a key. An empty key fails, since its client expects idempotency.
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

    /// Derives the secret of an anonymous caller from its identity and the key.
    pub fn anonymous_secret(&self, identity: &str) -> Secret {
        Secret::derive(
            format!("{identity}\n{}", self.0).as_bytes(),
            "idempotency of anonymous callers",
        )
    }

    /// Returns the key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_short_and_printable() {
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
