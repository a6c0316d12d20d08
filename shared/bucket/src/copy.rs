//! Copies that storage makes by itself, however large: at once, or in parts side by side.
//!
//! Invariant: a copy holds the bytes of the object that was seen, from the first to the last, or does not come to be.

use std::ops::RangeInclusive;

use aws_sdk_s3::{
    error::{ProvideErrorMetadata, SdkError},
    types::{ChecksumAlgorithm, CompletedMultipartUpload, CompletedPart, MetadataDirective},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use futures::{StreamExt, TryStreamExt, stream};

use crate::{Bucket, Error, ObjectKey, Seen, seen::has_changed};

/// Largest object of whose copy storage computes the SHA-256, in bytes: 50 MB.
pub const CHECKSUM_MAX_BYTES: u64 = 50 << 20;
/// Bytes of a part, and of the largest object that is copied at once: storage has copied them long before a call ends.
const PART_BYTES: u64 = 128 << 20;
/// Parts that are copied at once: 5 GB take three rounds of them.
const PARTS_AT_ONCE: usize = 16;
/// Bytes of a SHA-256.
const SHA256_BYTES: usize = 32;

/// A copy that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// SHA-256 of all bytes, in lower-case hex; `None` above [`CHECKSUM_MAX_BYTES`].
    pub checksum_sha256: Option<String>,
}

/// Why there is no copy.
enum Uncopied {
    /// The source is not as it was seen.
    Changed,
    Failed(Error),
}

impl<E, R> From<SdkError<E, R>> for Uncopied
where
    E: std::error::Error + ProvideErrorMetadata + Send + Sync + 'static,
    R: std::fmt::Debug + Send + Sync + 'static,
{
    fn from(error: SdkError<E, R>) -> Uncopied {
        if has_changed(&error) { Uncopied::Changed } else { Uncopied::Failed(Error::from_sdk(error)) }
    }
}

impl Bucket {
    /// Copies an object that was seen with this ETag and size, up to 5 GB, and gives the copy a content type. Where it
    /// fails there may be a copy all the same.
    pub async fn copy(
        &self,
        from: &ObjectKey,
        etag: &str,
        size_bytes: u64,
        to: &ObjectKey,
        content_type: &str,
    ) -> Result<Seen<Copied>, Error> {
        let copy = Copy { bucket: self, source: format!("{}/{}", self.name, from.0), etag, to, content_type };
        let copied = if size_bytes <= PART_BYTES {
            copy.at_once(size_bytes).await
        } else {
            copy.in_parts(size_bytes).await.map(|()| Copied { checksum_sha256: None })
        };
        match copied {
            Ok(copied) => Ok(Seen::Same(copied)),
            Err(Uncopied::Changed) => Ok(Seen::Changed),
            Err(Uncopied::Failed(error)) => Err(error),
        }
    }
}

/// A copy to be made.
struct Copy<'a> {
    bucket: &'a Bucket,
    /// Bucket and key; neither has a character that a header would need encoded.
    source: String,
    etag: &'a str,
    to: &'a ObjectKey,
    content_type: &'a str,
}

impl Copy<'_> {
    async fn at_once(&self, size_bytes: u64) -> Result<Copied, Uncopied> {
        let is_summed = size_bytes <= CHECKSUM_MAX_BYTES;
        let copy = self.bucket.client.copy_object().bucket(&self.bucket.name).key(&self.to.0);
        let copy = copy.copy_source(&self.source).copy_source_if_match(self.etag);
        let copy = copy.metadata_directive(MetadataDirective::Replace).content_type(self.content_type);
        let copy = copy.set_checksum_algorithm(is_summed.then_some(ChecksumAlgorithm::Sha256));
        let answer = copy.send().await?;
        let sum = answer.copy_object_result.and_then(|result| result.checksum_sha256);
        let checksum_sha256 = if is_summed { Some(hex_of(sum.as_deref()).map_err(Uncopied::Failed)?) } else { None };
        Ok(Copied { checksum_sha256 })
    }

    async fn in_parts(&self, size_bytes: u64) -> Result<(), Uncopied> {
        let create = self.bucket.client.create_multipart_upload().bucket(&self.bucket.name).key(&self.to.0);
        let created = create.content_type(self.content_type).send().await?;
        let upload = created.upload_id.ok_or_else(|| Uncopied::Failed(Error::refused("an upload without an id")))?;
        let copied = self.copy_parts(size_bytes, &upload).await;
        if copied.is_err() {
            let abort = self.bucket.client.abort_multipart_upload().bucket(&self.bucket.name).key(&self.to.0);
            // Where this fails, or a part arrives later still, the bucket's lifecycle rule removes what is left.
            let _ = abort.upload_id(upload).send().await;
        }
        copied
    }

    async fn copy_parts(&self, size_bytes: u64, upload: &str) -> Result<(), Uncopied> {
        let parts: Vec<_> = parts(size_bytes).map(|(number, positions)| self.part(upload, number, positions)).collect();
        let parts: Vec<CompletedPart> = stream::iter(parts).buffered(PARTS_AT_ONCE).try_collect().await?;
        let parts = CompletedMultipartUpload::builder().set_parts(Some(parts)).build();
        let complete = self.bucket.client.complete_multipart_upload().bucket(&self.bucket.name).key(&self.to.0);
        complete.upload_id(upload).multipart_upload(parts).send().await?;
        Ok(())
    }

    async fn part(&self, upload: &str, number: i32, positions: RangeInclusive<u64>) -> Result<CompletedPart, Uncopied> {
        let range = format!("bytes={}-{}", positions.start(), positions.end());
        let copy = self.bucket.client.upload_part_copy().bucket(&self.bucket.name).key(&self.to.0);
        let copy = copy.upload_id(upload).part_number(number).copy_source(&self.source).copy_source_range(range);
        let copied = copy.copy_source_if_match(self.etag).send().await?;
        let etag = copied.copy_part_result.and_then(|part| part.e_tag);
        Ok(CompletedPart::builder().part_number(number).set_e_tag(etag).build())
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

/// A SHA-256 of all bytes, which storage writes in base64; one of parts' sums has a suffix, and so is none.
fn hex_of(sum: Option<&str>) -> Result<String, Error> {
    let sum = BASE64_STANDARD.decode(sum.unwrap_or_default()).map_err(Error::refused)?;
    if sum.len() == SHA256_BYTES { Ok(hex::encode(sum)) } else { Err(Error::refused("a copy without a SHA-256")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_an_object_whole_and_once() {
        for (size_bytes, expected) in [(PART_BYTES, 1), (PART_BYTES + 1, 2), (2 * PART_BYTES - 1, 2), (5 << 30, 40)] {
            let parts: Vec<_> = parts(size_bytes).collect();
            assert_eq!(parts.len(), expected, "{size_bytes}");
            let mut next = 0;
            for (index, (number, positions)) in parts.iter().enumerate() {
                assert_eq!((*number, *positions.start()), (i32::try_from(index + 1).unwrap(), next));
                next = positions.end() + 1;
            }
            assert_eq!(next, size_bytes);
        }
    }

    #[test]
    fn only_a_sum_of_all_bytes_is_one() {
        let sum = BASE64_STANDARD.encode([0xab; 32]);
        assert_eq!(hex_of(Some(&sum)).unwrap(), "ab".repeat(32));
        for other in [None, Some(String::new()), Some(format!("{sum}-2")), Some("y/Q5Jg==".to_owned())] {
            assert!(hex_of(other.as_deref()).is_err(), "{other:?}");
        }
    }
}
