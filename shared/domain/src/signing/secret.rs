//! Derived secrets with message authentication (HMAC-SHA256) and encryption (AES-256-GCM).
//!
//! Invariants:
//! - Every secret serves a single purpose.
//! - Secrets are never logged.
//! - MACs are compared in constant time.

use std::fmt;

use ring::{
    aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    hkdf, hmac,
};

use crate::env::Env;

/// Length of a derived secret, in bytes.
const SECRET_BYTES: usize = 32;
/// Length of an HMAC-SHA256, in bytes.
const MAC_BYTES: usize = 32;

/// Secret for a single purpose, derived with HKDF-SHA256
/// ([RFC 5869](https://www.rfc-editor.org/rfc/rfc5869)) without a salt and the purpose as `info`.
#[derive(Clone)]
pub struct Secret([u8; SECRET_BYTES]);

/// Secret of the installation, from which reproducible secrets are derived. AWS Secrets Manager
/// stores it in production.
#[derive(Clone)]
pub struct MasterSecret(Vec<u8>);

impl MasterSecret {
    /// Creates the master secret from its stored bytes.
    pub fn new(bytes: impl Into<Vec<u8>>) -> MasterSecret {
        MasterSecret(bytes.into())
    }

    /// Derives the secret for a purpose.
    pub fn derive(&self, purpose: &str) -> Secret {
        Secret::derive(&self.0, purpose)
    }
}

impl Secret {
    /// Derives the secret for a purpose from bytes with at least 256 bits of entropy, or as much as
    /// the purpose needs.
    pub(crate) fn derive(from: &[u8], purpose: &str) -> Secret {
        let mut derived = [0; SECRET_BYTES];
        hkdf::Salt::new(hkdf::HKDF_SHA256, &[])
            .extract(from)
            .expand(&[purpose.as_bytes()], hkdf::HKDF_SHA256)
            .and_then(|derivation| derivation.fill(&mut derived))
            .expect("HKDF outputs up to 255 times the length of its hash");
        Secret(derived)
    }

    /// Derives a subkey for a narrower purpose.
    #[must_use]
    pub fn subkey(&self, purpose: &str) -> Secret {
        Secret::derive(&self.0, purpose)
    }

    /// Returns the bytes of the secret, for clients that verify signatures.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the secret in lower-case hex, for clients that create signatures.
    pub(crate) fn hex(&self) -> String {
        hex::encode(self.0)
    }

    /// Returns the HMAC-SHA256 of a message.
    pub fn mac(&self, message: &[u8]) -> [u8; MAC_BYTES] {
        let mac = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &self.0), message);
        mac.as_ref().try_into().expect("HMAC-SHA256 has 32 bytes")
    }

    /// Whether a MAC belongs to a message, compared in constant time.
    pub fn verify_mac(&self, message: &[u8], mac: &[u8]) -> bool {
        hmac::verify(&hmac::Key::new(hmac::HMAC_SHA256, &self.0), message, mac).is_ok()
    }

    /// Encrypts with AES-256-GCM under a random nonce, which precedes the ciphertext. Decryption
    /// requires the same `context`, which is authenticated but not part of the result.
    pub fn encrypt(&self, mut bytes: Vec<u8>, context: &[u8], env: &Env) -> Vec<u8> {
        let nonce = env.random_bytes::<NONCE_LEN>();
        self.cipher()
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(context),
                &mut bytes,
            )
            .expect("records are far smaller than the limit of AES-GCM");
        [&nonce[..], &bytes].concat()
    }

    /// Decrypts the result of [`Secret::encrypt`]. Returns `None` if it was modified or encrypted
    /// with another secret or context.
    pub fn decrypt(&self, encrypted: &[u8], context: &[u8]) -> Option<Vec<u8>> {
        let (nonce, bytes) = encrypted.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut bytes = bytes.to_vec();
        let decrypted = self
            .cipher()
            .open_in_place(nonce, Aad::from(context), &mut bytes)
            .ok()?;
        Some(decrypted.to_vec())
    }

    fn cipher(&self) -> LessSafeKey {
        LessSafeKey::new(
            UnboundKey::new(&AES_256_GCM, &self.0).expect("AES-256 keys have 32 bytes"),
        )
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

impl fmt::Debug for MasterSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("MasterSecret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::random::tests::counting;

    #[test]
    fn derivation_is_pinned() {
        // HKDF-SHA256 of "master" without a salt, info "cursors", by an independent implementation.
        let secret = MasterSecret::new("master").derive("cursors");
        assert_eq!(
            hex::encode(secret.0),
            "19062ea67d277e871390ec979b2782862e9e710ec7be9295dbd67e8d2b8a5e4e"
        );
        assert_eq!(
            hex::encode(secret.mac(b"message")),
            "ca051183c8eda61b38795b919abf25b4ff5804aa5b89276ec23324c79019fb6f"
        );
        assert_eq!(
            format!("{secret:?} {:?}", MasterSecret::new("x")),
            "Secret(…) MasterSecret(…)"
        );
    }

    #[test]
    fn mac_is_bound_to_message_and_secret() {
        let secret = MasterSecret::new("master").derive("a");
        let mac = secret.mac(b"message");
        assert!(secret.verify_mac(b"message", &mac));

        let mut tampered = mac;
        tampered[31] ^= 1;
        for (message, mac) in [
            (&b"massage"[..], &mac[..]),
            (b"message", &tampered),
            (b"message", &mac[..31]),
            (b"message", &[]),
        ] {
            assert!(!secret.verify_mac(message, mac), "{message:?} {mac:?}");
        }

        assert!(
            !MasterSecret::new("master")
                .derive("b")
                .verify_mac(b"message", &mac)
        );
    }

    #[test]
    fn decrypt_requires_secret_context_and_unmodified_bytes() {
        let secret = MasterSecret::new("master").derive("a");
        let encrypted = secret.encrypt(b"answer".to_vec(), b"context", &counting());

        assert!(!encrypted.windows(6).any(|part| part == b"answer"));
        assert_eq!(
            secret.decrypt(&encrypted, b"context").as_deref(),
            Some(&b"answer"[..])
        );
        assert_eq!(secret.decrypt(&encrypted, b"another"), None);
        assert_eq!(
            MasterSecret::new("master")
                .derive("b")
                .decrypt(&encrypted, b"context"),
            None
        );

        for index in 0..encrypted.len() {
            let mut tampered = encrypted.clone();
            tampered[index] ^= 1;
            assert_eq!(secret.decrypt(&tampered, b"context"), None, "{index}");
            assert_eq!(
                secret.decrypt(&encrypted[..index], b"context"),
                None,
                "{index}"
            );
        }
    }
}
