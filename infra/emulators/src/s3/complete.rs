//! `CompleteMultipartUpload`.
//!
//! Invariants:
//! - The object contains the bytes of the named parts at the moment at which it becomes visible.
//! - A failed completion leaves the upload unchanged.

use std::{collections::HashMap, io::ErrorKind, sync::Arc};

use md5::{Digest, Md5};
use s3s::{
    S3Error, S3Request, S3Response, S3Result,
    dto::{CompleteMultipartUploadInput, CompleteMultipartUploadOutput, CompletedPart},
    s3_error,
};

use super::{
    blob::BlobWriter,
    checksum::Hasher,
    condition::WriteCondition,
    error::{OperationError, no_such_upload, not_emulated},
    object_headers::ObjectHeaders,
    object_rows::{ObjectLocation, StoredObject},
    store::ObjectStore,
    upload_rows::{self, StoredPart, UploadId},
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
    if mpu_object_size.is_some() {
        return Err(not_emulated("x-amz-mp-object-size"));
    }
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
    };
    let object = store.blocking(move |store| completion.run(store)).await?;
    let output = CompleteMultipartUploadOutput {
        location: Some(format!("/{bucket}/{key}")),
        bucket: Some(bucket),
        key: Some(key),
        e_tag: Some(object.tag()),
        ..CompleteMultipartUploadOutput::default()
    };
    Ok(S3Response::new(output))
}

struct MultipartCompletion {
    id: UploadId,
    location: ObjectLocation,
    named_parts: Vec<CompletedPart>,
    condition: WriteCondition,
}

/// The headers of an upload and the parts of it that the request names.
struct SelectedParts {
    headers: ObjectHeaders,
    parts: Vec<StoredPart>,
}

impl MultipartCompletion {
    fn run(&self, store: &ObjectStore) -> Result<StoredObject, OperationError> {
        let SelectedParts { headers, parts } = self.select_parts(store)?;
        // Without the lock: the duration depends on the size of the object.
        let JoinedParts { writer, md5 } = join(store, &parts)?;

        let mut part_blobs = Vec::new();
        let object = store.replace(&self.location, self.condition, |transaction| {
            let current = upload_rows::parts(transaction, self.id)?;
            if !parts.iter().all(|part| current.contains(part)) {
                return Err(no_such_upload().into());
            }
            part_blobs = upload_rows::remove(transaction, self.id)?;
            Ok(StoredObject {
                size_bytes: parts.iter().map(|part| part.size_bytes).sum(),
                etag: etag(&parts),
                md5: hex::encode(md5),
                modified_ms: store.clock.now_ms(),
                headers,
                sha256: None,
                blob: store.blobs.finish(writer)?,
            })
        })?;
        store.blobs.remove(part_blobs);
        Ok(object)
    }

    /// Returns the named parts. Fails if a part does not exist, or does not fit the others.
    fn select_parts(&self, store: &ObjectStore) -> Result<SelectedParts, OperationError> {
        let database = store.database();
        let headers =
            upload_rows::upload(&database, self.id, &self.location)?.ok_or_else(no_such_upload)?;
        let stored = upload_rows::parts(&database, self.id)?;
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
            check_named_part(named, &part)?;
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

        Ok(SelectedParts { headers, parts })
    }
}

/// Fails if the ETag in the request differs from the stored part.
fn check_named_part(named: &CompletedPart, part: &StoredPart) -> S3Result<()> {
    let tag = named.e_tag.as_ref();
    if tag.is_some_and(|tag| tag.value() != part.etag) {
        return Err(invalid_part());
    }

    let checksums = [
        &named.checksum_crc32,
        &named.checksum_crc32c,
        &named.checksum_crc64nvme,
        &named.checksum_sha1,
        &named.checksum_sha256,
    ];
    if checksums.into_iter().any(Option::is_some) {
        return Err(not_emulated("checksums of multipart uploads"));
    }
    Ok(())
}

/// The bytes of all parts in one file.
struct JoinedParts {
    writer: BlobWriter,
    md5: [u8; 16],
}

fn join(store: &ObjectStore, parts: &[StoredPart]) -> Result<JoinedParts, OperationError> {
    let mut writer = store.blobs.create();
    let mut hasher = Hasher::new(false);

    for part in parts {
        let file = match store.blobs.read(part.blob) {
            // The part was replaced, or the upload completed or aborted, since it was selected.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(no_such_upload().into());
            }
            file => file?,
        };
        hasher.copy(file, &mut writer)?;
    }

    Ok(JoinedParts {
        writer,
        md5: hasher.finish().md5,
    })
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
