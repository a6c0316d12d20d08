//! What can go wrong with the table itself.

use std::error::Error as StdError;

use aws_sdk_dynamodb::{
    error::{ProvideErrorMetadata, SdkError},
    operation::RequestId,
};
use domain::Fault;

/// Refusals that pass by themselves.
const PASSING: [&str; 7] = [
    "InternalServerError",
    "ItemCollectionSizeLimitExceededException",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ThrottlingException",
    "TransactionConflictException",
    "TransactionInProgressException",
];

/// A failed call.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The table is overloaded, does not answer, or gave an incomplete answer: another try may help.
    #[error("the table is busy: {0}")]
    Busy(#[source] Box<dyn StdError + Send + Sync>),
    /// The call is wrong, or not allowed: another try would fail as well.
    #[error("the table refused: {0}")]
    Refused(#[source] Box<dyn StdError + Send + Sync>),
    /// A record cannot be read.
    #[error("a record cannot be read: {0}")]
    Unreadable(#[from] serde_dynamo::Error),
}

impl Error {
    pub(crate) fn busy(why: impl Into<Box<dyn StdError + Send + Sync>>) -> Error {
        Error::Busy(why.into())
    }

    pub(crate) fn from_sdk<E, R>(error: SdkError<E, R>) -> Error
    where
        E: StdError + ProvideErrorMetadata + Send + Sync + 'static,
        R: std::fmt::Debug + Send + Sync + 'static,
        SdkError<E, R>: RequestId,
    {
        let passes = match &error {
            SdkError::ServiceError(service) => service.err().code().is_none_or(|code| PASSING.contains(&code)),
            SdkError::ConstructionFailure(_) => false,
            _ => true,
        };
        if passes { Error::Busy(error.into()) } else { Error::Refused(error.into()) }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        match error {
            Error::Busy(_) => Fault::unavailable(error),
            Error::Refused(_) | Error::Unreadable(_) => Fault::internal(error),
        }
    }
}
