//! Secrets that are derived from others, and what is done with them: marks that prove where
//! something came from, and sealing.
//!
//! Invariant: a secret serves one purpose alone, is never printed, and marks are compared in
//! constant time.

use std::fmt;

use ring::{
    aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    hkdf, hmac,
};

use crate::Env;

/// Bytes of a derived secret.
const SECRET_BYTES: usize = 32;
/// Bytes of a mark: HMAC-SHA256, whole.
const MAC_BYTES: usize = 32;

/// A secret for one purpose, derived by HKDF-SHA256 (RFC 5869) without a salt, the purpose as its
/// `info`.
#[derive(Clone)]
pub struct Secret([u8; SECRET_BYTES]);

/// The secret from which those are derived that have to be had again: in the cloud Secrets Manager
/// keeps it.
#[derive(Clone)]
pub struct MasterSecret(Vec<u8>);

impl MasterSecret {
    /// The secret in the form in which it is kept.
    pub fn new(kept: impl Into<Vec<u8>>) -> MasterSecret {
        MasterSecret(kept.into())
    }

    /// The secret for a purpose.
    pub fn derive(&self, purpose: &str) -> Secret {
        Secret::derive(&self.0, purpose)
    }
}

impl Secret {
    /// The secret for a purpose, from one that has at least as much randomness.
    pub(crate) fn derive(from: &[u8], purpose: &str) -> Secret {
        let mut derived = [0; SECRET_BYTES];
        hkdf::Salt::new(hkdf::HKDF_SHA256, &[])
            .extract(from)
            .expand(&[purpose.as_bytes()], hkdf::HKDF_SHA256)
            .and_then(|derivation| derivation.fill(&mut derived))
            .expect("HKDF gives up to 255 times the length of its hash");
        Secret(derived)
    }

    /// A secret for a purpose within this one's.
    #[must_use]
    pub fn subkey(&self, purpose: &str) -> Secret {
        Secret::derive(&self.0, purpose)
    }

    /// The secret as text, for those who prove by it themselves.
    pub(crate) fn hex(&self) -> String {
        hex::encode(self.0)
    }

    /// HMAC-SHA256 of a message.
    pub fn mac(&self, message: &[u8]) -> [u8; MAC_BYTES] {
        let mark = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &self.0), message);
        mark.as_ref().try_into().expect("HMAC-SHA256 has 32 bytes")
    }

    /// Whether a mark is this message's; compared in constant time.
    pub fn verify_mac(&self, message: &[u8], mark: &[u8]) -> bool {
        hmac::verify(&hmac::Key::new(hmac::HMAC_SHA256, &self.0), message, mark).is_ok()
    }

    /// Seals bytes by AES-256-GCM under a fresh nonce, which stands before them. They open only
    /// with the same context.
    pub fn encrypt(&self, mut bytes: Vec<u8>, context: &[u8], env: &Env) -> Vec<u8> {
        let nonce = env.random_bytes::<NONCE_LEN>();
        self.cipher()
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(context),
                &mut bytes,
            )
            .expect("what fits into a record is far below the cipher's bound");
        [&nonce[..], &bytes].concat()
    }

    /// Opens what was sealed in this context; `None` where it is anything else.
    pub fn decrypt(&self, sealed: &[u8], context: &[u8]) -> Option<Vec<u8>> {
        let (nonce, bytes) = sealed.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut bytes = bytes.to_vec();
        let opened = self
            .cipher()
            .open_in_place(nonce, Aad::from(context), &mut bytes)
            .ok()?;
        Some(opened.to_vec())
    }

    fn cipher(&self) -> LessSafeKey {
        LessSafeKey::new(
            UnboundKey::new(&AES_256_GCM, &self.0).expect("a key of AES-256 has 32 bytes"),
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
    fn the_derivation_is_pinned() {
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
    fn a_mark_proves_its_message_alone() {
        let secret = MasterSecret::new("master").derive("a");
        let mark = secret.mac(b"message");
        assert!(secret.verify_mac(b"message", &mark));
        let mut tampered = mark;
        tampered[31] ^= 1;
        for (message, mark) in [
            (&b"massage"[..], &mark[..]),
            (b"message", &tampered),
            (b"message", &mark[..31]),
            (b"message", &[]),
        ] {
            assert!(!secret.verify_mac(message, mark), "{message:?} {mark:?}");
        }
        assert!(
            !MasterSecret::new("master")
                .derive("b")
                .verify_mac(b"message", &mark)
        );
    }

    #[test]
    fn what_is_sealed_opens_in_its_context_and_unharmed_only() {
        let secret = MasterSecret::new("master").derive("a");
        let sealed = secret.encrypt(b"answer".to_vec(), b"context", &counting());
        assert!(!sealed.windows(6).any(|part| part == b"answer"));
        assert_eq!(
            secret.decrypt(&sealed, b"context").as_deref(),
            Some(&b"answer"[..])
        );
        assert_eq!(secret.decrypt(&sealed, b"another"), None);
        assert_eq!(
            MasterSecret::new("master")
                .derive("b")
                .decrypt(&sealed, b"context"),
            None
        );
        for index in 0..sealed.len() {
            let mut harmed = sealed.clone();
            harmed[index] ^= 1;
            assert_eq!(secret.decrypt(&harmed, b"context"), None, "{index}");
            assert_eq!(
                secret.decrypt(&sealed[..index], b"context"),
                None,
                "{index}"
            );
        }
    }
}
