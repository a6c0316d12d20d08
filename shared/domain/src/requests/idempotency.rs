//! Idempotency keys and the reservations of requests.

use schemars::JsonSchema;

use crate::{env::Timestamp, errors::FieldError, id::IdSequence, signing::Secret};

/// Maximum number of characters of a key.
const KEY_CHARACTERS: usize = 255;

/// The field error of a malformed key.
const MALFORMED: FieldError = FieldError::Header(
    "The Idempotency-Key header must have 1 to 255 printable ASCII characters, or be absent.",
);

/// The field error of several keys.
const SEVERAL: FieldError = FieldError::Header(
    "The Idempotency-Key header must not be repeated, and must not contain a comma.",
);

/// Value of an `Idempotency-Key` header: 1 to 255 printable ASCII characters without commas, which
/// separate the values of repeated headers (RFC 9110, section 5.3).
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(extend("minLength" = 1, "maxLength" = KEY_CHARACTERS, "pattern" = "^[ -+\\--~]*[!-+\\--~][ -+\\--~]*$"))]
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
    pub reservation: IdempotencyReservation,
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
        let text = std::str::from_utf8(bytes).map_err(|_| MALFORMED)?.trim();
        if text.contains(',') {
            return Err(SEVERAL);
        }
        let is_printable = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
        if (1..=KEY_CHARACTERS).contains(&text.len()) && text.bytes().all(is_printable) {
            Ok(IdempotencyKey(text.to_owned()))
        } else {
            Err(MALFORMED)
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

        let too_long = [b'x'; 256];
        for wrong in [
            &b""[..],
            b"  ",
            &too_long,
            b"a\x07b",
            "é".as_bytes(),
            b"\xFF",
        ] {
            assert_eq!(IdempotencyKey::parse(wrong), Err(MALFORMED), "{wrong:?}");
        }

        assert_eq!(IdempotencyKey::parse(b"one, two"), Err(SEVERAL));
    }
}
