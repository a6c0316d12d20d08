//! The bucket of the bytes of files.

use bucket::{Bucket, ObjectKey};
use domain::{errors::ServiceError, files::File};

/// The bucket of all files. It gives access to objects only through a [`SpaceScope`](crate::SpaceScope) or an
/// [`AuthorizedFile`](crate::AuthorizedFile).
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
