//! AWS error codes that are counted in metrics, or decide whether a call is retried.

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

/// Whether an error code, or a reason of a cancelled transaction, means throttling.
pub fn is_throttling(code: &str) -> bool {
    THROTTLING.contains(&code)
}

/// Whether an error code, or a reason of a cancelled transaction, means a conflict with a concurrent
/// call.
pub fn is_conflict(code: &str) -> bool {
    CONFLICT.contains(&code)
}
