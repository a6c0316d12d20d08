//! Failures of calls to DynamoDB, classified by whether a repetition may succeed.

use std::error::Error as StdError;

use aws_sdk_dynamodb::{
    error::{ProvideErrorMetadata, SdkError},
    operation::RequestId,
    types::CancellationReason,
};
use domain::errors::ServiceError;
use telemetry::aws_cause;

/// Error codes with a 4xx status that are retryable nevertheless. Every 5xx is retryable.
const RETRYABLE: [&str; 2] = [
    "InternalServerError",
    "ItemCollectionSizeLimitExceededException",
];

/// A failed call to DynamoDB.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// DynamoDB is overloaded, does not respond, or returned an incomplete response. Retryable.
    #[error("the table is busy: {0}")]
    Busy(#[source] Box<dyn StdError + Send + Sync>),
    /// DynamoDB throttles the call, which the SDK has already repeated. Retryable.
    #[error("the table is throttled: {0}")]
    Throttled(#[source] Box<dyn StdError + Send + Sync>),
    /// DynamoDB cancelled a transaction because of throttling. Retryable; the SDK does not repeat
    /// it.
    #[error("the table is throttled: {0}")]
    TransactionThrottled(#[source] Box<dyn StdError + Send + Sync>),
    /// The call conflicts with concurrent transactions on the same items. Retryable.
    #[error("the table is contended: {0}")]
    Contended(#[source] Box<dyn StdError + Send + Sync>),
    /// The call is invalid or not permitted. Permanent.
    #[error("the table rejected the call: {0}")]
    Rejected(#[source] Box<dyn StdError + Send + Sync>),
    /// An item cannot be deserialized. Permanent.
    #[error("an item cannot be deserialized: {0}")]
    Unreadable(#[from] serde_dynamo::Error),
}

impl TableError {
    pub(crate) fn busy(why: impl Into<Box<dyn StdError + Send + Sync>>) -> TableError {
        TableError::Busy(why.into())
    }

    pub(crate) fn rejected(why: impl Into<Box<dyn StdError + Send + Sync>>) -> TableError {
        TableError::Rejected(why.into())
    }

    /// Returns whether a repetition may succeed.
    pub(crate) fn is_retryable(&self) -> bool {
        matches!(
            self,
            TableError::Busy(_)
                | TableError::Throttled(_)
                | TableError::TransactionThrottled(_)
                | TableError::Contended(_)
        )
    }

    /// Classifies a failed transaction whose conditions all held. Throttling takes precedence over
    /// conflicts.
    pub(crate) fn from_transaction<E>(
        error: SdkError<E>,
        cancellation: &[CancellationReason],
    ) -> TableError
    where
        E: StdError + ProvideErrorMetadata + Send + Sync + 'static,
        SdkError<E>: RequestId,
    {
        let mut codes = cancellation.iter().filter_map(CancellationReason::code);
        if codes.clone().any(telemetry::is_throttling) {
            TableError::TransactionThrottled(aws_cause(error))
        } else if codes.any(telemetry::is_conflict) {
            TableError::Contended(aws_cause(error))
        } else {
            TableError::from_sdk(error)
        }
    }

    /// Classifies an error of the SDK.
    pub(crate) fn from_sdk<E>(error: SdkError<E>) -> TableError
    where
        E: StdError + ProvideErrorMetadata + Send + Sync + 'static,
        SdkError<E>: RequestId,
    {
        let service = match &error {
            SdkError::ServiceError(service) => service,
            SdkError::ConstructionFailure(_) => return TableError::Rejected(aws_cause(error)),
            _ => return TableError::Busy(aws_cause(error)),
        };
        let is_server_error = service.raw().status().is_server_error();
        match service.err().code() {
            Some(code) if telemetry::is_throttling(code) => TableError::Throttled(aws_cause(error)),
            Some(code) if telemetry::is_conflict(code) => TableError::Contended(aws_cause(error)),
            Some(code) if !is_server_error && !RETRYABLE.contains(&code) => {
                TableError::Rejected(aws_cause(error))
            }
            _ => TableError::Busy(aws_cause(error)),
        }
    }
}

impl TableError {
    /// Whether a change that failed with this error may have been written, because a call of it
    /// failed.
    pub fn may_be_written(error: &ServiceError) -> bool {
        let cause = error.source.as_deref();
        let call = cause.and_then(|cause| cause.downcast_ref::<TableError>());
        call.is_some_and(|call| !matches!(call, TableError::Contended(_)))
    }
}

impl From<TableError> for ServiceError {
    fn from(error: TableError) -> ServiceError {
        match error {
            TableError::Busy(_)
            | TableError::Throttled(_)
            | TableError::TransactionThrottled(_) => ServiceError::unavailable(error),
            TableError::Contended(_) => ServiceError::contended(error),
            TableError::Rejected(_) | TableError::Unreadable(_) => ServiceError::internal(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::{
        config::http::HttpResponse, operation::transact_write_items::TransactWriteItemsError,
    };

    use super::*;

    fn classify(codes: &[&str]) -> TableError {
        let reasons: Vec<_> = codes
            .iter()
            .map(|code| CancellationReason::builder().code(*code).build())
            .collect();
        let metadata = aws_sdk_dynamodb::error::ErrorMetadata::builder()
            .code("TransactionCanceledException")
            .build();

        let error = TransactWriteItemsError::generic(metadata);
        let response = HttpResponse::new(400.try_into().expect("a valid status"), "".into());
        TableError::from_transaction(SdkError::service_error(error, response), &reasons)
    }

    #[test]
    fn throttling_of_a_transaction_takes_precedence_over_conflicts() {
        assert!(matches!(
            classify(&["TransactionConflict", "None"]),
            TableError::Contended(_)
        ));
        for throttled in ["ProvisionedThroughputExceeded", "ThrottlingError"] {
            assert!(matches!(
                classify(&["TransactionConflict", throttled]),
                TableError::TransactionThrottled(_)
            ));
        }
        assert!(matches!(
            classify(&["ValidationError", "None"]),
            TableError::Rejected(_)
        ));
    }
}
