//! `PutObject`.

use std::sync::Arc;

use http::HeaderMap;
use s3s::{
    S3Request, S3Response, S3Result,
    dto::{PutObjectInput, PutObjectOutput},
    s3_error,
};

use super::{
    checksum::write_sha256,
    condition::WriteCondition,
    declared_body::DeclaredBody,
    error::OperationError,
    object_headers::ObjectHeaders,
    object_rows::{ObjectLocation, StoredObject},
    receive::{ReceivedBody, receive},
    store::ObjectStore,
};

/// Maximum length of a key, in bytes.
const KEY_BYTES_MAX: usize = 1024;

/// Stores an object: first the bytes, then the row, if the body is as declared.
pub(super) async fn put(
    store: &Arc<ObjectStore>,
    request: S3Request<PutObjectInput>,
) -> S3Result<S3Response<PutObjectOutput>> {
    let S3Request { headers, input, .. } = request;
    let location = target(store, input.bucket, input.key)?;
    let declared = DeclaredBody::from_headers(&headers)?;
    let condition = WriteCondition::from_headers(&headers)?;
    let object_headers = ObjectHeaders::from_headers(&headers)?;

    let received = receive(store, input.body, &declared).await?;
    let stored = store
        .blocking(move |store| {
            store.replace(&location, condition, |_| {
                object(store, received, object_headers)
            })
        })
        .await?;

    let mut response_headers = HeaderMap::new();
    write_sha256(stored.sha256.as_deref(), &mut response_headers);
    let output = PutObjectOutput {
        e_tag: Some(stored.tag()),
        ..PutObjectOutput::default()
    };

    Ok(S3Response::with_headers(output, response_headers))
}

/// Creates an object that was not uploaded in parts: its ETag is its MD5.
pub(super) fn object(
    store: &ObjectStore,
    received: ReceivedBody,
    headers: ObjectHeaders,
) -> Result<StoredObject, OperationError> {
    let md5 = hex::encode(received.digests.md5);
    Ok(StoredObject {
        size_bytes: received.size_bytes,
        etag: store.etag(&md5, received.size_bytes),
        md5,
        modified_ms: store.clock.now_ms(),
        headers,
        sha256: received.digests.sha256,
        blob: store.blobs.finish(received.writer)?,
    })
}

/// Returns the location of an object to write. Fails if the bucket or the key is invalid.
pub(super) fn target(store: &ObjectStore, bucket: String, key: String) -> S3Result<ObjectLocation> {
    store.bucket(&bucket)?;
    if key.len() > KEY_BYTES_MAX {
        return Err(s3_error!(KeyTooLongError, "Your key is too long"));
    }
    Ok(ObjectLocation { bucket, key })
}
