//! S3's checksum algorithms.
//!
//! Invariant: a stored checksum was computed here, over the stored bytes.

use http::{HeaderMap, HeaderName, HeaderValue};
// Hashes objects with the code of `s3s`, which dev builds optimise. `md5::Md5` would be compiled for this crate.
use s3s::{
    checksum::ChecksumHasher,
    crypto::{Checksum as _, Crc32, Crc32c, Crc64Nvme, Md5, Sha1, Sha256},
    dto,
};
use serde::{Deserialize, Serialize};

/// A checksum algorithm of S3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Algorithm {
    Crc32,
    Crc32c,
    Crc64Nvme,
    Sha1,
    Sha256,
}

impl Algorithm {
    pub(super) const ALL: [Algorithm; 5] = [
        Algorithm::Crc32,
        Algorithm::Crc32c,
        Algorithm::Crc64Nvme,
        Algorithm::Sha1,
        Algorithm::Sha256,
    ];

    /// Algorithm of S3 if the client names none.
    pub(super) const DEFAULT: Algorithm = Algorithm::Crc64Nvme;

    /// Returns the name in `x-amz-sdk-checksum-algorithm`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Algorithm::Crc32 => "CRC32",
            Algorithm::Crc32c => "CRC32C",
            Algorithm::Crc64Nvme => "CRC64NVME",
            Algorithm::Sha1 => "SHA1",
            Algorithm::Sha256 => "SHA256",
        }
    }

    /// Returns the header or trailer with the checksum.
    pub(super) fn header(self) -> HeaderName {
        HeaderName::from_static(match self {
            Algorithm::Crc32 => "x-amz-checksum-crc32",
            Algorithm::Crc32c => "x-amz-checksum-crc32c",
            Algorithm::Crc64Nvme => "x-amz-checksum-crc64nvme",
            Algorithm::Sha1 => "x-amz-checksum-sha1",
            Algorithm::Sha256 => "x-amz-checksum-sha256",
        })
    }

    /// Returns the length of a checksum, in bytes.
    pub(super) fn length_bytes(self) -> usize {
        match self {
            Algorithm::Crc32 | Algorithm::Crc32c => 4,
            Algorithm::Crc64Nvme => 8,
            Algorithm::Sha1 => 20,
            Algorithm::Sha256 => 32,
        }
    }

    /// Returns the algorithm with this name, ignoring case.
    pub(super) fn named(name: &str) -> Option<Algorithm> {
        Algorithm::ALL
            .into_iter()
            .find(|algorithm| algorithm.name().eq_ignore_ascii_case(name))
    }
}

/// What the checksum of a multipart object covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Coverage {
    /// All bytes of the object.
    FullObject,
    /// The checksums of the parts.
    Composite,
}

impl Coverage {
    /// Returns the name in `x-amz-checksum-type`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Coverage::FullObject => dto::ChecksumType::FULL_OBJECT,
            Coverage::Composite => dto::ChecksumType::COMPOSITE,
        }
    }
}

/// The checksum of an object or part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Checksum {
    pub(super) algorithm: Algorithm,
    /// Of all bytes, in base64.
    pub(super) value: String,
    /// Of the checksums of the parts, followed by the number of parts. `Some` if responses contain
    /// it instead of `value`.
    pub(super) composite_value: Option<String>,
}

impl Checksum {
    /// Returns the value for responses.
    pub(super) fn value(&self) -> &str {
        self.composite_value.as_ref().unwrap_or(&self.value)
    }

    /// Returns what [`Checksum::value`] covers.
    fn coverage(&self) -> Coverage {
        if self.composite_value.is_some() {
            Coverage::Composite
        } else {
            Coverage::FullObject
        }
    }

    /// Writes the headers of a response about an object.
    pub(super) fn write(&self, headers: &mut HeaderMap) {
        self.write_value(headers);
        headers.insert(
            "x-amz-checksum-type",
            HeaderValue::from_static(self.coverage().name()),
        );
    }

    /// Writes the header of a response about a part.
    pub(super) fn write_value(&self, headers: &mut HeaderMap) {
        // Base64 is always a valid header.
        if let Ok(value) = HeaderValue::try_from(self.value()) {
            headers.insert(self.algorithm.header(), value);
        }
    }

    /// Converts it for responses in XML.
    pub(super) fn to_dto(&self) -> dto::Checksum {
        let mut checksum = dto::Checksum {
            checksum_type: Some(dto::ChecksumType::from_static(self.coverage().name())),
            ..dto::Checksum::default()
        };
        *field(&mut checksum, self.algorithm) = Some(self.value().to_owned());
        checksum
    }
}

/// Returns the field of an algorithm's checksum.
pub(super) fn field(checksums: &mut dto::Checksum, algorithm: Algorithm) -> &mut Option<String> {
    match algorithm {
        Algorithm::Crc32 => &mut checksums.checksum_crc32,
        Algorithm::Crc32c => &mut checksums.checksum_crc32c,
        Algorithm::Crc64Nvme => &mut checksums.checksum_crc64nvme,
        Algorithm::Sha1 => &mut checksums.checksum_sha1,
        Algorithm::Sha256 => &mut checksums.checksum_sha256,
    }
}

/// Computes the MD5 for the ETag, and one checksum.
pub(super) struct Hasher {
    md5: Md5,
    algorithm: Algorithm,
    checksum: ChecksumHasher,
}

/// The result of a [`Hasher`].
#[derive(Clone, Debug)]
pub(super) struct Digests {
    pub(super) md5: [u8; 16],
    pub(super) checksum: Checksum,
}

impl Hasher {
    pub(super) fn new(algorithm: Algorithm) -> Hasher {
        let mut checksum = ChecksumHasher::default();
        match algorithm {
            Algorithm::Crc32 => checksum.crc32 = Some(Crc32::new()),
            Algorithm::Crc32c => checksum.crc32c = Some(Crc32c::new()),
            Algorithm::Crc64Nvme => checksum.crc64nvme = Some(Crc64Nvme::new()),
            Algorithm::Sha1 => checksum.sha1 = Some(Sha1::new()),
            Algorithm::Sha256 => checksum.sha256 = Some(Sha256::new()),
        }

        Hasher {
            md5: Md5::new(),
            algorithm,
            checksum,
        }
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.md5.update(bytes);
        self.checksum.update(bytes);
    }

    pub(super) fn finish(self) -> Digests {
        let mut finalized = self.checksum.finalize();
        let value = field(&mut finalized, self.algorithm)
            .take()
            .unwrap_or_default();
        let checksum = Checksum {
            algorithm: self.algorithm,
            value,
            composite_value: None,
        };

        Digests {
            md5: self.md5.finalize(),
            checksum,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn algorithms_match_published_check_values() {
        for (algorithm, expected) in [
            (Algorithm::Crc32, "y/Q5Jg=="),
            (Algorithm::Crc32c, "4waSgw=="),
            (Algorithm::Crc64Nvme, "rosUhgp5mIg="),
            (Algorithm::Sha1, "98O8HYCOBHMq32eZZczDTKeuNEE="),
            (
                Algorithm::Sha256,
                "FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU=",
            ),
        ] {
            let mut hasher = Hasher::new(algorithm);
            hasher.update(b"12345");
            hasher.update(b"6789");
            let digests = hasher.finish();
            assert_eq!(hex::encode(digests.md5), "25f9e794323b453885f5181f1b624d0b");
            assert_eq!(digests.checksum.value, expected, "{algorithm:?}");
        }
    }
}
