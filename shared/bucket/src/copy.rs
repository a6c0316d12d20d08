//! Copies of what a client sent to a presigned URL, made by S3 itself: at once, or in parts.
//!
//! Invariants:
//! - A copy never replaces an object, so an attempt that takes effect late changes nothing that was
//!   validated since.
//! - A copy in parts is of one upload: each part is copied only while the source has one ETag. That
//!   guards against uploads that meet by chance; a client that prepares two uploads of one MD5 can
//!   mix them, so it is the copy that has to be validated.

use std::ops::RangeInclusive;

use aws_sdk_s3::{
    operation::head_object::HeadObjectError,
    types::{
        ChecksumAlgorithm, ChecksumMode, CompletedMultipartUpload, CompletedPart, MetadataDirective,
    },
};
use base64::{Engine, prelude::BASE64_STANDARD};
use futures::{StreamExt, TryStreamExt, stream};
use tracing::instrument;

use crate::{ABSENT, Bucket, BucketError, ObjectKey, PRECONDITION_FAILED, code};

/// Largest object of whose copy S3 computes the SHA-256, in bytes: 50 MB.
pub const CHECKSUM_MAX_BYTES: u64 = 50 << 20;
/// Size of a part, and of the largest object that is copied at once, in bytes: S3 has copied them
/// long before a call ends.
const PART_BYTES: u64 = 128 << 20;
/// Parts that are copied concurrently: 5 GB take three rounds of them.
const PARTS_AT_ONCE: usize = 16;
/// Length of a SHA-256, in bytes.
const SHA256_BYTES: usize = 32;
/// Content type of copies, whose type is unknown until they are validated. Responses take theirs
/// from the file's record.
const CONTENT_TYPE: &str = "application/octet-stream";
/// Matches every object (RFC 9110, section 13.1.2).
const ANY: &str = "*";

/// A finished copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// SHA-256 of all bytes, in lower-case hex; `None` above [`CHECKSUM_MAX_BYTES`].
    pub checksum_sha256: Option<String>,
}

/// Outcome of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopyOutcome {
    /// The copy exists. Its size may differ from the declared one.
    Copied(Copied),
    /// The source does not exist.
    Absent,
    /// The source has another size than declared, and was not copied.
    OtherSize,
}

impl Bucket {
    /// Copies the object that exists under `from` when the copy begins, up to 5 GB, to a key that
    /// no object has.
    ///
    /// `declared_size_bytes` decides how it is copied. After an error there may be a copy all the
    /// same. Fails as busy if the source is replaced while it is copied in parts.
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
            copy.at_once(declared_size_bytes <= CHECKSUM_MAX_BYTES)
                .await
        } else {
            copy.in_parts(declared_size_bytes).await
        }
    }
}

struct Copy<'a> {
    bucket: &'a Bucket,
    from: &'a ObjectKey,
    to: &'a ObjectKey,
}

impl Copy<'_> {
    /// Returns the source as `x-amz-copy-source` names it; no key has a character that a header
    /// would need encoded.
    fn source(&self) -> String {
        format!("{}/{}", self.bucket.name, self.from.0)
    }

    async fn at_once(&self, is_summed: bool) -> Result<CopyOutcome, BucketError> {
        // "Copies the object only if the object key name at the destination does not already
        // exist", else 412 (S3 API Reference, CopyObject, If-None-Match).
        let copy = self
            .bucket
            .client
            .copy_object()
            .bucket(&self.bucket.name)
            .key(&self.to.0)
            .if_none_match(ANY);
        let copy = copy.copy_source(self.source());
        let copy = copy
            .metadata_directive(MetadataDirective::Replace)
            .content_type(CONTENT_TYPE);
        let copy = copy.set_checksum_algorithm(is_summed.then_some(ChecksumAlgorithm::Sha256));

        let sum = match copy.send().await {
            Ok(answer) => answer
                .copy_object_result
                .and_then(|result| result.checksum_sha256),
            Err(error) if code(&error) == Some(ABSENT) => return Ok(CopyOutcome::Absent),
            // The key is drawn for this copy: an earlier attempt, whose answer was lost, has copied
            // it.
            Err(error) if code(&error) == Some(PRECONDITION_FAILED) => self.sum_of_copy().await?,
            Err(error) => return Err(BucketError::from_sdk(error)),
        };

        let checksum_sha256 = if is_summed {
            Some(hex_of(sum.as_deref())?)
        } else {
            None
        };
        Ok(CopyOutcome::Copied(Copied { checksum_sha256 }))
    }

    /// Returns the SHA-256 that S3 keeps with the copy, in base64.
    async fn sum_of_copy(&self) -> Result<Option<String>, BucketError> {
        let head = self
            .bucket
            .client
            .head_object()
            .bucket(&self.bucket.name)
            .key(&self.to.0);
        let head = head
            .checksum_mode(ChecksumMode::Enabled)
            .send()
            .await
            .map_err(BucketError::from_sdk)?;
        Ok(head.checksum_sha256)
    }

    async fn in_parts(&self, declared_size_bytes: u64) -> Result<CopyOutcome, BucketError> {
        let head = self
            .bucket
            .client
            .head_object()
            .bucket(&self.bucket.name)
            .key(&self.from.0);
        let source = match head.send().await {
            Ok(source) => source,
            // The answer to HEAD has no body, and so no code (S3 API Reference, HeadObject).
            Err(error)
                if error
                    .as_service_error()
                    .is_some_and(HeadObjectError::is_not_found) =>
            {
                return Ok(CopyOutcome::Absent);
            }
            Err(error) => return Err(BucketError::from_sdk(error)),
        };
        if source
            .content_length
            .and_then(|length| u64::try_from(length).ok())
            != Some(declared_size_bytes)
        {
            return Ok(CopyOutcome::OtherSize);
        }
        let etag = source
            .e_tag
            .ok_or_else(|| BucketError::refused("the answer does not tell the object's ETag"))?;

        let create = self
            .bucket
            .client
            .create_multipart_upload()
            .bucket(&self.bucket.name)
            .key(&self.to.0);
        let created = create
            .content_type(CONTENT_TYPE)
            .send()
            .await
            .map_err(BucketError::from_sdk)?;
        let upload = created
            .upload_id
            .ok_or_else(|| BucketError::refused("an upload without an id"))?;

        let copied = self.copy_parts(declared_size_bytes, &etag, &upload).await;
        if copied.is_err() {
            let abort = self
                .bucket
                .client
                .abort_multipart_upload()
                .bucket(&self.bucket.name)
                .key(&self.to.0);
            // Where this fails, or a part arrives later still, the bucket's lifecycle rule removes
            // what is left.
            let _ = abort.upload_id(upload).send().await;
        }
        copied.map(|()| {
            CopyOutcome::Copied(Copied {
                checksum_sha256: None,
            })
        })
    }

    async fn copy_parts(
        &self,
        size_bytes: u64,
        etag: &str,
        upload: &str,
    ) -> Result<(), BucketError> {
        let parts: Vec<_> = parts(size_bytes)
            .map(|(number, positions)| self.part(etag, upload, number, positions))
            .collect();
        let parts: Vec<CompletedPart> = stream::iter(parts)
            .buffered(PARTS_AT_ONCE)
            .try_collect()
            .await?;
        let parts = CompletedMultipartUpload::builder()
            .set_parts(Some(parts))
            .build();

        let complete = self
            .bucket
            .client
            .complete_multipart_upload()
            .bucket(&self.bucket.name)
            .key(&self.to.0);
        complete
            .upload_id(upload)
            .multipart_upload(parts)
            .send()
            .await
            .map_err(BucketError::from_sdk)?;
        Ok(())
    }

    async fn part(
        &self,
        etag: &str,
        upload: &str,
        number: i32,
        positions: RangeInclusive<u64>,
    ) -> Result<CompletedPart, BucketError> {
        let range = format!("bytes={}-{}", positions.start(), positions.end());
        let copy = self
            .bucket
            .client
            .upload_part_copy()
            .bucket(&self.bucket.name)
            .key(&self.to.0);
        let copy = copy
            .upload_id(upload)
            .part_number(number)
            .copy_source(self.source())
            .copy_source_range(range);

        match copy.copy_source_if_match(etag).send().await {
            Ok(copied) => {
                let etag = copied.copy_part_result.and_then(|part| part.e_tag);
                Ok(CompletedPart::builder()
                    .part_number(number)
                    .set_e_tag(etag)
                    .build())
            }
            Err(error) if matches!(code(&error), Some(ABSENT | PRECONDITION_FAILED)) => {
                Err(BucketError::Busy(error.into()))
            }
            Err(error) => Err(BucketError::from_sdk(error)),
        }
    }
}
/// The parts of an object, by number, with the positions of their first and last bytes.
fn parts(size_bytes: u64) -> impl Iterator<Item = (i32, RangeInclusive<u64>)> {
    let count = size_bytes.div_ceil(PART_BYTES);
    (1..).zip(0..count).map(move |(number, part)| {
        let first = part * PART_BYTES;
        (number, first..=(first + PART_BYTES).min(size_bytes) - 1)
    })
}

/// A SHA-256 of all bytes, which storage writes in base64; one of parts' sums has a suffix, and so
/// is none.
fn hex_of(sum: Option<&str>) -> Result<String, BucketError> {
    let sum = BASE64_STANDARD
        .decode(sum.unwrap_or_default())
        .map_err(BucketError::refused)?;
    if sum.len() == SHA256_BYTES {
        Ok(hex::encode(sum))
    } else {
        Err(BucketError::refused("a copy without a SHA-256"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_an_object_whole_and_once() {
        for (size_bytes, expected) in [
            (PART_BYTES, 1),
            (PART_BYTES + 1, 2),
            (2 * PART_BYTES - 1, 2),
            (5 << 30, 40),
        ] {
            let parts: Vec<_> = parts(size_bytes).collect();
            assert_eq!(parts.len(), expected, "{size_bytes}");
            let mut next = 0;
            for (index, (number, positions)) in parts.iter().enumerate() {
                assert_eq!(
                    (*number, *positions.start()),
                    (i32::try_from(index + 1).unwrap(), next)
                );
                next = positions.end() + 1;
            }
            assert_eq!(next, size_bytes);
        }
    }

    #[test]
    fn only_a_sum_of_all_bytes_is_one() {
        let sum = BASE64_STANDARD.encode([0xab; 32]);
        assert_eq!(hex_of(Some(&sum)).unwrap(), "ab".repeat(32));
        for other in [
            None,
            Some(String::new()),
            Some(format!("{sum}-2")),
            Some("y/Q5Jg==".to_owned()),
        ] {
            assert!(hex_of(other.as_deref()).is_err(), "{other:?}");
        }
    }
}
