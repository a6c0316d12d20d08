//! The length and SHA-256 that a request declares for its body.
//!
//! Invariant: a body that differs from either changes nothing.

use http::{HeaderMap, HeaderName, header::CONTENT_LENGTH};
use s3s::{S3Error, S3Result, s3_error};

use super::{
    checksum::{Digests, SHA256},
    error::not_emulated,
};

/// Maximum size of a body, in bytes.
pub(super) const BODY_BYTES_MAX: u64 = 5 * 1024 * 1024 * 1024;

/// Other declarations of a body, which are not emulated: `aws-chunked`, MD5 and other checksums.
const NOT_EMULATED: [&str; 7] = [
    "content-md5",
    "x-amz-checksum-crc32",
    "x-amz-checksum-crc32c",
    "x-amz-checksum-crc64nvme",
    "x-amz-checksum-sha1",
    "x-amz-decoded-content-length",
    "x-amz-trailer",
];

/// What a request declares about its body.
#[derive(Clone, Debug)]
pub(super) struct DeclaredBody {
    pub(super) length_bytes: u64,
    /// In base64.
    sha256: Option<String>,
}

impl DeclaredBody {
    /// Parses the headers. Fails if the body has no length or is too large.
    pub(super) fn from_headers(headers: &HeaderMap) -> S3Result<DeclaredBody> {
        if let Some(name) = NOT_EMULATED
            .iter()
            .find(|name| headers.contains_key(**name))
        {
            return Err(not_emulated(name));
        }

        let length_bytes = text(headers, &CONTENT_LENGTH)
            .and_then(|length| length.parse().ok())
            .ok_or_else(|| {
                s3_error!(
                    MissingContentLength,
                    "You must provide the Content-Length HTTP header."
                )
            })?;
        if length_bytes > BODY_BYTES_MAX {
            return Err(s3_error!(
                EntityTooLarge,
                "Your proposed upload exceeds the maximum allowed size"
            ));
        }

        Ok(DeclaredBody {
            length_bytes,
            sha256: text(headers, &SHA256).map(str::to_owned),
        })
    }

    pub(super) fn has_sha256(&self) -> bool {
        self.sha256.is_some()
    }

    /// Fails if the received body differs from the declaration.
    pub(super) fn verify(&self, size_bytes: u64, digests: &Digests) -> S3Result<()> {
        if size_bytes != self.length_bytes {
            return Err(incomplete());
        }
        if self.sha256 != digests.sha256 {
            return Err(s3_error!(
                BadDigest,
                "The SHA256 you specified did not match the calculated checksum."
            ));
        }
        Ok(())
    }
}

/// The body is shorter or longer than declared.
pub(super) fn incomplete() -> S3Error {
    s3_error!(
        IncompleteBody,
        "You did not provide the number of bytes specified by the Content-Length HTTP header"
    )
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn declarations_that_are_not_emulated_and_bodies_without_a_length_are_rejected() {
        for (length, other_header, expected) in [
            (None, None, "MissingContentLength"),
            (Some("5368709121"), None, "EntityTooLarge"),
            (Some("3"), Some("content-md5"), "NotImplemented"),
            (Some("3"), Some("x-amz-checksum-crc32"), "NotImplemented"),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(length) = length {
                headers.insert(CONTENT_LENGTH, HeaderValue::from_static(length));
            }
            if let Some(name) = other_header {
                headers.insert(name, HeaderValue::from_static("y/Q5Jg=="));
            }

            let error = DeclaredBody::from_headers(&headers).unwrap_err();
            assert_eq!(error.code().as_str(), expected, "{headers:?}");
        }
    }
}
