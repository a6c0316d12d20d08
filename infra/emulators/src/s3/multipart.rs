//! Multipart uploads before their completion: creating, uploading parts, aborting.

use std::sync::Arc;

use rusqlite::Connection;
use s3s::{
    S3Request, S3Response, S3Result,
    dto::{
        AbortMultipartUploadInput, AbortMultipartUploadOutput, CreateMultipartUploadInput,
        CreateMultipartUploadOutput, ETag, UploadPartInput, UploadPartOutput,
    },
    s3_error,
};

use super::{
    declared_body::DeclaredBody,
    error::{OperationError, no_such_upload, not_emulated},
    object_headers::ObjectHeaders,
    object_rows::ObjectLocation,
    put,
    receive::{ReceivedBody, receive},
    store::ObjectStore,
    upload_rows::{self, NewMultipartUpload, StoredPart, UploadId},
};

const PART_NUMBER_MAX: i32 = 10_000;

pub(super) async fn create(
    store: &Arc<ObjectStore>,
    request: S3Request<CreateMultipartUploadInput>,
) -> S3Result<S3Response<CreateMultipartUploadOutput>> {
    let S3Request { headers, input, .. } = request;
    let CreateMultipartUploadInput {
        bucket,
        key,
        checksum_algorithm,
        ..
    } = input;
    let location = put::target(store, bucket.clone(), key.clone())?;
    if checksum_algorithm.is_some() {
        return Err(not_emulated("checksums of multipart uploads"));
    }
    let object_headers = ObjectHeaders::from_headers(&headers)?;
    let upload = NewMultipartUpload {
        location,
        headers: object_headers,
        now_ms: store.clock.now_ms(),
    };

    let id = store
        .blocking(move |store| Ok(upload_rows::create(&store.database(), &upload)?))
        .await?;
    let output = CreateMultipartUploadOutput {
        bucket: Some(bucket),
        key: Some(key),
        upload_id: Some(id.text()),
        ..CreateMultipartUploadOutput::default()
    };

    Ok(S3Response::new(output))
}

/// Stores a part. It replaces a part with the same number.
pub(super) async fn upload_part(
    store: &Arc<ObjectStore>,
    request: S3Request<UploadPartInput>,
) -> S3Result<S3Response<UploadPartOutput>> {
    let S3Request { headers, input, .. } = request;
    let UploadPartInput {
        bucket,
        key,
        part_number,
        upload_id,
        body,
        ..
    } = input;
    store.bucket(&bucket)?;
    check_number(part_number)?;
    let declared = DeclaredBody::from_headers(&headers)?;
    let target = PartTarget {
        id: UploadId::parse(&upload_id)?,
        location: ObjectLocation { bucket, key },
        number: part_number,
    };

    let existing = target.clone();
    store
        .blocking(move |store| existing.check_upload(&store.database()))
        .await?;

    let received = receive(store, body, &declared).await?;
    let part = store
        .blocking(move |store| target.store_part(store, received))
        .await?;
    let output = UploadPartOutput {
        e_tag: Some(ETag::Strong(part.etag)),
        ..UploadPartOutput::default()
    };

    Ok(S3Response::new(output))
}

/// Aborts an upload and removes its parts.
pub(super) async fn abort(
    store: &Arc<ObjectStore>,
    request: S3Request<AbortMultipartUploadInput>,
) -> S3Result<S3Response<AbortMultipartUploadOutput>> {
    let AbortMultipartUploadInput {
        bucket,
        key,
        upload_id,
        ..
    } = request.input;
    store.bucket(&bucket)?;
    let id = UploadId::parse(&upload_id)?;
    let location = ObjectLocation { bucket, key };

    let abort = move |store: &ObjectStore| {
        let mut database = store.database();
        let transaction = database.transaction()?;
        upload_rows::upload(&transaction, id, &location)?.ok_or_else(no_such_upload)?;
        let blobs = upload_rows::remove(&transaction, id)?;
        transaction.commit()?;
        store.blobs.remove(blobs);
        Ok(())
    };

    store.blocking(abort).await?;
    Ok(S3Response::new(AbortMultipartUploadOutput::default()))
}

/// Fails if a part number is out of range.
pub(super) fn check_number(number: i32) -> S3Result<()> {
    if (1..=PART_NUMBER_MAX).contains(&number) {
        return Ok(());
    }
    Err(s3_error!(
        InvalidArgument,
        "Part number must be an integer between 1 and {PART_NUMBER_MAX}, inclusive"
    ))
}

/// The part of an upload that a request writes.
#[derive(Clone, Debug)]
pub(super) struct PartTarget {
    pub(super) id: UploadId,
    pub(super) location: ObjectLocation,
    pub(super) number: i32,
}

impl PartTarget {
    /// Fails if the upload does not exist.
    pub(super) fn check_upload(&self, database: &Connection) -> Result<(), OperationError> {
        upload_rows::upload(database, self.id, &self.location)?.ok_or_else(no_such_upload)?;
        Ok(())
    }

    /// Stores a received body as the part. Fails if the upload no longer exists.
    pub(super) fn store_part(
        &self,
        store: &ObjectStore,
        received: ReceivedBody,
    ) -> Result<StoredPart, OperationError> {
        let mut database = store.database();
        let transaction = database.transaction()?;
        self.check_upload(&transaction)?;
        let part = StoredPart {
            number: self.number,
            size_bytes: received.size_bytes,
            etag: hex::encode(received.digests.md5),
            blob: store.blobs.finish(received.writer)?,
        };

        let written = upload_rows::put_part(&transaction, self.id, &part).and_then(|replaced| {
            transaction.commit()?;
            Ok(replaced)
        });
        match written {
            Ok(replaced) => {
                store.blobs.remove(replaced);
                Ok(part)
            }
            Err(error) => {
                store.blobs.remove([part.blob]);
                Err(error.into())
            }
        }
    }
}
