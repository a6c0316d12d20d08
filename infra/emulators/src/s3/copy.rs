//! `CopyObject` and `UploadPartCopy`.
//!
//! Invariants:
//! - The copied bytes are those of the object that the conditions were evaluated for.
//! - A copy of a whole object shares its file, unless its SHA-256 is required: files never
//!   change.

use std::{
    io::{Read, Seek, SeekFrom},
    sync::Arc,
};

use http::HeaderMap;
use rusqlite::Connection;
use s3s::{
    S3Request, S3Response, S3Result,
    dto::{
        ChecksumAlgorithm, ChecksumType, CopyObjectInput, CopyObjectOutput, CopyObjectResult,
        CopyPartResult, CopySource, ETag, ETagCondition, MetadataDirective, UploadPartCopyInput,
        UploadPartCopyOutput,
    },
    s3_error,
};

use super::{
    checksum::Hasher,
    condition::{ConditionOutcome, ReadCondition, WriteCondition},
    declared_body::BODY_BYTES_MAX,
    error::{OperationError, no_such_key, not_emulated, precondition_failed},
    multipart::{PartTarget, check_number},
    object_headers::ObjectHeaders,
    object_rows::{self, ObjectLocation, StoredObject},
    put,
    range::ByteSpan,
    receive::ReceivedBody,
    store::ObjectStore,
    upload_rows::UploadId,
};

/// Copies an object, with new headers.
pub(super) async fn copy(
    store: &Arc<ObjectStore>,
    request: S3Request<CopyObjectInput>,
) -> S3Result<S3Response<CopyObjectOutput>> {
    let S3Request { headers, input, .. } = request;
    reject_other_conditions(&headers)?;
    let directive = input.metadata_directive.as_ref();
    if directive.map(MetadataDirective::as_str) != Some(MetadataDirective::REPLACE) {
        return Err(not_emulated("copies of headers"));
    }
    let algorithm = input.checksum_algorithm.as_ref();
    let has_sha256 = match algorithm.map(ChecksumAlgorithm::as_str) {
        None => false,
        Some(ChecksumAlgorithm::SHA256) => true,
        Some(_) => return Err(not_emulated("checksums other than SHA256")),
    };

    let copy = ObjectCopy {
        source: Source {
            location: source_location(store, &input.copy_source)?,
            if_match: input.copy_source_if_match,
        },
        target: put::target(store, input.bucket, input.key)?,
        condition: WriteCondition::from_headers(&headers)?,
        headers: ObjectHeaders::from_headers(&headers)?,
    };
    let object = store
        .blocking(move |store| {
            if has_sha256 {
                copy.copy_bytes(store)
            } else {
                copy.share_file(store)
            }
        })
        .await?;

    let full_object = || ChecksumType::from_static(ChecksumType::FULL_OBJECT);
    let result = CopyObjectResult {
        e_tag: Some(object.tag()),
        last_modified: Some(object.last_modified()),
        checksum_type: object.sha256.as_ref().map(|_| full_object()),
        checksum_sha256: object.sha256,
        ..CopyObjectResult::default()
    };
    Ok(S3Response::new(CopyObjectOutput {
        copy_object_result: Some(result),
        ..CopyObjectOutput::default()
    }))
}

/// Fails if a request has another condition on the source than its ETag.
fn reject_other_conditions(headers: &HeaderMap) -> S3Result<()> {
    for name in [
        "x-amz-copy-source-if-none-match",
        "x-amz-copy-source-if-modified-since",
        "x-amz-copy-source-if-unmodified-since",
    ] {
        if headers.contains_key(name) {
            return Err(not_emulated(name));
        }
    }
    Ok(())
}

/// The source of a copy, and the ETag that it must have.
struct Source {
    location: ObjectLocation,
    if_match: Option<ETagCondition>,
}

/// A requested copy of an object.
struct ObjectCopy {
    source: Source,
    target: ObjectLocation,
    condition: WriteCondition,
    headers: ObjectHeaders,
}

impl ObjectCopy {
    /// Copies the bytes and computes their SHA-256.
    fn copy_bytes(self, store: &ObjectStore) -> Result<StoredObject, OperationError> {
        let body = self.source.copy_bytes(store, None, Hasher::new(true))?;
        store.replace(&self.target, self.condition, |_| {
            put::object(store, body, self.headers)
        })
    }

    /// Creates an object with the file of the source.
    fn share_file(self, store: &ObjectStore) -> Result<StoredObject, OperationError> {
        store.replace(&self.target, self.condition, |transaction| {
            let source = self.source.find(transaction)?;
            check_size(source.size_bytes)?;

            // As after an upload without parts: the ETag is the MD5.
            Ok(StoredObject {
                etag: store.etag(&source.md5, source.size_bytes),
                modified_ms: store.clock.now_ms(),
                headers: self.headers,
                sha256: source.sha256,
                blob: store.blobs.duplicate(source.blob)?,
                md5: source.md5,
                size_bytes: source.size_bytes,
            })
        })
    }
}

/// Copies an object, or a range of it, to a part of an upload.
pub(super) async fn copy_part(
    store: &Arc<ObjectStore>,
    request: S3Request<UploadPartCopyInput>,
) -> S3Result<S3Response<UploadPartCopyOutput>> {
    let S3Request { headers, input, .. } = request;
    reject_other_conditions(&headers)?;
    store.bucket(&input.bucket)?;
    check_number(input.part_number)?;
    let target = PartTarget {
        id: UploadId::parse(&input.upload_id)?,
        location: ObjectLocation {
            bucket: input.bucket,
            key: input.key,
        },
        number: input.part_number,
    };
    let source = Source {
        location: source_location(store, &input.copy_source)?,
        if_match: input.copy_source_if_match,
    };

    let range = input.copy_source_range;
    let now_ms = store.clock.now_ms();
    let part = store
        .blocking(move |store| {
            target.check_upload(&store.database())?;
            let body = source.copy_bytes(store, range.as_deref(), Hasher::new(false))?;
            target.store_part(store, body)
        })
        .await?;
    let result = CopyPartResult {
        e_tag: Some(ETag::Strong(part.etag)),
        last_modified: Some(object_rows::timestamp(now_ms)),
        ..CopyPartResult::default()
    };
    Ok(S3Response::new(UploadPartCopyOutput {
        copy_part_result: Some(result),
        ..UploadPartCopyOutput::default()
    }))
}

impl Source {
    /// Returns the object. Fails if it does not exist or has another ETag.
    fn find(&self, database: &Connection) -> Result<StoredObject, OperationError> {
        let object = object_rows::object(database, &self.location)?.ok_or_else(no_such_key)?;
        let condition = ReadCondition {
            if_match: self.if_match.clone(),
            ..ReadCondition::default()
        };
        if condition.evaluate(&object) == ConditionOutcome::Proceed {
            Ok(object)
        } else {
            Err(precondition_failed().into())
        }
    }

    /// Copies the bytes of the source, or a range of them, to a new file.
    fn copy_bytes(
        &self,
        store: &ObjectStore,
        range: Option<&str>,
        mut hasher: Hasher,
    ) -> Result<ReceivedBody, OperationError> {
        let database = store.database();
        let object = self.find(&database)?;
        let span = match range {
            Some(range) => ByteSpan::of_copy_range(range, object.size_bytes)?,
            None => ByteSpan::whole(object.size_bytes),
        };

        check_size(span.length)?;
        let mut file = store.blobs.read(object.blob)?;
        drop(database);

        file.seek(SeekFrom::Start(span.first))?;
        let mut writer = store.blobs.create();
        hasher.copy(file.take(span.length), &mut writer)?;
        Ok(ReceivedBody {
            writer,
            size_bytes: span.length,
            digests: hasher.finish(),
        })
    }
}

fn source_location(store: &ObjectStore, source: &CopySource) -> S3Result<ObjectLocation> {
    let CopySource::Bucket {
        bucket,
        key,
        version_id: None,
    } = source
    else {
        return Err(not_emulated("copies from access points or of versions"));
    };

    store.bucket(bucket)?;
    Ok(ObjectLocation {
        bucket: bucket.to_string(),
        key: key.to_string(),
    })
}

fn check_size(size_bytes: u64) -> S3Result<()> {
    if size_bytes <= BODY_BYTES_MAX {
        return Ok(());
    }
    Err(s3_error!(
        InvalidRequest,
        "The specified copy source is larger than the maximum allowable size for a copy source: {BODY_BYTES_MAX}"
    ))
}
