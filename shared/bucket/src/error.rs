//! Failures of calls to S3, classified by whether a repetition may succeed.

use std::{error::Error as StdError, fmt};

use aws_sdk_s3::error::{ProvideErrorMetadata, SdkError};
use domain::errors::ServiceError;
use telemetry::aws_cause;

/// Error codes that are retryable.
pub(crate) const RETRYABLE: [&str; 5] = [
    "ConditionalRequestConflict",
    "InternalError",
    "RequestTimeout",
    "ServiceUnavailable",
    "SlowDown",
];
/// Error code of an object that does not exist.
pub(crate) const NO_SUCH_KEY: &str = "NoSuchKey";
/// Error code of a failed precondition.
pub(crate) const PRECONDITION_FAILED: &str = "PreconditionFailed";

/// A failed call to S3.
#[derive(Debug, thiserror::Error)]
pub enum BucketError {
    /// S3 is overloaded or does not respond. Retryable.
    #[error("the bucket is busy: {0}")]
    Busy(#[source] Box<dyn StdError + Send + Sync>),
    /// The call is invalid or not permitted. Permanent.
    #[error("the bucket rejected the call: {0}")]
    Rejected(#[source] Box<dyn StdError + Send + Sync>),
}

impl BucketError {
    pub(crate) fn busy(why: impl Into<Box<dyn StdError + Send + Sync>>) -> BucketError {
        BucketError::Busy(why.into())
    }

    pub(crate) fn rejected(why: impl Into<Box<dyn StdError + Send + Sync>>) -> BucketError {
        BucketError::Rejected(why.into())
    }

    /// Classifies an error of the SDK.
    pub(crate) fn from_sdk<E, R>(error: SdkError<E, R>) -> BucketError
    where
        E: StdError + ProvideErrorMetadata + Send + Sync + 'static,
        R: fmt::Debug + Send + Sync + 'static,
    {
        let is_retryable = match &error {
            SdkError::ServiceError(service) => service
                .err()
                .code()
                .is_none_or(|code| RETRYABLE.contains(&code)),
            SdkError::ConstructionFailure(_) => false,
            _ => true,
        };
        if is_retryable {
            BucketError::Busy(aws_cause(error))
        } else {
            BucketError::Rejected(aws_cause(error))
        }
    }
}

impl From<BucketError> for ServiceError {
    fn from(error: BucketError) -> ServiceError {
        match error {
            BucketError::Busy(_) => ServiceError::unavailable(error),
            BucketError::Rejected(_) => ServiceError::internal(error),
        }
    }
}

/// Returns the error code of S3.
pub(crate) fn code<E: ProvideErrorMetadata, R>(error: &SdkError<E, R>) -> Option<&str> {
    error
        .as_service_error()
        .and_then(ProvideErrorMetadata::code)
}
