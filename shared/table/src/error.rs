//! What can go wrong with the table itself.

use std::error::Error as StdError;

use aws_sdk_dynamodb::{
    error::{ProvideErrorMetadata, SdkError},
    operation::RequestId,
    types::CancellationReason,
};
use domain::ServiceError;

/// Error codes of calls that succeed when they are repeated later, besides all of server errors.
const RETRYABLE: [&str; 2] = [
    "InternalServerError",
    "ItemCollectionSizeLimitExceededException",
];

/// A failed call.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
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

impl TableError {
    pub(crate) fn busy(why: impl Into<Box<dyn StdError + Send + Sync>>) -> TableError {
        TableError::Busy(why.into())
    }

    pub(crate) fn refused(why: impl Into<Box<dyn StdError + Send + Sync>>) -> TableError {
        TableError::Refused(why.into())
    }

    /// Whether another try may help.
    pub(crate) fn is_retryable(&self) -> bool {
        matches!(
            self,
            TableError::Busy(_)
                | TableError::Throttled(_)
                | TableError::TransactionThrottled(_)
                | TableError::Contended(_)
        )
    }

    /// Classifies a failed transaction, none of whose conditions failed. Throttling outweighs a
    /// conflict.
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
            TableError::TransactionThrottled(error.into())
        } else if codes.any(telemetry::is_conflict) {
            TableError::Contended(error.into())
        } else {
            TableError::from_sdk(error)
        }
    }

    pub(crate) fn from_sdk<E>(error: SdkError<E>) -> TableError
    where
        E: StdError + ProvideErrorMetadata + Send + Sync + 'static,
        SdkError<E>: RequestId,
    {
        let service = match &error {
            SdkError::ServiceError(service) => service,
            SdkError::ConstructionFailure(_) => return TableError::Refused(error.into()),
            _ => return TableError::Busy(error.into()),
        };
        let is_server_error = service.raw().status().is_server_error();
        match service.err().code() {
            Some(code) if telemetry::is_throttling(code) => TableError::Throttled(error.into()),
            Some(code) if telemetry::is_conflict(code) => TableError::Contended(error.into()),
            Some(code) if !is_server_error && !RETRYABLE.contains(&code) => {
                TableError::Refused(error.into())
            }
            _ => TableError::Busy(error.into()),
        }
    }
}

impl From<TableError> for ServiceError {
    fn from(error: TableError) -> ServiceError {
        match error {
            TableError::Busy(_)
            | TableError::Throttled(_)
            | TableError::TransactionThrottled(_) => ServiceError::unavailable(error),
            TableError::Contended(_) => ServiceError::contended(error),
            TableError::Refused(_) | TableError::Unreadable(_) => ServiceError::internal(error),
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
        let response = HttpResponse::new(400.try_into().expect("a status"), "".into());
        TableError::from_transaction(SdkError::service_error(error, response), &reasons)
    }

    #[test]
    fn throttling_of_a_transaction_outweighs_its_conflicts() {
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
            TableError::Refused(_)
        ));
    }
}
