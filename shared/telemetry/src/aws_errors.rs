//! AWS errors: codes that are counted in metrics or decide whether a call is retried, and their text
//! in the log.

use std::fmt;

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
/// Codes of calls that conflicted with a concurrent call on the same item or object, or with a retry
/// of themselves. `TransactionConflict` is a reason of a cancelled transaction.
const CONFLICT: [&str; 4] = [
    "TransactionConflictException",
    "TransactionInProgressException",
    "TransactionConflict",
    "ConditionalRequestConflict",
];

/// An error response of an AWS service.
#[derive(Clone, Copy, Debug)]
pub struct AwsError<'a> {
    /// Error code.
    pub code: &'a str,
    /// Message for people.
    pub message: Option<&'a str>,
    /// Id of the request, which AWS Support asks for.
    pub request_id: Option<&'a str>,
}

impl fmt::Display for AwsError<'_> {
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

/// Whether an error code, or a reason of a cancelled transaction, means throttling.
pub fn is_throttling(code: &str) -> bool {
    THROTTLING.contains(&code)
}

/// Whether an error code, or a reason of a cancelled transaction, means a conflict with a concurrent
/// call.
pub fn is_conflict(code: &str) -> bool {
    CONFLICT.contains(&code)
}
