//! Copies of staged objects, which S3 makes itself: in one call, or in parts.
//!
//! Invariants:
//! - A copy never replaces an object, so a late attempt does not change bytes that were validated.
//! - All parts of a copy are of one version of the source: each part is copied only while the
//!   source has one ETag. This guards against concurrent uploads, but not against two uploads that
//!   a client prepared to have the same MD5. Therefore the copy is validated, not the source.

use std::ops::RangeInclusive;

use aws_sdk_s3::{
    operation::head_object::{HeadObjectError, HeadObjectOutput},
    types::{
        ChecksumAlgorithm, ChecksumMode, CompletedMultipartUpload, CompletedPart, MetadataDirective,
    },
};
use base64::{Engine, prelude::BASE64_STANDARD};
use futures::{StreamExt, TryStreamExt, stream};
use tracing::instrument;

use crate::{
    Bucket, BucketError, ObjectKey,
    error::{NO_SUCH_KEY, PRECONDITION_FAILED, code},
};

/// Maximum size of an object for which S3 computes the SHA-256 of the copy, in bytes: 50 MB.
pub const MAX_CHECKSUM_BYTES: u64 = 50 << 20;
/// Size of a part, and maximum size of an object that is copied in one call, in bytes: S3 copies it
/// well within the timeout of a call.
const PART_BYTES: u64 = 128 << 20;
/// Parts that are copied concurrently: 5 GB take three rounds.
const CONCURRENT_PARTS: usize = 16;
/// Length of a SHA-256, in bytes.
const SHA256_BYTES: usize = 32;
/// Content type of copies, whose actual type is unknown before the validation. Responses use the
/// type in the file's record.
const CONTENT_TYPE: &str = "application/octet-stream";
/// Matches every object (RFC 9110, section 13.1.2).
const ANY: &str = "*";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// SHA-256 of the object in lower-case hex; `None` above [`MAX_CHECKSUM_BYTES`].
    pub checksum_sha256: Option<String>,
}

/// Outcome of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopyOutcome {
    /// The copy exists. Its size may differ from the declared one.
    Copied(Copied),
    /// The source does not exist.
    Absent,
    /// The source does not have the declared size, and was not copied.
    OtherSize,
}

impl Bucket {
    /// Copies an object of up to 5 GB to a new key. `declared_size_bytes` decides whether it is
    /// copied in one call or in parts.
    ///
    /// Fails as busy if the source is replaced during a copy in parts. After an error, the copy may
    /// exist.
    #[instrument(skip_all, fields(from = from.as_str(), to = to.as_str()))]
    pub async fn copy(
        &self,
        from: &ObjectKey,
        declared_size_bytes: u64,
        to: &ObjectKey,
    ) -> Result<CopyOutcome, BucketError> {
        let copy = Copy {
            bucket: self,
            from,
            to,
        };
        if declared_size_bytes <= PART_BYTES {
            copy.in_one_call(declared_size_bytes <= MAX_CHECKSUM_BYTES)
                .await
        } else {
            copy.in_parts(declared_size_bytes).await
        }
    }
}

/// A copy from one key to another.
struct Copy<'a> {
    bucket: &'a Bucket,
    from: &'a ObjectKey,
    to: &'a ObjectKey,
}

/// A multipart upload that a source is copied to.
struct MultipartCopy<'a> {
    copy: &'a Copy<'a>,
    /// ETag that the source must have.
    etag: String,
    /// Id of the multipart upload.
    upload_id: String,
}

/// One part of an object.
struct ObjectPart {
    /// Number of the part, from 1.
    number: i32,
    /// Positions of the first and the last byte.
    positions: RangeInclusive<u64>,
}

impl Copy<'_> {
    /// Returns the value of `x-amz-copy-source`. Keys contain only characters that need no
    /// encoding.
    fn source(&self) -> String {
        format!("{}/{}", self.bucket.name, self.from.0)
    }

    async fn in_one_call(&self, has_checksum: bool) -> Result<CopyOutcome, BucketError> {
        let algorithm = has_checksum.then_some(ChecksumAlgorithm::Sha256);
        let sent = self
            .bucket
            .client
            .copy_object()
            .bucket(&self.bucket.name)
            .key(&self.to.0)
            // "Copies the object only if the object key name at the destination does not already
            // exist", else 412 (S3 API Reference, CopyObject, If-None-Match).
            .if_none_match(ANY)
            .copy_source(self.source())
            .metadata_directive(MetadataDirective::Replace)
            .content_type(CONTENT_TYPE)
            .set_checksum_algorithm(algorithm)
            .send()
            .await;

        let checksum = match sent {
            Ok(response) => response
                .copy_object_result
                .and_then(|result| result.checksum_sha256),
            Err(error) if code(&error) == Some(NO_SUCH_KEY) => return Ok(CopyOutcome::Absent),
            // The key was generated for this copy, so an attempt whose response was lost copied it.
            Err(error) if code(&error) == Some(PRECONDITION_FAILED) => {
                self.checksum_of_copy().await?
            }
            Err(error) => return Err(BucketError::from_sdk(error)),
        };

        let checksum_sha256 = if has_checksum {
            Some(checksum_hex(checksum.as_deref())?)
        } else {
            None
        };
        Ok(CopyOutcome::Copied(Copied { checksum_sha256 }))
    }

    /// Returns the SHA-256 that S3 stores with the copy, in base64.
    async fn checksum_of_copy(&self) -> Result<Option<String>, BucketError> {
        let head = self
            .bucket
            .client
            .head_object()
            .bucket(&self.bucket.name)
            .key(&self.to.0)
            .checksum_mode(ChecksumMode::Enabled)
            .send()
            .await
            .map_err(BucketError::from_sdk)?;
        Ok(head.checksum_sha256)
    }

    async fn in_parts(&self, declared_size_bytes: u64) -> Result<CopyOutcome, BucketError> {
        let Some(source) = self.head_source().await? else {
            return Ok(CopyOutcome::Absent);
        };
        let size_bytes = source
            .content_length
            .and_then(|length| u64::try_from(length).ok());
        if size_bytes != Some(declared_size_bytes) {
            return Ok(CopyOutcome::OtherSize);
        }
        let etag = source
            .e_tag
            .ok_or_else(|| BucketError::rejected("the response of S3 has no ETag"))?;

        let multipart = MultipartCopy {
            copy: self,
            etag,
            upload_id: self.create_upload().await?,
        };
        let copied = multipart.copy_parts(declared_size_bytes).await;
        if copied.is_err() {
            multipart.abort().await;
        }
        copied?;
        Ok(CopyOutcome::Copied(Copied {
            checksum_sha256: None,
        }))
    }

    /// Returns the metadata of the source; `None` if it does not exist.
    async fn head_source(&self) -> Result<Option<HeadObjectOutput>, BucketError> {
        let sent = self
            .bucket
            .client
            .head_object()
            .bucket(&self.bucket.name)
            .key(&self.from.0)
            .send()
            .await;

        match sent {
            Ok(head) => Ok(Some(head)),
            // The response to HEAD has no body, and so no error code (S3 API Reference,
            // HeadObject).
            Err(error)
                if error
                    .as_service_error()
                    .is_some_and(HeadObjectError::is_not_found) =>
            {
                Ok(None)
            }
            Err(error) => Err(BucketError::from_sdk(error)),
        }
    }

    /// Creates a multipart upload. Returns its id.
    async fn create_upload(&self) -> Result<String, BucketError> {
        let created = self
            .bucket
            .client
            .create_multipart_upload()
            .bucket(&self.bucket.name)
            .key(&self.to.0)
            .content_type(CONTENT_TYPE)
            .send()
            .await
            .map_err(BucketError::from_sdk)?;
        created
            .upload_id
            .ok_or_else(|| BucketError::rejected("the response of S3 has no upload id"))
    }
}

impl MultipartCopy<'_> {
    async fn copy_parts(&self, size_bytes: u64) -> Result<(), BucketError> {
        let pending: Vec<_> = parts(size_bytes).map(|part| self.copy_part(part)).collect();
        let completed_parts: Vec<CompletedPart> = stream::iter(pending)
            .buffered(CONCURRENT_PARTS)
            .try_collect()
            .await?;

        let Copy { bucket, to, .. } = self.copy;
        let upload = CompletedMultipartUpload::builder()
            .set_parts(Some(completed_parts))
            .build();
        bucket
            .client
            .complete_multipart_upload()
            .bucket(&bucket.name)
            .key(&to.0)
            .upload_id(&self.upload_id)
            .multipart_upload(upload)
            .send()
            .await
            .map_err(BucketError::from_sdk)?;
        Ok(())
    }

    async fn copy_part(&self, part: ObjectPart) -> Result<CompletedPart, BucketError> {
        let Copy { bucket, to, .. } = self.copy;
        let range = format!("bytes={}-{}", part.positions.start(), part.positions.end());
        let sent = bucket
            .client
            .upload_part_copy()
            .bucket(&bucket.name)
            .key(&to.0)
            .upload_id(&self.upload_id)
            .part_number(part.number)
            .copy_source(self.copy.source())
            .copy_source_range(range)
            .copy_source_if_match(&self.etag)
            .send()
            .await;

        match sent {
            Ok(copied) => {
                let etag = copied.copy_part_result.and_then(|part| part.e_tag);
                Ok(CompletedPart::builder()
                    .part_number(part.number)
                    .set_e_tag(etag)
                    .build())
            }
            // The source was replaced or deleted.
            Err(error) if matches!(code(&error), Some(NO_SUCH_KEY | PRECONDITION_FAILED)) => {
                Err(BucketError::busy(error))
            }
            Err(error) => Err(BucketError::from_sdk(error)),
        }
    }

    /// Aborts the multipart upload. Ignores errors: the bucket's lifecycle rule removes incomplete
    /// uploads, including parts that arrive later.
    async fn abort(&self) {
        let Copy { bucket, to, .. } = self.copy;
        let _ = bucket
            .client
            .abort_multipart_upload()
            .bucket(&bucket.name)
            .key(&to.0)
            .upload_id(&self.upload_id)
            .send()
            .await;
    }
}

/// Returns the parts of an object.
fn parts(size_bytes: u64) -> impl Iterator<Item = ObjectPart> {
    let count = size_bytes.div_ceil(PART_BYTES);
    (1..).zip(0..count).map(move |(number, index)| {
        let first = index * PART_BYTES;
        let end = (first + PART_BYTES).min(size_bytes);
        ObjectPart {
            number,
            positions: first..=end - 1,
        }
    })
}

/// Returns the SHA-256 of a whole object in hex. Fails for the checksum of a multipart object,
/// which has a suffix.
fn checksum_hex(base64: Option<&str>) -> Result<String, BucketError> {
    let checksum = BASE64_STANDARD
        .decode(base64.unwrap_or_default())
        .map_err(BucketError::rejected)?;
    if checksum.len() == SHA256_BYTES {
        Ok(hex::encode(checksum))
    } else {
        Err(BucketError::rejected(
            "the response of S3 has no SHA-256 of the copy",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_an_object_without_gaps_or_overlaps() {
        for (size_bytes, expected) in [
            (PART_BYTES, 1),
            (PART_BYTES + 1, 2),
            (2 * PART_BYTES - 1, 2),
            (5 << 30, 40),
        ] {
            let parts: Vec<ObjectPart> = parts(size_bytes).collect();

            assert_eq!(parts.len(), expected, "{size_bytes}");
            let mut next = 0;
            for (part, number) in parts.iter().zip(1..) {
                assert_eq!(part.number, number);
                assert_eq!(*part.positions.start(), next);
                next = part.positions.end() + 1;
            }
            assert_eq!(next, size_bytes);
        }
    }

    #[test]
    fn only_the_checksum_of_a_whole_object_is_accepted() {
        let checksum = BASE64_STANDARD.encode([0xab; 32]);
        assert_eq!(checksum_hex(Some(&checksum)).unwrap(), "ab".repeat(32));

        for invalid in [
            None,
            Some(String::new()),
            Some(format!("{checksum}-2")),
            Some("y/Q5Jg==".to_owned()),
        ] {
            assert!(checksum_hex(invalid.as_deref()).is_err(), "{invalid:?}");
        }
    }
}
