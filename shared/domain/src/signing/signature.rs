//! Signatures of signed URLs with the signing secret of a space.
//!
//! A signature is the HMAC-SHA256 of the URL's canonical form, in lower-case hex. Its key is the
//! text of the space's signing secret, as the owner sees it. The canonical form is
//! `{path}?{query}`: all query parameters except `signature`, with names and values decoded, then
//! encoded by [RFC 3986](https://www.rfc-editor.org/rfc/rfc3986#section-2.3) (`A-Za-z0-9-._~` stay,
//! every other byte is `%XX` in upper case), sorted by encoded name and value, and joined as
//! `name=value` with `&`. The order and the encoding of parameters do not change the signature.
//!
//! Invariant: a signature covers the path and all parameters, so none can be changed, removed or
//! added.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use ring::hmac;
use serde::{Deserialize, Serialize};

use super::query_parameter::{QueryParameter, required_parameter};
use crate::{env::Timestamp, errors::ServiceError, id::SpaceId, signing::MasterSecret};

/// Query parameter of the signature.
pub const SIGNATURE_PARAMETER: &str = "signature";
/// Query parameter of the expiration time, in seconds since 1970.
pub(crate) const EXPIRES: &str = "expires";
/// Query parameter of the signing secret's generation.
pub(crate) const KID: &str = "kid";

/// Time that the previous secret stays valid after a rotation, in milliseconds: one day.
const PREVIOUS_MS: i64 = 24 * 60 * 60 * 1_000;
/// Characters to encode: all except the unreserved ones of RFC 3986.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Rotation state of a space's signing secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signing {
    /// Generation of the current secret, from 1. Its decimal text is the `kid` of signed URLs.
    pub generation: u32,
    /// Time of the last rotation; `None` if no previous secret is valid after it.
    pub rotated_at: Option<Timestamp>,
}

/// Secret before the current one, while it is still valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreviousSecret {
    /// Generation of the secret.
    pub generation: u32,
    /// Time when the secret becomes invalid.
    pub expires_at: Timestamp,
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
    /// Replaces the current secret by a new one.
    pub fn rotate(&mut self, now: Timestamp) {
        *self = Signing {
            generation: self.generation.saturating_add(1),
            rotated_at: Some(now),
        };
    }

    /// Replaces the current secret by a new one, and drops all former ones at once.
    pub fn rotate_at_once(&mut self) {
        *self = Signing {
            generation: self.generation.saturating_add(1),
            rotated_at: None,
        };
    }

    /// Returns the previous secret; `None` if there is none or it expired.
    pub fn previous(&self, now: Timestamp) -> Option<PreviousSecret> {
        let expires_at = self.rotated_at?.plus_ms(PREVIOUS_MS);

        (now < expires_at).then(|| PreviousSecret {
            generation: self.generation - 1,
            expires_at,
        })
    }

    /// Returns the generation of a `kid` whose secret is valid.
    fn valid_generation(&self, kid: &str, now: Timestamp) -> Option<u32> {
        let previous = self.previous(now).map(|secret| secret.generation);

        [Some(self.generation), previous]
            .into_iter()
            .flatten()
            .find(|generation| generation.to_string() == kid)
    }
}

/// One generation of a space's signing secret: 64 hex characters, whose bytes are the HMAC key.
#[derive(Clone)]
pub struct SigningSecret {
    generation: u32,
    text: String,
}

impl SigningSecret {
    /// Derives a generation of the secret from the master secret.
    pub fn of(space: SpaceId, generation: u32, master: &MasterSecret) -> SigningSecret {
        let secret = master.derive(&format!("signing {space} {generation}"));

        SigningSecret {
            generation,
            text: secret.hex(),
        }
    }

    /// Returns the secret's text, for the owner of the space.
    pub fn reveal(&self) -> &str {
        &self.text
    }

    /// Returns the `kid` parameter of URLs signed with this secret.
    pub(crate) fn kid(&self) -> String {
        self.generation.to_string()
    }

    /// Returns the signature of a canonical form.
    pub fn sign(&self, canonical: &str) -> String {
        hex::encode(hmac::sign(&self.key(), canonical.as_bytes()))
    }

    /// Returns the query of a canonical form with the signature as its last parameter.
    pub(crate) fn signed_query(&self, canonical: &str) -> String {
        let query = canonical.split_once('?').map_or("", |(_, query)| query);
        format!("{query}&{SIGNATURE_PARAMETER}={}", self.sign(canonical))
    }

    /// Compares a signature with that of a canonical form, in constant time.
    fn verifies(&self, canonical: &str, signature: &str) -> bool {
        hex::decode(signature).is_ok_and(|signature| {
            hmac::verify(&self.key(), canonical.as_bytes(), &signature).is_ok()
        })
    }

    fn key(&self) -> hmac::Key {
        hmac::Key::new(hmac::HMAC_SHA256, self.text.as_bytes())
    }
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SigningSecret(…)")
    }
}

/// Reason why a signed URL is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureError {
    /// A required parameter is missing, malformed or repeated.
    Incomplete,
    /// The signature does not match the URL with any valid secret.
    Invalid,
    /// The URL has expired.
    Expired,
}

impl From<SignatureError> for ServiceError {
    fn from(error: SignatureError) -> ServiceError {
        ServiceError::forbidden(match error {
            SignatureError::Incomplete => {
                "The signed URL is incomplete: `expires`, `kid`, `signature` and the signed parameters must each appear once, with valid values."
            }
            SignatureError::Invalid => {
                "The signature does not match the URL. Request a new signed URL."
            }
            SignatureError::Expired => "The signed URL has expired. Request a new one.",
        })
    }
}

/// Signature of a request, not verified yet. Has no `Debug`, since a signature grants access.
#[derive(Clone)]
pub(crate) struct PresentedSignature {
    kid: String,
    canonical: String,
    signature: String,
}

impl PresentedSignature {
    /// Reads the signature from a path and its decoded query parameters.
    pub(crate) fn parse(
        path: &str,
        parameters: &[QueryParameter<'_>],
    ) -> Result<PresentedSignature, SignatureError> {
        Ok(PresentedSignature {
            kid: required_parameter(parameters, KID)?.to_owned(),
            canonical: canonical_form(path, parameters),
            // Hex digits in upper case are the same signature.
            signature: required_parameter(parameters, SIGNATURE_PARAMETER)?.to_ascii_lowercase(),
        })
    }

    /// Returns the signature in lower-case hex.
    pub(crate) fn as_str(&self) -> &str {
        &self.signature
    }

    /// Fails unless the current or the still valid previous secret of the space created it.
    pub(crate) fn verify(
        &self,
        space: SpaceId,
        signing: Signing,
        master: &MasterSecret,
        now: Timestamp,
    ) -> Result<(), SignatureError> {
        let generation = signing.valid_generation(&self.kid, now);
        let is_valid = generation.is_some_and(|generation| {
            SigningSecret::of(space, generation, master).verifies(&self.canonical, &self.signature)
        });

        if is_valid {
            Ok(())
        } else {
            Err(SignatureError::Invalid)
        }
    }
}

/// Returns the canonical form of a path and the decoded parameters of a query.
pub fn canonical_form(path: &str, parameters: &[QueryParameter<'_>]) -> String {
    let encode = |text| utf8_percent_encode(text, ENCODED).to_string();
    let mut encoded: Vec<(String, String)> = parameters
        .iter()
        .filter(|parameter| parameter.name != SIGNATURE_PARAMETER)
        .map(|parameter| (encode(&parameter.name), encode(&parameter.value)))
        .collect();
    encoded.sort();

    let pairs: Vec<String> = encoded
        .into_iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    format!("{path}?{}", pairs.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_form_sorts_and_encodes_parameters() {
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
            let parameters: Vec<QueryParameter<'_>> = parameters
                .iter()
                .map(|(name, value)| QueryParameter::new(*name, *value))
                .collect();

            assert_eq!(canonical_form("/p", &parameters), expected);
        }
    }

    #[test]
    fn previous_secret_is_valid_for_a_day() {
        let master = MasterSecret::new("master");
        let space = SpaceId::MIN;
        let mut signing = Signing::default();
        let signature =
            |generation: u32| SigningSecret::of(space, generation, &master).sign("/p?a=1");
        let verifies = |signing: Signing, kid: &str, generation, now| {
            let presented = PresentedSignature {
                kid: kid.to_owned(),
                canonical: "/p?a=1".to_owned(),
                signature: signature(generation),
            };
            presented
                .verify(space, signing, &master, Timestamp::from_ms(now))
                .is_ok()
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

        signing.rotate_at_once();
        assert!(!verifies(signing, "3", 3, 6) && verifies(signing, "4", 4, 6));
    }

    #[test]
    fn signature_is_bound_to_space_and_canonical_form() {
        let master = MasterSecret::new("master");
        let one = SigningSecret::of(SpaceId::MIN, 1, &master);
        let other = SigningSecret::of(SpaceId::MAX, 1, &master);
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
