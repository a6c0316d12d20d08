//! The bucket of the bytes of files, and what reads and writes of it consist of.

use bucket::{Bucket, ObjectKey};
use bytes::{Bytes, BytesMut};
use domain::{errors::ServiceError, files::File};
use futures::{Stream, TryStreamExt as _, future};

pub use bucket::{
    BucketError, NewRendition, ObjectHead, ObjectReader, Payload, RenditionInfo, ResponseHeaders,
    StoredRendition,
};

/// The bucket of all files. It gives access to objects only through the scope of a space, or a
/// file that a request is authorized to read.
#[derive(Clone, Debug)]
pub struct FileBucket(pub(crate) Bucket);

impl FileBucket {
    pub fn new(bucket: Bucket) -> FileBucket {
        FileBucket(bucket)
    }
}

/// Returns the key of a file's bytes. Fails if the file has none.
pub(crate) fn original_key(file: &File) -> Result<ObjectKey, ServiceError> {
    let revision = file
        .revision
        .ok_or_else(|| ServiceError::internal("the file has no stored bytes"))?;
    Ok(ObjectKey::original(file.space_id, file.id, revision))
}

/// Returns the bytes of an object that is read in chunks.
pub async fn collect(
    chunks: impl Stream<Item = Result<Bytes, BucketError>>,
) -> Result<Bytes, ServiceError> {
    let append = |mut all: BytesMut, chunk: Bytes| {
        all.extend_from_slice(&chunk);
        future::ok(all)
    };
    let all = chunks.try_fold(BytesMut::new(), append).await?;
    Ok(all.freeze())
}
