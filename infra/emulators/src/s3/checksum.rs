//! S3's checksums: the algorithms, and what is kept of them.
//!
//! Invariant: a checksum that is kept was computed here, over the bytes that are kept.

use http::{HeaderMap, HeaderName, HeaderValue};
use md5::{Digest, Md5};
use s3s::{
    checksum::ChecksumHasher,
    crypto::{Checksum as _, Crc32, Crc32c, Crc64Nvme, Sha1, Sha256},
    dto,
};
use serde::{Deserialize, Serialize};

/// An algorithm that S3 offers.
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

    /// What S3 computes by itself where the client names none.
    pub(super) const DEFAULT: Algorithm = Algorithm::Crc64Nvme;

    /// As in `x-amz-sdk-checksum-algorithm`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Algorithm::Crc32 => "CRC32",
            Algorithm::Crc32c => "CRC32C",
            Algorithm::Crc64Nvme => "CRC64NVME",
            Algorithm::Sha1 => "SHA1",
            Algorithm::Sha256 => "SHA256",
        }
    }

    /// The header, or trailer, that carries it.
    pub(super) fn header(self) -> HeaderName {
        HeaderName::from_static(match self {
            Algorithm::Crc32 => "x-amz-checksum-crc32",
            Algorithm::Crc32c => "x-amz-checksum-crc32c",
            Algorithm::Crc64Nvme => "x-amz-checksum-crc64nvme",
            Algorithm::Sha1 => "x-amz-checksum-sha1",
            Algorithm::Sha256 => "x-amz-checksum-sha256",
        })
    }

    /// Bytes of its sum.
    pub(super) fn length_bytes(self) -> usize {
        match self {
            Algorithm::Crc32 | Algorithm::Crc32c => 4,
            Algorithm::Crc64Nvme => 8,
            Algorithm::Sha1 => 20,
            Algorithm::Sha256 => 32,
        }
    }

    /// The algorithm of this name.
    pub(super) fn named(name: &str) -> Option<Algorithm> {
        Algorithm::ALL
            .into_iter()
            .find(|algorithm| algorithm.name().eq_ignore_ascii_case(name))
    }
}

/// What a multipart object's checksum covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Coverage {
    /// All bytes.
    FullObject,
    /// The checksums of the parts.
    Composite,
}

impl Coverage {
    /// As in `x-amz-checksum-type`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Coverage::FullObject => dto::ChecksumType::FULL_OBJECT,
            Coverage::Composite => dto::ChecksumType::COMPOSITE,
        }
    }
}

/// A checksum as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Checksum {
    pub(super) algorithm: Algorithm,
    /// Of all bytes, base64.
    pub(super) value: String,
    /// Of the checksums of the parts, with their number behind it, where that is what S3 tells.
    pub(super) composite: Option<String>,
}

impl Checksum {
    /// What S3 tells, and what it covers.
    pub(super) fn told(&self) -> (&str, Coverage) {
        match &self.composite {
            Some(value) => (value, Coverage::Composite),
            None => (&self.value, Coverage::FullObject),
        }
    }

    /// Sets it on an answer about an object.
    pub(super) fn write(&self, headers: &mut HeaderMap) {
        self.write_value(headers);
        headers.insert(
            "x-amz-checksum-type",
            HeaderValue::from_static(self.told().1.name()),
        );
    }

    /// Sets it on an answer about a part.
    pub(super) fn write_value(&self, headers: &mut HeaderMap) {
        // Base64 is always a valid header.
        if let Ok(value) = HeaderValue::try_from(self.told().0) {
            headers.insert(self.algorithm.header(), value);
        }
    }

    /// For answers in XML.
    pub(super) fn to_dto(&self) -> dto::Checksum {
        let (value, coverage) = self.told();
        let mut answer = dto::Checksum {
            checksum_type: Some(dto::ChecksumType::from_static(coverage.name())),
            ..dto::Checksum::default()
        };
        *field(&mut answer, self.algorithm) = Some(value.to_owned());
        answer
    }
}

/// The field of an XML structure that an algorithm's sum stands in.
pub(super) fn field(sums: &mut dto::Checksum, algorithm: Algorithm) -> &mut Option<String> {
    match algorithm {
        Algorithm::Crc32 => &mut sums.checksum_crc32,
        Algorithm::Crc32c => &mut sums.checksum_crc32c,
        Algorithm::Crc64Nvme => &mut sums.checksum_crc64nvme,
        Algorithm::Sha1 => &mut sums.checksum_sha1,
        Algorithm::Sha256 => &mut sums.checksum_sha256,
    }
}

/// Sums up bytes as they pass: the MD5 that becomes the ETag, and one checksum.
pub(super) struct Hasher {
    md5: Md5,
    algorithm: Algorithm,
    checksum: ChecksumHasher,
}

/// What a [`Hasher`] found.
#[derive(Clone, Debug)]
pub(super) struct Sums {
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

    pub(super) fn finish(self) -> Sums {
        let value = field(&mut self.checksum.finalize(), self.algorithm)
            .take()
            .unwrap_or_default();
        let checksum = Checksum {
            algorithm: self.algorithm,
            value,
            composite: None,
        };
        Sums {
            md5: self.md5.finalize().into(),
            checksum,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_sums_up_the_check_string() {
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
            let sums = hasher.finish();
            assert_eq!(hex::encode(sums.md5), "25f9e794323b453885f5181f1b624d0b");
            assert_eq!(sums.checksum.value, expected, "{algorithm:?}");
        }
    }
}
