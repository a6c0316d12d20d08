//! The checksum of a multipart upload.

use s3s::{
    S3Result,
    dto::{ChecksumAlgorithm, ChecksumType},
    s3_error,
};
use serde::{Deserialize, Serialize};

use super::checksum::{Algorithm, Coverage};

/// The checksum that the completed object will have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ChecksumPlan {
    pub(super) algorithm: Algorithm,
    pub(super) coverage: Coverage,
    /// Whether the client chose it. If so, every part requires a checksum.
    pub(super) chosen: bool,
}

impl ChecksumPlan {
    /// Determines the checksum by the algorithm and type in the request. Fails if S3 does not
    /// support the combination.
    pub(super) fn new(
        algorithm: Option<&ChecksumAlgorithm>,
        coverage: Option<&ChecksumType>,
    ) -> S3Result<ChecksumPlan> {
        let Some(algorithm) = algorithm else {
            if coverage.is_some() {
                return Err(s3_error!(
                    InvalidRequest,
                    "The x-amz-checksum-type header can only be used with x-amz-checksum-algorithm."
                ));
            }
            return Ok(ChecksumPlan {
                algorithm: Algorithm::DEFAULT,
                coverage: Coverage::FullObject,
                chosen: false,
            });
        };

        let algorithm = Algorithm::named(algorithm.as_str()).ok_or_else(|| {
            s3_error!(
                InvalidRequest,
                "Checksum algorithm provided is unsupported."
            )
        })?;
        Ok(ChecksumPlan {
            algorithm,
            coverage: chosen_coverage(algorithm, coverage)?,
            chosen: true,
        })
    }

    /// Returns the algorithm for responses, if the client chose it.
    pub(super) fn algorithm_dto(self) -> Option<ChecksumAlgorithm> {
        self.chosen
            .then(|| ChecksumAlgorithm::from_static(self.algorithm.name()))
    }

    /// Returns the coverage for responses, if the client chose the algorithm.
    pub(super) fn coverage_dto(self) -> Option<ChecksumType> {
        self.chosen
            .then(|| ChecksumType::from_static(self.coverage.name()))
    }
}

fn chosen_coverage(algorithm: Algorithm, requested: Option<&ChecksumType>) -> S3Result<Coverage> {
    let coverage = match requested.map(ChecksumType::as_str) {
        None => match algorithm {
            Algorithm::Crc64Nvme => Coverage::FullObject,
            _ => Coverage::Composite,
        },
        Some(ChecksumType::FULL_OBJECT) => Coverage::FullObject,
        Some(ChecksumType::COMPOSITE) => Coverage::Composite,
        Some(_) => {
            return Err(s3_error!(
                InvalidRequest,
                "Value for x-amz-checksum-type header is invalid."
            ));
        }
    };

    match (algorithm, coverage) {
        (Algorithm::Crc64Nvme, Coverage::Composite)
        | (Algorithm::Sha1 | Algorithm::Sha256, Coverage::FullObject) => Err(s3_error!(
            InvalidRequest,
            "The checksum type cannot be used with this checksum algorithm."
        )),
        _ => Ok(coverage),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(
        algorithm: Option<&'static str>,
        coverage: Option<&'static str>,
    ) -> Option<ChecksumPlan> {
        let algorithm = algorithm.map(ChecksumAlgorithm::from_static);
        let coverage = coverage.map(ChecksumType::from_static);
        ChecksumPlan::new(algorithm.as_ref(), coverage.as_ref()).ok()
    }

    fn chosen(algorithm: Algorithm, coverage: Coverage) -> ChecksumPlan {
        ChecksumPlan {
            algorithm,
            coverage,
            chosen: true,
        }
    }

    #[test]
    fn default_is_crc64nvme_of_the_full_object() {
        let expected = ChecksumPlan {
            algorithm: Algorithm::Crc64Nvme,
            coverage: Coverage::FullObject,
            chosen: false,
        };
        assert_eq!(plan(None, None), Some(expected));
    }

    #[test]
    fn coverage_defaults_to_composite_where_the_algorithm_supports_it() {
        let composite_crc32 = chosen(Algorithm::Crc32, Coverage::Composite);
        assert_eq!(plan(Some("CRC32"), None), Some(composite_crc32));

        let full_crc32 = chosen(Algorithm::Crc32, Coverage::FullObject);
        assert_eq!(plan(Some("CRC32"), Some("FULL_OBJECT")), Some(full_crc32));

        let composite_sha256 = chosen(Algorithm::Sha256, Coverage::Composite);
        assert_eq!(plan(Some("SHA256"), None), Some(composite_sha256));

        let full_crc64 = chosen(Algorithm::Crc64Nvme, Coverage::FullObject);
        assert_eq!(plan(Some("CRC64NVME"), None), Some(full_crc64));
    }

    #[test]
    fn unsupported_combinations_are_rejected() {
        assert_eq!(plan(None, Some("COMPOSITE")), None);
        assert_eq!(plan(Some("SHA256"), Some("FULL_OBJECT")), None);
        assert_eq!(plan(Some("CRC64NVME"), Some("COMPOSITE")), None);
        assert_eq!(plan(Some("MD5"), None), None);
    }
}
