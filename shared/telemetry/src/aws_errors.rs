//! AWS errors: codes that are counted in metrics or decide whether a call is retried, and their
//! text in the log.

use std::{error::Error as StdError, fmt};

use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;

/// Codes of throttled calls ("Error handling with DynamoDB" in the Amazon
/// DynamoDB developer guide, "Common errors" in the Amazon SQS API reference, "Error responses" in
/// the Amazon S3 API reference). The fourth and the fifth are reasons of a cancelled transaction
/// (`TransactWriteItems` in the Amazon DynamoDB API reference).
const THROTTLING: [&str; 7] = [
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ThrottlingException",
    "ProvisionedThroughputExceeded",
    "ThrottlingError",
    "RequestThrottled",
    "SlowDown",
];
/// Codes of calls that conflicted with a concurrent call on the same item or object, or with a
/// retry of themselves. `TransactionConflict` is a reason of a cancelled transaction.
const CONFLICT: [&str; 4] = [
    "TransactionConflictException",
    "TransactionInProgressException",
    "TransactionConflict",
    "ConditionalRequestConflict",
];

/// An error response of an AWS service, as text.
struct ErrorResponse<'a> {
    code: &'a str,
    message: Option<&'a str>,
    /// Id of the request, which AWS Support asks for.
    request_id: Option<&'a str>,
}

impl fmt::Display for ErrorResponse<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.code)?;
        if let Some(message) = self.message {
            write!(formatter, ": {message}")?;
        }
        if let Some(request_id) = self.request_id {
            write!(formatter, " (request {request_id})")?;
        }
        Ok(())
    }
}

/// Returns a failed call as the cause of an error: of an error response its code, message and
/// request id. The SDK's own text of a response contains Rust debug output. An error without a code
/// is returned whole: its `Debug` output, unlike its text, may contain the response.
pub fn aws_cause<E, R>(error: SdkError<E, R>) -> Box<dyn StdError + Send + Sync>
where
    E: StdError + ProvideErrorMetadata + Send + Sync + 'static,
    R: fmt::Debug + Send + Sync + 'static,
{
    let Some(code) = error.code() else {
        return error.into();
    };
    let response = ErrorResponse {
        code,
        message: error.message(),
        request_id: error.meta().extra("aws_request_id"),
    };
    response.to_string().into()
}

/// Whether an error code, or a reason of a cancelled transaction, means throttling.
pub fn is_throttling(code: &str) -> bool {
    THROTTLING.contains(&code)
}

/// Whether an error code, or a reason of a cancelled transaction, means a conflict with a
/// concurrent call.
pub fn is_conflict(code: &str) -> bool {
    CONFLICT.contains(&code)
}
