//! `DeleteObject` and `DeleteObjects`.

use std::sync::Arc;

use s3s::{
    S3Error, S3ErrorCode, S3Request, S3Response, S3Result,
    dto::{
        self, DeleteObjectInput, DeleteObjectOutput, DeleteObjectsInput, DeleteObjectsOutput,
        DeletedObject, ETagCondition,
    },
    s3_error,
};

use super::{
    condition::WriteCondition,
    fault::not_emulated,
    shared::{Address, Shared},
};
use crate::anomaly::Anomaly;

/// Keys that one request may delete.
const KEYS_MAX: usize = 1000;

/// Deletes one object. That there is none is no error, unless a condition says so.
pub(super) async fn delete(
    shared: &Arc<Shared>,
    request: S3Request<DeleteObjectInput>,
) -> S3Result<S3Response<DeleteObjectOutput>> {
    let DeleteObjectInput {
        bucket,
        key,
        version_id,
        ..
    } = request.input;
    shared.bucket(&bucket)?;
    if version_id.is_some() {
        return Err(not_emulated("versions"));
    }
    let condition = WriteCondition::from_headers(&request.headers)?;
    shared
        .blocking(move |shared| shared.remove(&Address { bucket, key }, &condition))
        .await?;
    Ok(S3Response::new(DeleteObjectOutput::default()))
}

/// Deletes many objects, each on its own: the answer names those that failed. By [`Anomaly::PartialBatch`] the
/// second half does.
pub(super) async fn delete_many(
    shared: &Arc<Shared>,
    request: S3Request<DeleteObjectsInput>,
) -> S3Result<S3Response<DeleteObjectsOutput>> {
    let DeleteObjectsInput { bucket, delete, .. } = request.input;
    shared.bucket(&bucket)?;
    if !(1..=KEYS_MAX).contains(&delete.objects.len()) {
        return Err(s3_error!(
            MalformedXML,
            "The XML you provided names no key, or more than {KEYS_MAX}."
        ));
    }
    let is_half = request.extensions.get() == Some(&Anomaly::PartialBatch);
    let outcome = shared.blocking(move |shared| {
        let mut deleted = Vec::new();
        let mut errors = Vec::new();
        let to_be_deleted = if is_half {
            delete.objects.len() / 2
        } else {
            delete.objects.len()
        };
        for (index, object) in delete.objects.into_iter().enumerate() {
            let done = if index < to_be_deleted {
                delete_named(shared, &bucket, &object)
            } else {
                Err(undone())
            };
            match done {
                Ok(()) => deleted.push(DeletedObject {
                    key: Some(object.key),
                    ..DeletedObject::default()
                }),
                Err(rejection) => errors.push(dto::Error {
                    code: Some(rejection.code().as_str().to_owned()),
                    message: rejection.message().map(str::to_owned),
                    key: Some(object.key),
                    version_id: object.version_id,
                }),
            }
        }
        let deleted = (delete.quiet != Some(true)).then_some(deleted);
        Ok(DeleteObjectsOutput {
            deleted,
            errors: Some(errors),
            ..DeleteObjectsOutput::default()
        })
    });
    Ok(S3Response::new(outcome.await?))
}

fn undone() -> S3Error {
    s3_error!(
        InternalError,
        "We encountered an internal error. Please try again."
    )
}

fn delete_named(
    shared: &Shared,
    bucket: &str,
    object: &dto::ObjectIdentifier,
) -> Result<(), S3Error> {
    if object.version_id.is_some() || object.size.is_some() || object.last_modified_time.is_some() {
        return Err(not_emulated("deleting by version, size or date"));
    }
    if object.key.is_empty() {
        return Err(S3Error::with_message(
            S3ErrorCode::UserKeyMustBeSpecified,
            "A key must be specified.",
        ));
    }
    let condition = WriteCondition::matching(object.e_tag.clone().map(ETagCondition::ETag));
    let address = Address {
        bucket: bucket.to_owned(),
        key: object.key.clone(),
    };
    Ok(shared.remove(&address, &condition)?)
}
