//! `CompleteMultipartUpload`.
//!
//! Invariants:
//! - The object contains the bytes of the named parts at the moment at which it becomes visible.
//! - A failed completion leaves the upload unchanged.

use std::{collections::HashMap, io::ErrorKind, sync::Arc};

use base64::{Engine, prelude::BASE64_STANDARD};
use md5::{Digest, Md5};
use s3s::{
    S3Error, S3Request, S3Response, S3Result,
    dto::{self, CompleteMultipartUploadInput, CompleteMultipartUploadOutput, CompletedPart},
    s3_error,
};

use super::{
    blob::BlobWriter,
    checksum::{Algorithm, Checksum, Coverage, Digests, Hasher, field},
    checksum_plan::ChecksumPlan,
    condition::WriteCondition,
    error::{OperationError, no_such_upload},
    hashing_copy::hashing_copy,
    location::ObjectLocation,
    multipart::PART_NUMBER_MAX,
    object_rows::StoredObject,
    store::ObjectStore,
    upload_rows::{self, MultipartUpload, StoredPart, UploadId},
};

/// Minimum size of a part that is not the last, in bytes.
const PART_BYTES_MIN: u64 = 5 * 1024 * 1024;

/// Joins the named parts to one object.
pub(super) async fn complete(
    store: &Arc<ObjectStore>,
    request: S3Request<CompleteMultipartUploadInput>,
) -> S3Result<S3Response<CompleteMultipartUploadOutput>> {
    let CompleteMultipartUploadInput {
        bucket,
        key,
        upload_id,
        multipart_upload,
        mpu_object_size,
        ..
    } = request.input;
    store.bucket(&bucket)?;
    let named_parts = multipart_upload
        .and_then(|upload| upload.parts)
        .unwrap_or_default();
    if named_parts.is_empty() {
        return Err(s3_error!(
            MalformedXML,
            "The XML you provided was not well-formed or names no part"
        ));
    }

    let completion = MultipartCompletion {
        id: UploadId::parse(&upload_id)?,
        location: ObjectLocation {
            bucket: bucket.clone(),
            key: key.clone(),
        },
        named_parts,
        condition: WriteCondition::from_headers(&request.headers)?,
        declared_checksum: declared_checksum(&request.headers),
        declared_bytes: mpu_object_size
            .map(u64::try_from)
            .transpose()
            .unwrap_or_default(),
    };
    let object = store.blocking(move |store| completion.run(store)).await?;
    Ok(S3Response::new(output(bucket, key, &object)))
}

fn output(bucket: String, key: String, object: &StoredObject) -> CompleteMultipartUploadOutput {
    let dto::Checksum {
        checksum_crc32,
        checksum_crc32c,
        checksum_crc64nvme,
        checksum_sha1,
        checksum_sha256,
        checksum_type,
        ..
    } = object.checksum.to_dto();

    CompleteMultipartUploadOutput {
        location: Some(format!("/{bucket}/{key}")),
        bucket: Some(bucket),
        key: Some(key),
        e_tag: Some(object.tag()),
        checksum_crc32,
        checksum_crc32c,
        checksum_crc64nvme,
        checksum_sha1,
        checksum_sha256,
        checksum_type,
        ..CompleteMultipartUploadOutput::default()
    }
}

/// The checksum that the object should have.
struct ExpectedChecksum {
    algorithm: Algorithm,
    value: String,
}

fn declared_checksum(headers: &http::HeaderMap) -> Option<ExpectedChecksum> {
    Algorithm::ALL.into_iter().find_map(|algorithm| {
        let value = headers.get(algorithm.header())?.to_str().ok()?;
        Some(ExpectedChecksum {
            algorithm,
            value: value.to_owned(),
        })
    })
}

struct MultipartCompletion {
    id: UploadId,
    location: ObjectLocation,
    named_parts: Vec<CompletedPart>,
    condition: WriteCondition,
    declared_checksum: Option<ExpectedChecksum>,
    declared_bytes: Option<u64>,
}

/// An upload and the parts of it that the request names.
struct SelectedParts {
    upload: MultipartUpload,
    parts: Vec<StoredPart>,
}

impl MultipartCompletion {
    fn run(&self, store: &ObjectStore) -> Result<StoredObject, OperationError> {
        let SelectedParts { upload, parts } = self.select_parts(store)?;
        // Without the lock: the duration depends on the size of the object.
        let JoinedParts { writer, digests } = join(store, &parts, upload.plan.algorithm)?;
        let checksum = self.check(&upload, &parts, &digests)?;

        let mut part_blobs = Vec::new();
        let object = store.replace(&self.location, &self.condition, |transaction| {
            let current = upload_rows::parts(transaction, self.id, 0, PART_NUMBER_MAX)?;
            if !parts.iter().all(|part| current.contains(part)) {
                return Err(no_such_upload().into());
            }
            part_blobs = upload_rows::remove(transaction, self.id)?;
            Ok(StoredObject {
                size_bytes: size_bytes(&parts),
                etag: etag(&parts),
                md5: hex::encode(digests.md5),
                modified_ms: store.clock.now_ms(),
                headers: upload.headers,
                checksum,
                blob: store.blobs.finish(writer)?,
            })
        })?;
        store.blobs.remove(part_blobs);
        Ok(object)
    }

    /// Returns the named parts. Fails if a part does not exist, or does not fit the others.
    fn select_parts(&self, store: &ObjectStore) -> Result<SelectedParts, OperationError> {
        let database = store.database();
        let upload =
            upload_rows::upload(&database, self.id, &self.location)?.ok_or_else(no_such_upload)?;
        let stored = upload_rows::parts(&database, self.id, 0, PART_NUMBER_MAX)?;
        drop(database);

        let mut stored_by_number: HashMap<i32, StoredPart> =
            stored.into_iter().map(|part| (part.number, part)).collect();
        let mut parts: Vec<StoredPart> = Vec::new();
        for named in &self.named_parts {
            let number = named.part_number.unwrap_or_default();
            if parts.last().is_some_and(|last| last.number >= number) {
                return Err(invalid_part_order().into());
            }
            let part = stored_by_number.remove(&number).ok_or_else(invalid_part)?;
            check_named_part(named, &part, upload.plan)?;
            parts.push(part);
        }

        let all_but_last = &parts[..parts.len().saturating_sub(1)];
        if all_but_last
            .iter()
            .any(|part| part.size_bytes < PART_BYTES_MIN)
        {
            return Err(s3_error!(
                EntityTooSmall,
                "Your proposed upload is smaller than the minimum allowed size"
            )
            .into());
        }

        Ok(SelectedParts { upload, parts })
    }

    /// Returns the checksum of the object. Fails if checksum or size differ from the request.
    fn check(
        &self,
        upload: &MultipartUpload,
        parts: &[StoredPart],
        digests: &Digests,
    ) -> S3Result<Checksum> {
        if self
            .declared_bytes
            .is_some_and(|declared| declared != size_bytes(parts))
        {
            return Err(s3_error!(
                InvalidRequest,
                "The provided 'x-amz-mp-object-size' header does not match what was computed."
            ));
        }

        let mut checksum = digests.checksum.clone();
        if upload.plan.coverage == Coverage::Composite {
            checksum.composite_value = Some(composite_value(upload.plan.algorithm, parts));
        }
        if let Some(declared) = &self.declared_checksum
            && (declared.algorithm != checksum.algorithm || declared.value != checksum.value())
        {
            return Err(s3_error!(
                BadDigest,
                "The {} you specified did not match the calculated checksum.",
                declared.algorithm.name()
            ));
        }

        Ok(checksum)
    }
}

/// Fails if the ETag or checksum in the request differs from the stored part.
fn check_named_part(named: &CompletedPart, part: &StoredPart, plan: ChecksumPlan) -> S3Result<()> {
    if named
        .e_tag
        .as_ref()
        .is_some_and(|tag| tag.value() != part.etag)
    {
        return Err(invalid_part());
    }

    let mut checksums = dto::Checksum {
        checksum_crc32: named.checksum_crc32.clone(),
        checksum_crc32c: named.checksum_crc32c.clone(),
        checksum_crc64nvme: named.checksum_crc64nvme.clone(),
        checksum_sha1: named.checksum_sha1.clone(),
        checksum_sha256: named.checksum_sha256.clone(),
        ..dto::Checksum::default()
    };

    match field(&mut checksums, part.checksum.algorithm) {
        Some(checksum) if *checksum != part.checksum.value => Err(invalid_part()),
        None if plan.chosen && plan.coverage == Coverage::Composite => Err(s3_error!(
            InvalidRequest,
            "The upload was created using a {} checksum. The complete request must include the checksum for each part. It was missing for part {} in the request.",
            plan.algorithm.name().to_lowercase(),
            part.number
        )),
        _ => Ok(()),
    }
}

/// The bytes of all parts in one file.
struct JoinedParts {
    writer: BlobWriter,
    digests: Digests,
}

fn join(
    store: &ObjectStore,
    parts: &[StoredPart],
    algorithm: Algorithm,
) -> Result<JoinedParts, OperationError> {
    let mut writer = store.blobs.create();
    let mut hasher = Hasher::new(algorithm);

    for part in parts {
        let file = match store.blobs.read(part.blob) {
            // The part was replaced, or the upload completed or aborted, since it was selected.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(no_such_upload().into());
            }
            file => file?,
        };
        hashing_copy(file, &mut hasher, &mut writer)?;
    }

    Ok(JoinedParts {
        writer,
        digests: hasher.finish(),
    })
}

fn size_bytes(parts: &[StoredPart]) -> u64 {
    parts.iter().map(|part| part.size_bytes).sum()
}

/// Returns the MD5 of the MD5s of the parts, followed by the number of parts.
fn etag(parts: &[StoredPart]) -> String {
    let mut md5 = Md5::new();
    for part in parts {
        // The ETag of a part is always a hexadecimal MD5.
        md5.update(hex::decode(&part.etag).unwrap_or_default());
    }
    format!("{}-{}", hex::encode(md5.finalize()), parts.len())
}

/// Returns the checksum of the checksums of the parts, followed by the number of parts.
fn composite_value(algorithm: Algorithm, parts: &[StoredPart]) -> String {
    let mut hasher = Hasher::new(algorithm);
    for part in parts {
        // A stored checksum is always valid base64.
        let checksum = BASE64_STANDARD.decode(&part.checksum.value);
        hasher.update(&checksum.unwrap_or_default());
    }
    format!("{}-{}", hasher.finish().checksum.value, parts.len())
}

fn invalid_part() -> S3Error {
    s3_error!(
        InvalidPart,
        "One or more of the specified parts could not be found. The part may not have been uploaded, or the specified entity tag may not match the part's entity tag."
    )
}

fn invalid_part_order() -> S3Error {
    s3_error!(
        InvalidPartOrder,
        "The list of parts was not in ascending order."
    )
}
