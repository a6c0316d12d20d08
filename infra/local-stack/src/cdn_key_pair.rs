//! The key pair that signs URLs of objects, for a stack that redirects large bodies.
//!
//! An operator creates a key pair, and passes the public key and then the private key to a stack,
//! in two deployments, because the secret contains the id of the public key. In the local stack
//! this id is known before.

use domain::env::Random;
use emulators::{Emulators, ProvisionError};
use p256::{
    ecdsa::{SigningKey, VerifyingKey},
    pkcs8::{DecodePrivateKey, EncodePrivateKey, EncodePublicKey, LineEnding},
};

use crate::options::{PUBLIC_KEY_RESOURCE, STACK_NAME};

/// Name of the secret with the private key.
const SECRET: &str = "larder-cdn-private-key";
/// Length of a private key, in bytes.
const KEY_BYTES: usize = 32;

/// Values of the template parameters.
pub(crate) struct CdnKeyPair {
    /// The public key in PEM.
    pub(crate) public_key: String,
    /// ARN of the secret with the private key.
    pub(crate) private_key_arn: String,
}

impl CdnKeyPair {
    /// Reads the key pair from Secrets Manager, or creates it.
    pub(crate) fn open(
        emulators: &Emulators,
        random: &dyn Random,
    ) -> Result<CdnKeyPair, ProvisionError> {
        let secret = emulators.ensure_secret(SECRET, || private_key(random))?;
        let (_, pem) = secret.value.split_once('\n').unwrap_or_default();
        let public_key = public_key(pem).map_err(|reason| ProvisionError::Secret {
            secret: SECRET.to_owned(),
            reason,
        })?;
        Ok(CdnKeyPair {
            public_key,
            private_key_arn: secret.arn,
        })
    }
}

/// Returns the id of the public key, and a new private key in PEM.
fn private_key(random: &dyn Random) -> Result<String, String> {
    let mut bytes = [0; KEY_BYTES];
    random.fill(&mut bytes);
    // Fails for zero and for numbers above the order of the curve: once in 2^32 attempts.
    let key = SigningKey::from_slice(&bytes).map_err(|error| error.to_string())?;
    let pem = key.to_pkcs8_pem(LineEnding::LF);
    pem.map(|pem| format!("{STACK_NAME}-{PUBLIC_KEY_RESOURCE}\n{}", *pem))
        .map_err(|error| error.to_string())
}

/// Returns the public key of a private key, both in PEM.
fn public_key(private_key: &str) -> Result<String, String> {
    let key = SigningKey::from_pkcs8_pem(private_key).map_err(|error| error.to_string())?;
    VerifyingKey::from(&key)
        .to_public_key_pem(LineEnding::LF)
        .map_err(|error| error.to_string())
}
