//! `CopyObject` and `UploadPartCopy`.
//!
//! Invariants:
//! - The copied bytes are those of the object that the conditions were evaluated for.
//! - A copy of a whole object shares its file, unless a new checksum is required: files never
//!   change.

use std::{
    io::{Read, Seek, SeekFrom},
    sync::Arc,
};

use s3s::{
    S3Request, S3Response, S3Result,
    dto::{
        self, CopyObjectInput, CopyObjectOutput, CopyObjectResult, CopyPartResult, CopySource,
        MetadataDirective, UploadPartCopyInput, UploadPartCopyOutput,
    },
    s3_error,
};

use super::{
    checksum::{Algorithm, Hasher},
    condition::{ReadCondition, WriteCondition},
    declared_body::BODY_BYTES_MAX,
    error::{OperationError, no_such_key, not_emulated},
    hashing_copy::hashing_copy,
    location::ObjectLocation,
    multipart::{PartTarget, check_number},
    object_headers::ObjectHeaders,
    object_rows::{self, StoredObject, timestamp},
    put,
    range::ByteSpan,
    receive::ReceivedBody,
    store::ObjectStore,
    upload_rows::{StoredPart, UploadId},
};

/// Copies an object, with its headers or with new ones.
pub(super) async fn copy(
    store: &Arc<ObjectStore>,
    request: S3Request<CopyObjectInput>,
) -> S3Result<S3Response<CopyObjectOutput>> {
    let S3Request { headers, input, .. } = request;
    let target = put::target(store, input.bucket, input.key)?;
    let algorithm = match &input.checksum_algorithm {
        None => None,
        Some(name) => Some(supported_algorithm(name.as_str())?),
    };

    let source = CopySourceCondition {
        location: source_location(store, &input.copy_source)?,
        condition: ReadCondition {
            if_match: input.copy_source_if_match,
            if_none_match: input.copy_source_if_none_match,
            if_modified_since: input.copy_source_if_modified_since,
            if_unmodified_since: input.copy_source_if_unmodified_since,
        },
    };
    let new_headers = match input
        .metadata_directive
        .as_ref()
        .map(MetadataDirective::as_str)
    {
        None | Some(MetadataDirective::COPY) => None,
        Some(MetadataDirective::REPLACE) => Some(ObjectHeaders::from_headers(&headers)?),
        Some(_) => return Err(s3_error!(InvalidArgument, "Unknown metadata directive.")),
    };

    if source.location == target && new_headers.is_none() {
        return Err(s3_error!(
            InvalidRequest,
            "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes."
        ));
    }

    let copy = ObjectCopy {
        source,
        target,
        condition: WriteCondition::from_headers(&headers)?,
        new_headers,
    };
    let object = store
        .blocking(move |store| match algorithm {
            Some(algorithm) => copy.copy_bytes(store, algorithm),
            None => copy.share_file(store),
        })
        .await?;
    let output = CopyObjectOutput {
        copy_object_result: Some(object_result(&object)),
        ..CopyObjectOutput::default()
    };

    Ok(S3Response::new(output))
}

fn supported_algorithm(name: &str) -> S3Result<Algorithm> {
    Algorithm::named(name).ok_or_else(|| {
        s3_error!(
            InvalidRequest,
            "Checksum algorithm provided is unsupported: {name}"
        )
    })
}

/// The source of a copy, and the conditions on it.
struct CopySourceCondition {
    location: ObjectLocation,
    condition: ReadCondition,
}

/// A requested copy of an object.
struct ObjectCopy {
    source: CopySourceCondition,
    target: ObjectLocation,
    condition: WriteCondition,
    /// Replace the headers of the source.
    new_headers: Option<ObjectHeaders>,
}

impl ObjectCopy {
    /// Copies the bytes and computes a new checksum.
    fn copy_bytes(
        self,
        store: &ObjectStore,
        algorithm: Algorithm,
    ) -> Result<StoredObject, OperationError> {
        let CopiedBytes { body, headers } =
            self.source
                .copy_bytes(store, None, Hasher::new(algorithm))?;
        let target_headers = self.new_headers.unwrap_or(headers);
        store.replace(&self.target, &self.condition, |_| {
            put::object(store, body, target_headers)
        })
    }

    /// Creates an object with the file of the source.
    fn share_file(self, store: &ObjectStore) -> Result<StoredObject, OperationError> {
        store.replace(&self.target, &self.condition, |transaction| {
            let source =
                object_rows::object(transaction, &self.source.location)?.ok_or_else(no_such_key)?;
            self.source.condition.check_source(&source)?;
            check_size(source.size_bytes)?;

            // As after an upload without parts: the ETag is the MD5, the checksum covers all bytes.
            let mut checksum = source.checksum;
            checksum.composite_value = None;
            Ok(StoredObject {
                etag: store.etag(&source.md5, source.size_bytes),
                modified_ms: store.clock.now_ms(),
                headers: self.new_headers.unwrap_or(source.headers),
                checksum,
                blob: store.blobs.duplicate(source.blob)?,
                md5: source.md5,
                size_bytes: source.size_bytes,
            })
        })
    }
}

fn object_result(object: &StoredObject) -> CopyObjectResult {
    let dto::Checksum {
        checksum_crc32,
        checksum_crc32c,
        checksum_crc64nvme,
        checksum_sha1,
        checksum_sha256,
        checksum_type,
        ..
    } = object.checksum.to_dto();

    CopyObjectResult {
        e_tag: Some(object.tag()),
        last_modified: Some(object.last_modified()),
        checksum_crc32,
        checksum_crc32c,
        checksum_crc64nvme,
        checksum_sha1,
        checksum_sha256,
        checksum_type,
    }
}

/// Copies an object, or a range of it, to a part of an upload.
pub(super) async fn copy_part(
    store: &Arc<ObjectStore>,
    request: S3Request<UploadPartCopyInput>,
) -> S3Result<S3Response<UploadPartCopyOutput>> {
    let input = request.input;
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
    let source = CopySourceCondition {
        location: source_location(store, &input.copy_source)?,
        condition: ReadCondition {
            if_match: input.copy_source_if_match,
            if_none_match: input.copy_source_if_none_match,
            if_modified_since: input.copy_source_if_modified_since,
            if_unmodified_since: input.copy_source_if_unmodified_since,
        },
    };

    let range = input.copy_source_range;
    let part = store
        .blocking(move |store| {
            let plan = target.upload(store)?.plan;
            let hasher = Hasher::new(plan.algorithm);
            let copied = source.copy_bytes(store, range.as_deref(), hasher)?;
            target.store_part(store, copied.body)
        })
        .await?;
    let output = UploadPartCopyOutput {
        copy_part_result: Some(part_result(&part)),
        ..UploadPartCopyOutput::default()
    };

    Ok(S3Response::new(output))
}

fn part_result(part: &StoredPart) -> CopyPartResult {
    let dto::Checksum {
        checksum_crc32,
        checksum_crc32c,
        checksum_crc64nvme,
        checksum_sha1,
        checksum_sha256,
        ..
    } = part.checksum.to_dto();

    CopyPartResult {
        e_tag: Some(part.tag()),
        last_modified: Some(timestamp(part.modified_ms)),
        checksum_crc32,
        checksum_crc32c,
        checksum_crc64nvme,
        checksum_sha1,
        checksum_sha256,
    }
}

/// Bytes of an object, copied to a new file, and the headers of the object.
struct CopiedBytes {
    body: ReceivedBody,
    headers: ObjectHeaders,
}

impl CopySourceCondition {
    /// Copies the bytes of the source, or a range of them, to a new file.
    fn copy_bytes(
        &self,
        store: &ObjectStore,
        range: Option<&str>,
        mut hasher: Hasher,
    ) -> Result<CopiedBytes, OperationError> {
        let database = store.database();
        let object = object_rows::object(&database, &self.location)?.ok_or_else(no_such_key)?;
        self.condition.check_source(&object)?;
        let span = match range {
            Some(range) => ByteSpan::of_copy_range(range, object.size_bytes)?,
            None => ByteSpan::whole(object.size_bytes),
        };

        check_size(span.length)?;
        let mut file = store.blobs.read(object.blob)?;
        drop(database);

        file.seek(SeekFrom::Start(span.first))?;
        let mut writer = store.blobs.create();
        hashing_copy(file.take(span.length), &mut hasher, &mut writer)?;
        Ok(CopiedBytes {
            body: ReceivedBody {
                writer,
                size_bytes: span.length,
                digests: hasher.finish(),
            },
            headers: object.headers,
        })
    }
}

/// Parses `x-amz-copy-source`.
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
