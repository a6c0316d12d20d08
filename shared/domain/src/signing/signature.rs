//! Signed addresses: what a space's signing secret proves.
//!
//! An address is signed by HMAC-SHA256, in lower-case hex, over its canonical form under the
//! space's signing secret as it is shown to its owner. The canonical form is `{path}?{query}`:
//! every parameter of the query but `signature`, names and values decoded, then encoded by RFC 3986
//! (`A-Za-z0-9-._~` stay, every other byte is `%XX` in upper case), sorted by name and value as
//! they are encoded, and joined as `name=value` with `&`. So the same address has the same
//! signature, however its parameters are ordered or encoded.
//!
//! Invariant: whatever an address says is covered, so nothing of it can be changed, left out or
//! added.

use std::{borrow::Cow, fmt, str::Utf8Error};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use ring::hmac;
use serde::{Deserialize, Serialize};

use crate::{MasterSecret, SignatureError, SpaceId, Timestamp};

/// The parameter that holds the signature.
pub const SIGNATURE_PARAMETER: &str = "signature";
/// The parameter that says until when a signed address is good, in seconds since 1970.
pub(crate) const EXPIRES: &str = "expires";
/// The parameter that says by which secret an address is signed.
pub(crate) const KID: &str = "kid";

/// How long the secret before the present one goes on verifying, in milliseconds: a day.
const PREVIOUS_MS: i64 = 24 * 60 * 60 * 1_000;
/// What stays as it is; RFC 3986 calls it unreserved.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Which signing secrets of a space verify.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signing {
    /// The number of the present secret, from 1. As text it is the `kid` of what is signed by it.
    pub generation: u32,
    /// When the present secret took over from the one before.
    pub rotated_at: Option<Timestamp>,
}

impl Default for Signing {
    fn default() -> Signing {
        Signing {
            generation: 1,
            rotated_at: None,
        }
    }
}

impl Signing {
    /// A fresh secret takes over.
    pub fn rotate(&mut self, now: Timestamp) {
        *self = Signing {
            generation: self.generation.saturating_add(1),
            rotated_at: Some(now),
        };
    }

    /// The number of the secret before the present one, and until when it verifies, where it still
    /// does.
    pub fn previous(&self, now: Timestamp) -> Option<(u32, Timestamp)> {
        let ends_at = self.rotated_at?.plus_ms(PREVIOUS_MS);
        (now < ends_at).then(|| (self.generation - 1, ends_at))
    }

    /// The number that a `kid` names, where that secret verifies.
    fn verifying(&self, kid: &str, now: Timestamp) -> Option<u32> {
        let known = [
            Some(self.generation),
            self.previous(now).map(|(generation, _)| generation),
        ];
        known
            .into_iter()
            .flatten()
            .find(|generation| generation.to_string() == kid)
    }
}

/// One signing secret of a space: 64 characters, which are its bytes as a key too.
#[derive(Clone)]
pub struct SigningSecret(String);

impl SigningSecret {
    /// The secret of a number, derived from the master secret.
    pub fn of(space: SpaceId, generation: u32, master: &MasterSecret) -> SigningSecret {
        SigningSecret(
            master
                .derive(&format!("signing {space} {generation}"))
                .hex(),
        )
    }

    /// The secret's text, for its owner.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The signature of a canonical form.
    pub fn sign(&self, canonical: &str) -> String {
        hex::encode(hmac::sign(&self.key(), canonical.as_bytes()))
    }

    /// Whether it is the signature of a canonical form; compared in constant time.
    fn verifies(&self, canonical: &str, signature: &str) -> bool {
        hex::decode(signature).is_ok_and(|signature| {
            hmac::verify(&self.key(), canonical.as_bytes(), &signature).is_ok()
        })
    }

    fn key(&self) -> hmac::Key {
        hmac::Key::new(hmac::HMAC_SHA256, self.0.as_bytes())
    }
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SigningSecret(…)")
    }
}

/// The parameters of a query, decoded once: names and values are percent-encoded UTF-8, and a plus
/// is a plus.
pub fn decoded_parameters(query: &str) -> Result<Vec<(String, String)>, Utf8Error> {
    let decoded = |text: &str| percent_decode_str(text).decode_utf8().map(Cow::into_owned);
    let parameter = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Ok((decoded(name)?, decoded(value)?))
    };
    query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(parameter)
        .collect()
}

/// The value of a parameter that a signed address may have once.
pub(crate) fn optional<'a>(
    parameters: &'a [(String, String)],
    wanted: &str,
) -> Result<Option<&'a str>, SignatureError> {
    let mut values = parameters
        .iter()
        .filter(|(name, _)| name == wanted)
        .map(|(_, value)| value.as_str());
    match (values.next(), values.next()) {
        (value, None) => Ok(value),
        _ => Err(SignatureError::Incomplete),
    }
}

/// The value of a parameter that every signed address has, once.
pub(crate) fn needed<'a>(
    parameters: &'a [(String, String)],
    wanted: &str,
) -> Result<&'a str, SignatureError> {
    optional(parameters, wanted)?.ok_or(SignatureError::Incomplete)
}

/// The canonical form of a path and the decoded parameters of a query.
pub fn canonical_form<'a>(
    path: &str,
    parameters: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> String {
    let encode = |text| utf8_percent_encode(text, ENCODED).to_string();
    let covered = parameters
        .into_iter()
        .filter(|(name, _)| *name != SIGNATURE_PARAMETER);
    let mut pairs: Vec<(String, String)> = covered
        .map(|(name, value)| (encode(name), encode(value)))
        .collect();
    pairs.sort();
    let pairs: Vec<String> = pairs
        .into_iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    format!("{path}?{}", pairs.join("&"))
}

/// Whether a signature is that of a canonical form by the space's present secret, or by the one
/// before while it verifies.
pub fn verify_signature(
    space: SpaceId,
    signing: Signing,
    (kid, canonical, signature): (&str, &str, &str),
    master: &MasterSecret,
    now: Timestamp,
) -> bool {
    let generation = signing.verifying(kid, now);
    generation.is_some_and(|generation| {
        SigningSecret::of(space, generation, master).verifies(canonical, signature)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_canonical_form_is_one_for_every_spelling() {
        for (parameters, expected) in [
            (
                &[("b", "2"), ("a", "1"), ("signature", "x")][..],
                "/p?a=1&b=2",
            ),
            (&[("a", "2"), ("a", "1")], "/p?a=1&a=2"),
            (
                &[("name", "a b+c&d=e~.-_/é")],
                "/p?name=a%20b%2Bc%26d%3De~.-_%2F%C3%A9",
            ),
            (&[("a", ""), ("a-b", "1"), ("aa", "2")], "/p?a=&a-b=1&aa=2"),
            (&[], "/p?"),
        ] {
            assert_eq!(canonical_form("/p", parameters.iter().copied()), expected);
        }
    }

    #[test]
    fn a_query_is_decoded_once_and_strictly() {
        for (query, expected) in [
            ("a=1&b=2&a=3", &[("a", "1"), ("b", "2"), ("a", "3")][..]),
            ("", &[]),
            (
                "&a&b=&&=c&d=e=f",
                &[("a", ""), ("b", ""), ("", "c"), ("d", "e=f")],
            ),
            ("a+b=c%2Bd%20e", &[("a+b", "c+d e")]),
            ("%C3%A9=%2541&a=%zz%", &[("é", "%41"), ("a", "%zz%")]),
        ] {
            let decoded = decoded_parameters(query).expect("UTF-8");
            let pairs: Vec<(&str, &str)> = decoded
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect();
            assert_eq!(pairs, expected, "{query}");
        }
        for wrong in ["a=%FF", "%FF=1&a=b", "a=b&c=%C3"] {
            assert!(decoded_parameters(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn previous_secret_verifies_for_a_day() {
        let (master, space) = (MasterSecret::new("master"), SpaceId::MIN);
        let mut signing = Signing::default();
        let mark = |generation: u32| SigningSecret::of(space, generation, &master).sign("/p?a=1");
        let verifies = |signing: Signing, kid: &str, generation, now| {
            verify_signature(
                space,
                signing,
                (kid, "/p?a=1", &mark(generation)),
                &master,
                Timestamp::from_ms(now),
            )
        };
        assert!(verifies(signing, "1", 1, 0));
        signing.rotate(Timestamp::from_ms(5));
        assert!(verifies(signing, "2", 2, 5) && verifies(signing, "1", 1, PREVIOUS_MS + 4));
        assert!(!verifies(signing, "1", 1, PREVIOUS_MS + 5));
        for (kid, generation) in [("2", 1), ("1", 2), ("01", 1), ("3", 3), ("0", 0), ("", 2)] {
            assert!(!verifies(signing, kid, generation, 5), "{kid}");
        }
        signing.rotate(Timestamp::from_ms(6));
        assert!(!verifies(signing, "1", 1, 6) && verifies(signing, "2", 2, 6));
    }

    #[test]
    fn a_signature_is_of_its_space_and_text_alone() {
        let master = MasterSecret::new("master");
        let (one, other) = (
            SigningSecret::of(SpaceId::MIN, 1, &master),
            SigningSecret::of(SpaceId::MAX, 1, &master),
        );
        let signature = one.sign("/p?a=1");
        assert!(
            one.verifies("/p?a=1", &signature) && one.verifies("/p?a=1", &signature.to_uppercase())
        );
        assert!(!one.verifies("/p?a=2", &signature) && !other.verifies("/p?a=1", &signature));
        assert!(
            !one.verifies("/p?a=1", "")
                && !one.verifies("/p?a=1", &signature[..62])
                && !one.verifies("/p?a=1", "é")
        );
        assert_eq!(format!("{one:?}"), "SigningSecret(…)");
    }
}
