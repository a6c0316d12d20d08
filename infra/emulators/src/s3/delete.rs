//! `DeleteObject` and `DeleteObjects`.

use std::sync::Arc;

use s3s::{
    S3Error, S3Request, S3Response, S3Result,
    dto::{
        self, DeleteObjectInput, DeleteObjectOutput, DeleteObjectsInput, DeleteObjectsOutput,
        DeletedObject,
    },
    s3_error,
};

use super::{error::not_emulated, object_rows::ObjectLocation, store::ObjectStore};
use crate::anomaly::Anomaly;

/// Maximum number of keys in one request.
const KEYS_MAX: usize = 1000;

/// Deletes one object. A missing object is no error.
pub(super) async fn delete(
    store: &Arc<ObjectStore>,
    request: S3Request<DeleteObjectInput>,
) -> S3Result<S3Response<DeleteObjectOutput>> {
    let DeleteObjectInput {
        bucket,
        key,
        version_id,
        if_match,
        ..
    } = request.input;
    store.bucket(&bucket)?;
    if version_id.is_some() || if_match.is_some() {
        return Err(not_emulated("deleting by version or ETag"));
    }

    let location = ObjectLocation { bucket, key };
    store.blocking(move |store| store.remove(&location)).await?;
    Ok(S3Response::new(DeleteObjectOutput::default()))
}

/// Deletes many objects, each on its own. The response contains the errors.
/// [`Anomaly::PartialBatch`] fails the second half.
pub(super) async fn delete_many(
    store: &Arc<ObjectStore>,
    request: S3Request<DeleteObjectsInput>,
) -> S3Result<S3Response<DeleteObjectsOutput>> {
    let DeleteObjectsInput { bucket, delete, .. } = request.input;
    store.bucket(&bucket)?;
    if !(1..=KEYS_MAX).contains(&delete.objects.len()) {
        return Err(s3_error!(
            MalformedXML,
            "The XML you provided names no key, or more than {KEYS_MAX}."
        ));
    }

    let deleted_count = if request.extensions.get() == Some(&Anomaly::PartialBatch) {
        delete.objects.len() / 2
    } else {
        delete.objects.len()
    };

    let output = store
        .blocking(move |store| Ok(delete_first(store, &bucket, delete, deleted_count)))
        .await?;
    Ok(S3Response::new(output))
}

/// Deletes the first `deleted_count` objects, and returns the others as errors.
fn delete_first(
    store: &ObjectStore,
    bucket: &str,
    delete: dto::Delete,
    deleted_count: usize,
) -> DeleteObjectsOutput {
    let mut deleted = Vec::new();
    let mut errors = Vec::new();
    for (index, object) in delete.objects.into_iter().enumerate() {
        let result = if index < deleted_count {
            delete_identified(store, bucket, &object)
        } else {
            Err(not_deleted())
        };
        match result {
            Ok(()) => deleted.push(DeletedObject {
                key: Some(object.key),
                ..DeletedObject::default()
            }),
            Err(error) => errors.push(dto::Error {
                code: Some(error.code().as_str().to_owned()),
                message: error.message().map(str::to_owned),
                key: Some(object.key),
                version_id: object.version_id,
            }),
        }
    }

    let is_quiet = delete.quiet == Some(true);
    DeleteObjectsOutput {
        deleted: (!is_quiet).then_some(deleted),
        errors: Some(errors),
        ..DeleteObjectsOutput::default()
    }
}

/// An object that an anomaly left in place.
fn not_deleted() -> S3Error {
    s3_error!(
        InternalError,
        "We encountered an internal error. Please try again."
    )
}

fn delete_identified(
    store: &ObjectStore,
    bucket: &str,
    object: &dto::ObjectIdentifier,
) -> Result<(), S3Error> {
    if object.version_id.is_some()
        || object.e_tag.is_some()
        || object.size.is_some()
        || object.last_modified_time.is_some()
    {
        return Err(not_emulated("deleting by version, ETag, size or date"));
    }

    let location = ObjectLocation {
        bucket: bucket.to_owned(),
        key: object.key.clone(),
    };

    Ok(store.remove(&location)?)
}
