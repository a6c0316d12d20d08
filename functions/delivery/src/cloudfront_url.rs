//! CloudFront signed URLs with a canned policy.
//!
//! The format is that of "Create a signed URL using a canned policy" (Amazon CloudFront Developer
//! Guide): the parameters `Expires`, `Signature`, `Key-Pair-Id` and `Hash-Algorithm` follow the
//! parameters of the URL itself, and the signature covers the URL with its own parameters, and the
//! expiry. CloudFront accepts RSA 2048 and ECDSA P-256 keys ("`PublicKey`", Amazon CloudFront API
//! Reference), and hashes with SHA-1 unless `Hash-Algorithm=SHA256` is a parameter ("Code examples
//! for creating a signature for a signed URL").
//!
//! Invariants:
//! - The key is ECDSA P-256, and the hash SHA-256.
//! - The same URL, expiry and key give the same signature (RFC 6979), so that browsers find the
//!   signed URL in their cache. A random signature, as of ring, would differ in each redirect.

use base64::{Engine, prelude::BASE64_STANDARD};
use p256::{
    SecretKey,
    ecdsa::{DerSignature, SigningKey, signature::Signer},
    pkcs8::DecodePrivateKey,
};

/// First line of a private key in SEC 1 (RFC 5915).
const SEC1_BEGIN: &str = "-----BEGIN EC PRIVATE KEY-----";
const NO_ID: &str =
    "its first line is not the id of a public key in CloudFront, which the stack has as an output";
const NOT_A_KEY: &str = "what follows the id is not an ECDSA P-256 private key in PEM, as \
    `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256` creates it";

/// The private key of a key pair whose public half is in the trusted key group of the distribution.
pub(crate) struct CloudFrontKey {
    /// Id of the public key in CloudFront.
    key_pair_id: String,
    key: SigningKey,
}

impl CloudFrontKey {
    /// Parses the id of the public key, and on the next lines the private key in PEM: PKCS #8 or
    /// SEC 1. CloudFront chooses the id, so that nothing is signed before CloudFront has the public
    /// key. The error contains no part of the text.
    pub(crate) fn parse(secret: &str) -> Result<CloudFrontKey, String> {
        let (key_pair_id, pem) = secret.split_once('\n').ok_or(NO_ID)?;
        let key_pair_id = key_pair_id.trim_end();
        let is_of_id = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        let is_pem = key_pair_id.is_empty() || key_pair_id.starts_with('-');
        if is_pem || !key_pair_id.bytes().all(is_of_id) {
            return Err(NO_ID.to_owned());
        }

        // `openssl ecparam -genkey` prints the parameters of the curve before the key.
        let sec1 = || SecretKey::from_sec1_pem(&pem[pem.find(SEC1_BEGIN)?..]).ok();
        let key = SigningKey::from_pkcs8_pem(pem).ok();
        let key = key.or_else(|| sec1().map(SigningKey::from));
        Ok(CloudFrontKey {
            key_pair_id: key_pair_id.to_owned(),
            key: key.ok_or(NOT_A_KEY)?,
        })
    }

    /// Returns the signed form of an absolute URL with a query. `expires_seconds` is the end of its
    /// validity, in seconds since 1970.
    ///
    /// The URL must be encoded as browsers send it: CloudFront compares the signature with the URL
    /// of the request.
    pub(crate) fn sign(&self, url: &str, expires_seconds: i64) -> String {
        let key_pair_id = &self.key_pair_id;
        let policy = canned_policy(url, expires_seconds);
        let signature: DerSignature = self.key.sign(policy.as_bytes());
        let encoded = encode(signature.as_bytes());

        format!(
            "{url}&Expires={expires_seconds}&Signature={encoded}&Key-Pair-Id={key_pair_id}&Hash-Algorithm=SHA256"
        )
    }
}

/// Returns the policy that CloudFront derives from a URL, without white space.
fn canned_policy(url: &str, expires_seconds: i64) -> String {
    format!(
        r#"{{"Statement":[{{"Resource":"{url}","Condition":{{"DateLessThan":{{"AWS:EpochTime":{expires_seconds}}}}}}}]}}"#
    )
}

/// Encodes a signature in base64, with valid characters in place of the invalid ones in a
/// query: `-` for `+`, `_` for `=`, `~` for `/`.
fn encode(signature: &[u8]) -> String {
    BASE64_STANDARD
        .encode(signature)
        .replace('+', "-")
        .replace('=', "_")
        .replace('/', "~")
}

#[cfg(test)]
mod tests {
    use p256::ecdsa::{VerifyingKey, signature::Verifier};
    use p256::pkcs8::{EncodePrivateKey, LineEnding};

    use super::*;

    const URL: &str = "https://cdn.test/_objects/a?response-content-type=image%2Fjpeg";

    fn key() -> CloudFrontKey {
        CloudFrontKey {
            key_pair_id: "K2JCJMDEHXQW5F".to_owned(),
            key: SigningKey::from_slice(&[7; 32]).expect("a key"),
        }
    }

    #[test]
    fn signature_covers_the_policy_that_cloudfront_derives() {
        let signed = key().sign(URL, 1_767_290_400);

        let rest = signed.strip_prefix(URL).expect("the URL");
        let signature = rest
            .strip_prefix("&Expires=1767290400&Signature=")
            .and_then(|rest| rest.strip_suffix("&Key-Pair-Id=K2JCJMDEHXQW5F&Hash-Algorithm=SHA256"))
            .expect("the parameters");
        let base64 = signature
            .replace('-', "+")
            .replace('_', "=")
            .replace('~', "/");
        let bytes = BASE64_STANDARD.decode(base64).expect("base64");
        let policy = concat!(
            r#"{"Statement":[{"Resource":"https://cdn.test/_objects/a?response-content-type=image%2Fjpeg","#,
            r#""Condition":{"DateLessThan":{"AWS:EpochTime":1767290400}}}]}"#
        );
        VerifyingKey::from(&key().key)
            .verify(
                policy.as_bytes(),
                &DerSignature::from_bytes(&bytes).expect("DER"),
            )
            .expect("a valid signature");
    }

    #[test]
    fn signature_is_deterministic() {
        assert_eq!(key().sign(URL, 1), key().sign(URL, 1));
        assert_ne!(key().sign(URL, 1), key().sign(URL, 2));
    }

    #[test]
    fn encoded_signature_needs_no_percent_encoding() {
        assert_eq!(encode(&[0xfb, 0xff, 0xbf, 0xfe]), "-~-~~g__");
    }

    #[test]
    fn secret_has_the_id_of_the_public_key_and_the_private_key() {
        let pem = key().key.to_pkcs8_pem(LineEnding::LF).expect("PEM");
        let secret = SecretKey::from(&key().key);
        let sec1 = secret.to_sec1_pem(LineEnding::LF).expect("PEM");
        let parameters =
            "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
        for pem in [&*pem, &*sec1, &format!("{parameters}{}", *sec1)] {
            for end in ["\n", "\r\n"] {
                let secret = format!("{}{end}{pem}", key().key_pair_id);
                let parsed = CloudFrontKey::parse(&secret).expect("a key");
                assert_eq!(parsed.sign(URL, 1), key().sign(URL, 1));
            }
        }

        let rsa = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n";
        for (invalid, expected) in [
            (String::new(), NO_ID),
            ("confidential".to_owned(), NO_ID),
            (pem.to_string(), NO_ID),
            (format!("\n{}", *pem), NO_ID),
            (format!("K 1\n{}", *pem), NO_ID),
            (format!("K1\n{rsa}"), NOT_A_KEY),
            (
                format!("K1\n{}", pem.replace("PRIVATE", "PUBLIC")),
                NOT_A_KEY,
            ),
        ] {
            assert_eq!(
                CloudFrontKey::parse(&invalid).err().as_deref(),
                Some(expected)
            );
        }
    }
}
