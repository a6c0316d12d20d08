//! Verifies CloudFront signed URLs with a canned policy ("Create a signed URL using a canned
//! policy", Amazon CloudFront Developer Guide): the signature covers the URL with its own
//! parameters, and the expiry. CloudFront removes the parameters of the signature before anything
//! else uses the URL.

use base64::{Engine, prelude::BASE64_STANDARD};
use domain::env::Timestamp;
use p256::{
    ecdsa::{DerSignature, VerifyingKey, signature::Verifier},
    pkcs8::DecodePublicKey,
};
use sam_template::PublicKey;

/// The only hash that is emulated. CloudFront's default is SHA-1.
const SHA256: &str = "SHA256";

/// Why CloudFront rejects a URL, with 403.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rejection {
    MissingKey,
    /// The signature is missing, invalid or expired, or its key is not trusted.
    AccessDenied,
}

/// A URL, separated into its signed part and the signature.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SignedUrl<'a> {
    /// Scheme, host and path.
    base: String,
    /// The query without the parameters of the signature.
    own_query: Vec<&'a str>,
    expires: Option<&'a str>,
    signature: Option<&'a str>,
    key_pair_id: Option<&'a str>,
    hash_algorithm: Option<&'a str>,
}

impl<'a> SignedUrl<'a> {
    /// Separates a query. `base` is the URL before it.
    pub(super) fn parse(base: String, query: &'a str) -> SignedUrl<'a> {
        let mut url = SignedUrl {
            base,
            ..SignedUrl::default()
        };
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("Expires", value)) => url.expires = Some(value),
                Some(("Signature", value)) => url.signature = Some(value),
                Some(("Key-Pair-Id", value)) => url.key_pair_id = Some(value),
                Some(("Hash-Algorithm", value)) => url.hash_algorithm = Some(value),
                _ => url.own_query.push(pair),
            }
        }
        url
    }

    /// Returns the parameters of the URL itself, as `name=value`.
    pub(super) fn own_query(&self) -> &[&'a str] {
        &self.own_query
    }

    /// Fails unless one of the keys signed the URL, and the URL has not expired.
    pub(super) fn verify(&self, keys: &[PublicKey], now: Timestamp) -> Result<(), Rejection> {
        let key_pair_id = self.key_pair_id.ok_or(Rejection::MissingKey)?;
        if self.is_valid(keys, key_pair_id, now) == Some(true) {
            Ok(())
        } else {
            Err(Rejection::AccessDenied)
        }
    }

    /// Returns `None` if a parameter is missing or malformed, or the key is not trusted.
    fn is_valid(&self, keys: &[PublicKey], key_pair_id: &str, now: Timestamp) -> Option<bool> {
        let key = keys.iter().find(|key| key.id == key_pair_id)?;
        let verifying_key = VerifyingKey::from_public_key_pem(&key.pem).ok()?;
        let expires_seconds: i64 = self.expires?.parse().ok()?;
        let bytes = BASE64_STANDARD.decode(base64(self.signature?)).ok()?;
        let signature = DerSignature::from_bytes(&bytes).ok()?;

        let policy = self.canned_policy(expires_seconds);
        let is_signed = verifying_key.verify(policy.as_bytes(), &signature).is_ok();
        let is_current = now.seconds() < expires_seconds;
        Some(is_signed && is_current && self.hash_algorithm == Some(SHA256))
    }

    fn canned_policy(&self, expires_seconds: i64) -> String {
        let mut resource = self.base.clone();
        if !self.own_query.is_empty() {
            resource.push('?');
            resource.push_str(&self.own_query.join("&"));
        }
        let condition = format!(r#"{{"DateLessThan":{{"AWS:EpochTime":{expires_seconds}}}}}"#);
        format!(r#"{{"Statement":[{{"Resource":"{resource}","Condition":{condition}}}]}}"#)
    }
}

/// Restores the characters that CloudFront replaces in base64.
fn base64(signature: &str) -> String {
    signature
        .replace('-', "+")
        .replace('_', "=")
        .replace('~', "/")
}

#[cfg(test)]
mod tests {
    use p256::{
        ecdsa::{SigningKey, signature::Signer},
        pkcs8::{EncodePublicKey, LineEnding},
    };

    use super::*;

    const BASE: &str = "https://cdn.test/_objects/a";
    const EXPIRES: &str = "1767290400";

    fn signing_key(byte: u8) -> SigningKey {
        SigningKey::from_slice(&[byte; 32]).expect("a key")
    }

    fn public_key(id: &str, key: &SigningKey) -> PublicKey {
        let pem = VerifyingKey::from(key).to_public_key_pem(LineEnding::LF);
        PublicKey {
            id: id.to_owned(),
            pem: pem.expect("PEM"),
        }
    }

    /// Returns the query of a URL that the key signed.
    fn signed_query(key: &SigningKey) -> String {
        let policy = format!(
            r#"{{"Statement":[{{"Resource":"{BASE}?b=1&a","Condition":{{"DateLessThan":{{"AWS:EpochTime":{EXPIRES}}}}}}}]}}"#
        );
        let signature: DerSignature = key.sign(policy.as_bytes());
        let encoded = BASE64_STANDARD
            .encode(signature.as_bytes())
            .replace('+', "-")
            .replace('=', "_")
            .replace('/', "~");
        format!("b=1&a&Expires={EXPIRES}&Signature={encoded}&Key-Pair-Id=K1&Hash-Algorithm=SHA256")
    }

    #[test]
    fn only_the_signed_url_is_accepted_until_it_expires() {
        let first = signing_key(1);
        let second = signing_key(2);
        let keys = [public_key("K2", &second), public_key("K1", &first)];
        let query = signed_query(&first);
        let verify = |base: &str, query: &str, seconds| {
            let url = SignedUrl::parse(base.to_owned(), query);
            url.verify(&keys, Timestamp::from_seconds(seconds))
        };

        assert_eq!(verify(BASE, &query, 1_767_290_399), Ok(()));
        let denied = Err(Rejection::AccessDenied);
        assert_eq!(verify(BASE, &query, 1_767_290_400), denied);
        assert_eq!(verify("http://cdn.test/_objects/a", &query, 0), denied);
        assert_eq!(verify("https://cdn.test/_objects/b", &query, 0), denied);

        for (old, new) in [
            ("b=1", "b=2"),
            ("&a&", "&"),
            ("b=1&a", "a&b=1"),
            ("Expires=1", "Expires=2"),
            ("&Expires=1767290400", ""),
            ("=K1", "=K2"),
            ("=K1", "=K3"),
            ("Signature=", "Signature=A"),
            ("SHA256", "SHA1"),
            ("&Hash-Algorithm=SHA256", ""),
        ] {
            assert_eq!(
                verify(BASE, &query.replacen(old, new, 1), 0),
                denied,
                "{old}"
            );
        }
        let unnamed = query.replace("&Key-Pair-Id=K1", "");
        assert_eq!(verify(BASE, &unnamed, 0), Err(Rejection::MissingKey));
        assert_eq!(verify(BASE, "", 0), Err(Rejection::MissingKey));
    }
}
