//! Multipart uploads before their completion: creating, uploading parts, aborting.

use std::sync::Arc;

use http::HeaderMap;
use s3s::{
    S3Request, S3Response, S3Result,
    dto::{
        AbortMultipartUploadInput, AbortMultipartUploadOutput, CreateMultipartUploadInput,
        CreateMultipartUploadOutput, UploadPartInput, UploadPartOutput,
    },
    s3_error,
};

use super::{
    checksum::Algorithm,
    checksum_plan::ChecksumPlan,
    declared_body::DeclaredBody,
    error::{OperationError, no_such_upload},
    location::ObjectLocation,
    object_headers::ObjectHeaders,
    put,
    receive::{ReceivedBody, receive},
    store::ObjectStore,
    upload_rows::{self, MultipartUpload, NewMultipartUpload, StoredPart, UploadId},
};

pub(super) const PART_NUMBER_MAX: i32 = 10_000;

pub(super) async fn create(
    store: &Arc<ObjectStore>,
    request: S3Request<CreateMultipartUploadInput>,
) -> S3Result<S3Response<CreateMultipartUploadOutput>> {
    let S3Request { headers, input, .. } = request;
    let CreateMultipartUploadInput {
        bucket,
        key,
        checksum_algorithm,
        checksum_type,
        ..
    } = input;
    let location = put::target(store, bucket.clone(), key.clone())?;
    let object_headers = ObjectHeaders::from_headers(&headers)?;
    let plan = ChecksumPlan::new(checksum_algorithm.as_ref(), checksum_type.as_ref())?;
    let upload = NewMultipartUpload {
        location,
        headers: object_headers,
        plan,
        now_ms: store.clock.now_ms(),
    };

    let id = store
        .blocking(move |store| Ok(upload_rows::create(&store.database(), &upload)?))
        .await?;
    let output = CreateMultipartUploadOutput {
        bucket: Some(bucket),
        key: Some(key),
        upload_id: Some(id.text()),
        checksum_algorithm: plan.algorithm_dto(),
        checksum_type: plan.coverage_dto(),
        ..CreateMultipartUploadOutput::default()
    };

    Ok(S3Response::new(output))
}

/// Stores a part. It replaces a part with the same number.
pub(super) async fn upload_part(
    store: &Arc<ObjectStore>,
    request: S3Request<UploadPartInput>,
) -> S3Result<S3Response<UploadPartOutput>> {
    let S3Request {
        headers,
        input,
        trailing_headers,
        ..
    } = request;
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

    let plan_target = target.clone();
    let plan = store
        .blocking(move |store| Ok(plan_target.upload(store)?.plan))
        .await?;
    if plan.chosen && declared.algorithm() != Some(plan.algorithm) {
        let actual = declared.algorithm().map_or("null", Algorithm::name);
        return Err(s3_error!(
            InvalidRequest,
            "Checksum Type mismatch occurred, expected checksum Type: {}, actual checksum Type: {actual}",
            plan.algorithm.name()
        ));
    }

    let received = receive(store, body, &declared, trailing_headers.as_ref()).await?;
    let part = store
        .blocking(move |store| target.store_part(store, received))
        .await?;
    let mut response_headers = HeaderMap::new();
    part.checksum.write_value(&mut response_headers);
    let output = UploadPartOutput {
        e_tag: Some(part.tag()),
        ..UploadPartOutput::default()
    };

    Ok(S3Response::with_headers(output, response_headers))
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
        let upload =
            upload_rows::upload(&transaction, id, &location)?.ok_or_else(no_such_upload)?;
        let blobs = upload_rows::remove(&transaction, upload.id)?;
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
    /// Returns the upload. Fails if it does not exist.
    pub(super) fn upload(&self, store: &ObjectStore) -> Result<MultipartUpload, OperationError> {
        let upload = upload_rows::upload(&store.database(), self.id, &self.location)?
            .ok_or_else(no_such_upload)?;
        Ok(upload)
    }

    /// Stores a received body as the part. Fails if the upload no longer exists.
    pub(super) fn store_part(
        &self,
        store: &ObjectStore,
        received: ReceivedBody,
    ) -> Result<StoredPart, OperationError> {
        let mut database = store.database();
        let transaction = database.transaction()?;
        upload_rows::upload(&transaction, self.id, &self.location)?.ok_or_else(no_such_upload)?;
        let part = StoredPart {
            number: self.number,
            size_bytes: received.size_bytes,
            etag: hex::encode(received.digests.md5),
            modified_ms: store.clock.now_ms(),
            checksum: received.digests.checksum,
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
