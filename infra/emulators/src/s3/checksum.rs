//! The MD5 and SHA-256 of objects.
//!
//! Invariant: a stored SHA-256 was computed here, over the stored bytes.

use std::io::{self, Read};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
// Hashes objects with the code of `s3s`, which dev builds optimise. `md5::Md5` would be compiled
// for this crate.
use base64::{Engine, prelude::BASE64_STANDARD};
use s3s::{
    crypto::{Checksum as _, Md5, Sha256},
    dto::ChecksumType,
};

use super::blob::BlobWriter;

/// Header with the SHA-256, in base64.
pub(super) const SHA256: HeaderName = HeaderName::from_static("x-amz-checksum-sha256");

/// Bytes that are copied at once.
const CHUNK_BYTES: u64 = 1024 * 1024;

/// Computes the MD5 for the ETag, and the SHA-256 if it is needed.
pub(super) struct Hasher {
    md5: Md5,
    sha256: Option<Sha256>,
}

/// The result of a [`Hasher`].
#[derive(Clone, Debug)]
pub(super) struct Digests {
    pub(super) md5: [u8; 16],
    /// In base64.
    pub(super) sha256: Option<String>,
}

impl Hasher {
    pub(super) fn new(has_sha256: bool) -> Hasher {
        Hasher {
            md5: Md5::new(),
            sha256: has_sha256.then(Sha256::new),
        }
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.md5.update(bytes);
        if let Some(sha256) = &mut self.sha256 {
            sha256.update(bytes);
        }
    }

    /// Copies all bytes of `source` to a new file, and adds them to the digests. Blocks.
    pub(super) fn copy(
        &mut self,
        mut source: impl Read,
        writer: &mut BlobWriter,
    ) -> io::Result<()> {
        loop {
            let mut chunk = Vec::new();
            let read_bytes = source.by_ref().take(CHUNK_BYTES).read_to_end(&mut chunk)?;
            if read_bytes == 0 {
                return Ok(());
            }
            self.update(&chunk);
            writer.write(&[Bytes::from(chunk)])?;
        }
    }

    pub(super) fn finish(self) -> Digests {
        let sha256 = self.sha256.map(Sha256::finalize);
        Digests {
            md5: self.md5.finalize(),
            sha256: sha256.map(|digest| BASE64_STANDARD.encode(digest)),
        }
    }
}

/// Writes the headers of a stored SHA-256 to a response.
pub(super) fn write_sha256(sha256: Option<&str>, headers: &mut HeaderMap) {
    // Base64 is always a valid header.
    if let Some(Ok(value)) = sha256.map(HeaderValue::try_from) {
        headers.insert(SHA256, value);
        let full_object = HeaderValue::from_static(ChecksumType::FULL_OBJECT);
        headers.insert("x-amz-checksum-type", full_object);
    }
}
