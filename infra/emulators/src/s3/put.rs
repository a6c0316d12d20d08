//! `PutObject`.

use std::sync::Arc;

use http::HeaderMap;
use s3s::{
    S3Request, S3Response, S3Result,
    dto::{PutObjectInput, PutObjectOutput},
    s3_error,
};

use super::{
    attributes::Attributes,
    condition::WriteCondition,
    declared::Declared,
    fault::Fault,
    receive::{Received, receive},
    rows::Object,
    shared::{Address, Shared},
};

/// Bytes of the longest key.
const KEY_BYTES_MAX: usize = 1024;

/// Stores an object: the bytes first, then the row, if everything that was declared holds.
pub(super) async fn put(
    shared: &Arc<Shared>,
    request: S3Request<PutObjectInput>,
) -> S3Result<S3Response<PutObjectOutput>> {
    let S3Request {
        headers,
        input,
        trailing_headers,
        ..
    } = request;
    let address = target(shared, input.bucket, input.key)?;
    let (declared, condition) = (
        Declared::from_headers(&headers)?,
        WriteCondition::from_headers(&headers)?,
    );
    let attributes = Attributes::from_headers(&headers)?;
    let received = receive(shared, input.body, &declared, trailing_headers.as_ref()).await?;
    let stored = shared.blocking(move |shared| {
        shared.replace(&address, &condition, |_| {
            object(shared, received, attributes)
        })
    });
    let object = stored.await?;
    let mut answer = HeaderMap::new();
    object.checksum.write(&mut answer);
    let output = PutObjectOutput {
        e_tag: Some(object.tag()),
        ..PutObjectOutput::default()
    };
    Ok(S3Response::with_headers(output, answer))
}

/// An object of bytes that came in one piece: its ETag is their MD5.
pub(super) fn object(
    shared: &Shared,
    received: Received,
    attributes: Attributes,
) -> Result<Object, Fault> {
    let md5 = hex::encode(received.sums.md5);
    Ok(Object {
        size_bytes: received.size_bytes,
        etag: shared.etag(&md5, received.size_bytes),
        md5,
        modified_ms: shared.clock.now_ms(),
        attributes,
        checksum: received.sums.checksum,
        blob: shared.blobs.finish(received.incoming)?,
    })
}

/// Where an object may be written.
pub(super) fn target(shared: &Shared, bucket: String, key: String) -> S3Result<Address> {
    shared.bucket(&bucket)?;
    if key.len() > KEY_BYTES_MAX {
        return Err(s3_error!(KeyTooLongError, "Your key is too long"));
    }
    Ok(Address { bucket, key })
}
