//! Cursors of lists, as clients see them.
//!
//! A client's cursor is base64url of an HMAC followed by the text of a [`Cursor`]. The HMAC covers
//! this text and the list's path, filters and owner, so that a cursor is valid for one list only.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use domain::{errors::ServiceError, requests::Cursor, signing::Secret};
use runtime::aws::LazyMasterSecret;

use crate::caller::Authenticated;

/// Length of the HMAC, in bytes.
const MAC_BYTES: usize = 32;
/// Purpose of the secret, derived from the master secret.
const PURPOSE: &str = "cursors";

/// Query parameter with a cursor.
pub(crate) const CURSOR: &str = "cursor";

/// The secret that authenticates cursors.
#[derive(Clone)]
pub struct CursorSecret(LazyMasterSecret);

impl CursorSecret {
    /// Returns the secret, which is derived from the master secret on first use.
    pub fn new(master: LazyMasterSecret) -> CursorSecret {
        CursorSecret(master)
    }

    /// Returns the codec for the cursors of a list. `filters` are names and values, sorted by name.
    pub(crate) async fn codec<'a>(
        &self,
        auth: &Authenticated,
        filters: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Result<CursorCodec, ServiceError> {
        let list = list_identity(auth, filters);
        let secret = self.0.get().await?.derive(PURPOSE);
        Ok(CursorCodec { secret, list })
    }
}

/// Encodes and decodes the cursors of one list.
pub(crate) struct CursorCodec {
    secret: Secret,
    /// Identity of the list: path, filters and owner.
    list: String,
}

impl CursorCodec {
    pub(crate) fn encode(&self, cursor: &Cursor) -> String {
        let text = cursor.to_string();
        let mac = self.secret.mac(&self.message(text.as_bytes()));
        BASE64_URL_SAFE_NO_PAD.encode([&mac[..], text.as_bytes()].concat())
    }

    /// Returns `None` if the cursor was not created for this list.
    pub(crate) fn decode(&self, encoded: &str) -> Option<Cursor> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(encoded).ok()?;
        let (mac, text) = bytes.split_at_checked(MAC_BYTES)?;
        if !self.secret.verify_mac(&self.message(text), mac) {
            return None;
        }
        std::str::from_utf8(text).ok()?.parse().ok()
    }

    fn message(&self, cursor: &[u8]) -> Vec<u8> {
        [self.list.as_bytes(), b"\0", cursor].concat()
    }
}

/// Returns the path, the filters and the caller's owner.
fn list_identity<'a>(
    auth: &Authenticated,
    filters: impl Iterator<Item = (&'a str, &'a str)>,
) -> String {
    let sorted_query = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(filters)
        .finish();

    let path = &auth.idempotency.path;
    let owner = auth.caller.owner();
    format!("{path}?{sorted_query}\0{owner:?}")
}

#[cfg(test)]
pub(crate) mod tests {
    use domain::signing::MasterSecret;
    use proptest::prelude::*;

    use super::*;

    pub(crate) fn codec(list: &str) -> CursorCodec {
        CursorCodec {
            secret: MasterSecret::new("master").derive(PURPOSE),
            list: list.to_owned(),
        }
    }

    proptest! {
        #[test]
        fn cursor_is_valid_for_its_list_only(
            position: String,
            noise: String,
            flipped_byte in 0_usize..60,
            flipped_bit in 0_u8..8,
        ) {
            let cursor = Cursor::after(position);
            let encoded = codec("/a").encode(&cursor);
            prop_assert_eq!(codec("/a").decode(&encoded), Some(cursor));
            prop_assert_eq!(codec("/b").decode(&encoded), None);
            prop_assert_eq!(codec("/a").decode(&noise), None);

            let mut bytes = BASE64_URL_SAFE_NO_PAD.decode(&encoded).expect("base64url");
            let index = flipped_byte % bytes.len();
            bytes[index] ^= 1 << flipped_bit;
            let tampered = BASE64_URL_SAFE_NO_PAD.encode(bytes);
            prop_assert_eq!(codec("/a").decode(&tampered), None);
        }
    }
}
