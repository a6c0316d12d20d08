//! `CopyObject` and `UploadPartCopy`.
//!
//! Invariant: what is copied is the object that the conditions were judged by. A copy shares the
//! file of its source where it is whole and nothing new is to be computed: files never change.

use std::{
    io::{Read, Seek, SeekFrom},
    sync::Arc,
};

use bytes::Bytes;
use s3s::{
    S3Request, S3Response, S3Result,
    dto::{
        self, CopyObjectInput, CopyObjectOutput, CopyObjectResult, CopyPartResult, CopySource,
        MetadataDirective, UploadPartCopyInput, UploadPartCopyOutput,
    },
    s3_error,
};

use super::{
    attributes::Attributes,
    checksum::{Algorithm, Hasher},
    condition::{ReadCondition, WriteCondition},
    declared::BODY_BYTES_MAX,
    fault::{Fault, no_such_key, not_emulated},
    multipart::{Target, check_number},
    put,
    range::Span,
    receive::Received,
    rows::{self, Object, timestamp},
    shared::{Address, Shared},
    uploads::UploadId,
};

/// Bytes that are copied at once.
const STEP_BYTES: u64 = 1024 * 1024;

/// Copies an object, with its attributes or with new ones.
pub(super) async fn copy(
    shared: &Arc<Shared>,
    request: S3Request<CopyObjectInput>,
) -> S3Result<S3Response<CopyObjectOutput>> {
    let S3Request { headers, input, .. } = request;
    let target = put::target(shared, input.bucket, input.key)?;
    let algorithm = input
        .checksum_algorithm
        .as_ref()
        .map(|name| named(name.as_str()))
        .transpose()?;
    let source = source(shared, &input.copy_source)?;
    let replaced = match input
        .metadata_directive
        .as_ref()
        .map(MetadataDirective::as_str)
    {
        None | Some(MetadataDirective::COPY) => None,
        Some(MetadataDirective::REPLACE) => Some(Attributes::from_headers(&headers)?),
        Some(_) => return Err(s3_error!(InvalidArgument, "Unknown metadata directive.")),
    };
    if source == target && replaced.is_none() {
        return Err(s3_error!(
            InvalidRequest,
            "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes."
        ));
    }
    let wanted = ReadCondition {
        matches: input.copy_source_if_match,
        differs: input.copy_source_if_none_match,
        modified_since: input.copy_source_if_modified_since,
        unmodified_since: input.copy_source_if_unmodified_since,
    };
    let condition = WriteCondition::from_headers(&headers)?;
    let copied = shared.blocking(move |shared| {
        if let Some(algorithm) = algorithm {
            let extracted = extract(shared, &source, &wanted, None, Hasher::new(algorithm))?;
            let attributes = replaced.unwrap_or(extracted.attributes);
            return shared.replace(&target, &condition, |_| {
                put::object(shared, extracted.received, attributes)
            });
        }
        shared.replace(&target, &condition, |transaction| {
            let source = rows::object(transaction, &source)?.ok_or_else(no_such_key)?;
            wanted.check_source(&source)?;
            check_size(source.size_bytes)?;
            duplicate(shared, source, replaced)
        })
    });
    let object = copied.await?;
    let output = CopyObjectOutput {
        copy_object_result: Some(result(&object)),
        ..CopyObjectOutput::default()
    };
    Ok(S3Response::new(output))
}

fn named(algorithm: &str) -> S3Result<Algorithm> {
    Algorithm::named(algorithm).ok_or_else(|| {
        s3_error!(
            InvalidRequest,
            "Checksum algorithm provided is unsupported: {algorithm}"
        )
    })
}

/// The same object once more. As it was not uploaded in parts, its ETag is its MD5 and its checksum
/// covers all of it.
fn duplicate(
    shared: &Shared,
    source: Object,
    replaced: Option<Attributes>,
) -> Result<Object, Fault> {
    let mut checksum = source.checksum;
    checksum.composite = None;
    Ok(Object {
        etag: shared.etag(&source.md5, source.size_bytes),
        modified_ms: shared.clock.now_ms(),
        attributes: replaced.unwrap_or(source.attributes),
        checksum,
        blob: shared.blobs.duplicate(source.blob)?,
        md5: source.md5,
        size_bytes: source.size_bytes,
    })
}

fn result(object: &Object) -> CopyObjectResult {
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

/// Makes an object, or a range of it, a part of an upload.
pub(super) async fn copy_part(
    shared: &Arc<Shared>,
    request: S3Request<UploadPartCopyInput>,
) -> S3Result<S3Response<UploadPartCopyOutput>> {
    let input = request.input;
    shared.bucket(&input.bucket)?;
    check_number(input.part_number)?;
    let target = Target {
        id: UploadId::parse(&input.upload_id)?,
        address: Address {
            bucket: input.bucket,
            key: input.key,
        },
        number: input.part_number,
    };
    let source = source(shared, &input.copy_source)?;
    let range = input.copy_source_range;
    let wanted = ReadCondition {
        matches: input.copy_source_if_match,
        differs: input.copy_source_if_none_match,
        modified_since: input.copy_source_if_modified_since,
        unmodified_since: input.copy_source_if_unmodified_since,
    };
    let copied = shared.blocking(move |shared| {
        let plan = target.upload(shared)?.plan;
        let hasher = Hasher::new(plan.algorithm);
        target.keep(
            shared,
            extract(shared, &source, &wanted, range.as_deref(), hasher)?.received,
        )
    });
    let part = copied.await?;
    let dto::Checksum {
        checksum_crc32,
        checksum_crc32c,
        checksum_crc64nvme,
        checksum_sha1,
        checksum_sha256,
        ..
    } = part.checksum.to_dto();
    let result = CopyPartResult {
        e_tag: Some(part.tag()),
        last_modified: Some(timestamp(part.modified_ms)),
        checksum_crc32,
        checksum_crc32c,
        checksum_crc64nvme,
        checksum_sha1,
        checksum_sha256,
    };
    let output = UploadPartCopyOutput {
        copy_part_result: Some(result),
        ..UploadPartCopyOutput::default()
    };
    Ok(S3Response::new(output))
}

/// Bytes of an object in a file of their own, and what was kept with it.
struct Extracted {
    received: Received,
    attributes: Attributes,
}

/// Copies bytes of an object into a file of their own.
fn extract(
    shared: &Shared,
    source: &Address,
    wanted: &ReadCondition,
    range: Option<&str>,
    mut hasher: Hasher,
) -> Result<Extracted, Fault> {
    let database = shared.database();
    let object = rows::object(&database, source)?.ok_or_else(no_such_key)?;
    wanted.check_source(&object)?;
    let span = match range {
        Some(range) => Span::of_source(range, object.size_bytes)?,
        None => Span::whole(object.size_bytes),
    };
    check_size(span.length)?;
    let mut file = shared.blobs.read(object.blob)?;
    drop(database);
    file.seek(SeekFrom::Start(span.first))?;
    let mut bytes = file.take(span.length);
    let mut incoming = shared.blobs.begin();
    loop {
        let mut step = Vec::new();
        if bytes.by_ref().take(STEP_BYTES).read_to_end(&mut step)? == 0 {
            break;
        }
        hasher.update(&step);
        incoming.write(&[Bytes::from(step)])?;
    }
    let received = Received {
        incoming,
        size_bytes: span.length,
        sums: hasher.finish(),
    };
    Ok(Extracted {
        received,
        attributes: object.attributes,
    })
}

/// Where `x-amz-copy-source` points to.
fn source(shared: &Shared, named: &CopySource) -> S3Result<Address> {
    let CopySource::Bucket {
        bucket,
        key,
        version_id: None,
    } = named
    else {
        return Err(not_emulated("copies from access points or of versions"));
    };
    shared.bucket(bucket)?;
    Ok(Address {
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
