//! Verifies the signature of requests with a buffered body ("Create a signed AWS API request" in
//! the IAM User Guide).
//!
//! An access key alone proves nothing: presigned URLs contain it.

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, header::AUTHORIZATION, request::Parts};
use ring::{
    digest::{SHA256, digest},
    hmac::{self, HMAC_SHA256},
};

const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// A body that the signature of its request covers.
pub(crate) trait SignedBody {
    /// Returns whether a request is signed with a secret key.
    fn is_signed(&self, head: &Parts, secret_key: &str) -> bool;
}

impl SignedBody for Bytes {
    fn is_signed(&self, head: &Parts, secret_key: &str) -> bool {
        verify(head, self, secret_key).is_some()
    }
}

/// S3 itself verifies the signature, because its bodies are streamed.
impl SignedBody for Body {
    fn is_signed(&self, _head: &Parts, _secret_key: &str) -> bool {
        true
    }
}

/// Returns `None` if the signature is missing or wrong.
fn verify(head: &Parts, body: &[u8], secret_key: &str) -> Option<()> {
    let header = head.headers.get(AUTHORIZATION)?.to_str().ok()?;
    let parameters = header.strip_prefix(ALGORITHM)?;
    let parameter = |name: &str| {
        let mut pairs = parameters.split(',').map(str::trim);
        pairs.find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
    };
    let (_access_key, scope) = parameter("Credential")?.split_once('/')?;
    let signed_headers = parameter("SignedHeaders")?;
    let signature = hex::decode(parameter("Signature")?).ok()?;

    let canonical_request = format!(
        "{}\n{}\n{}\n{}\n{signed_headers}\n{}",
        head.method,
        head.uri.path(),
        head.uri.query().unwrap_or_default(),
        canonical_headers(&head.headers, signed_headers)?,
        hex::encode(digest(&SHA256, body)),
    );
    let string_to_sign = format!(
        "{ALGORITHM}\n{}\n{scope}\n{}",
        head.headers.get("x-amz-date")?.to_str().ok()?,
        hex::encode(digest(&SHA256, canonical_request.as_bytes())),
    );

    let mut key = signing_key(format!("AWS4{secret_key}").as_bytes());
    for part in scope.split('/') {
        key = signing_key(hmac::sign(&key, part.as_bytes()).as_ref());
    }
    hmac::verify(&key, string_to_sign.as_bytes(), &signature).ok()
}

fn signing_key(bytes: &[u8]) -> hmac::Key {
    hmac::Key::new(HMAC_SHA256, bytes)
}

fn canonical_headers(headers: &HeaderMap, signed: &str) -> Option<String> {
    let line = |name: &str| {
        let value = headers.get(name)?.to_str().ok()?;
        let words: Vec<_> = value.split_ascii_whitespace().collect();
        Some(format!("{name}:{}\n", words.join(" ")))
    };
    signed.split(';').map(line).collect()
}
