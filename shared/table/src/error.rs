//! What can go wrong with the table itself.

use std::error::Error as StdError;

use aws_sdk_dynamodb::{
    error::{ProvideErrorMetadata, SdkError},
    operation::RequestId,
    types::CancellationReason,
};
use domain::Fault;

/// Error codes of calls that succeed when they are repeated later, besides all of server errors.
const RETRYABLE: [&str; 2] = [
    "InternalServerError",
    "ItemCollectionSizeLimitExceededException",
];

/// A failed call.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The table is overloaded, does not answer, or gave an incomplete answer: another try may
    /// help.
    #[error("the table is busy: {0}")]
    Busy(#[source] Box<dyn StdError + Send + Sync>),
    /// The table has no capacity left for the call, which the SDK has repeated: a later try may
    /// help.
    #[error("the table is throttled: {0}")]
    Throttled(#[source] Box<dyn StdError + Send + Sync>),
    /// A transaction was cancelled because of throttling. The SDK does not repeat it.
    #[error("the table is throttled: {0}")]
    TransactionThrottled(#[source] Box<dyn StdError + Send + Sync>),
    /// The write lost a race against others: another try may help.
    #[error("the table is contended: {0}")]
    Contended(#[source] Box<dyn StdError + Send + Sync>),
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

    pub(crate) fn refused(why: impl Into<Box<dyn StdError + Send + Sync>>) -> Error {
        Error::Refused(why.into())
    }

    /// Whether another try may help.
    pub(crate) fn is_retryable(&self) -> bool {
        matches!(
            self,
            Error::Busy(_)
                | Error::Throttled(_)
                | Error::TransactionThrottled(_)
                | Error::Contended(_)
        )
    }

    /// Classifies a failed transaction, none of whose conditions failed. Throttling outweighs a
    /// conflict.
    pub(crate) fn from_transaction<E>(
        error: SdkError<E>,
        cancellation: &[CancellationReason],
    ) -> Error
    where
        E: StdError + ProvideErrorMetadata + Send + Sync + 'static,
        SdkError<E>: RequestId,
    {
        let mut codes = cancellation.iter().filter_map(CancellationReason::code);
        if codes.clone().any(telemetry::is_throttling) {
            Error::TransactionThrottled(error.into())
        } else if codes.any(telemetry::is_conflict) {
            Error::Contended(error.into())
        } else {
            Error::from_sdk(error)
        }
    }

    pub(crate) fn from_sdk<E>(error: SdkError<E>) -> Error
    where
        E: StdError + ProvideErrorMetadata + Send + Sync + 'static,
        SdkError<E>: RequestId,
    {
        let service = match &error {
            SdkError::ServiceError(service) => service,
            SdkError::ConstructionFailure(_) => return Error::Refused(error.into()),
            _ => return Error::Busy(error.into()),
        };
        let is_server_error = service.raw().status().is_server_error();
        match service.err().code() {
            Some(code) if telemetry::is_throttling(code) => Error::Throttled(error.into()),
            Some(code) if telemetry::is_conflict(code) => Error::Contended(error.into()),
            Some(code) if !is_server_error && !RETRYABLE.contains(&code) => {
                Error::Refused(error.into())
            }
            _ => Error::Busy(error.into()),
        }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        match error {
            Error::Busy(_) | Error::Throttled(_) | Error::TransactionThrottled(_) => {
                Fault::unavailable(error)
            }
            Error::Contended(_) => Fault::contended(error),
            Error::Refused(_) | Error::Unreadable(_) => Fault::internal(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::{
        config::http::HttpResponse, operation::transact_write_items::TransactWriteItemsError,
    };

    use super::*;

    fn classify(codes: &[&str]) -> Error {
        let reasons: Vec<_> = codes
            .iter()
            .map(|code| CancellationReason::builder().code(*code).build())
            .collect();
        let metadata = aws_sdk_dynamodb::error::ErrorMetadata::builder()
            .code("TransactionCanceledException")
            .build();
        let error = TransactWriteItemsError::generic(metadata);
        let response = HttpResponse::new(400.try_into().expect("a status"), "".into());
        Error::from_transaction(SdkError::service_error(error, response), &reasons)
    }

    #[test]
    fn throttling_of_a_transaction_outweighs_its_conflicts() {
        assert!(matches!(
            classify(&["TransactionConflict", "None"]),
            Error::Contended(_)
        ));
        for throttled in ["ProvisionedThroughputExceeded", "ThrottlingError"] {
            assert!(matches!(
                classify(&["TransactionConflict", throttled]),
                Error::TransactionThrottled(_)
            ));
        }
        assert!(matches!(
            classify(&["ValidationError", "None"]),
            Error::Refused(_)
        ));
    }
}
