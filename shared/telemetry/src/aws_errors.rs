//! Error codes of AWS that say why a call was refused, as far as it is counted, or decides whether
//! it is repeated.

/// Codes of calls for which a service has no capacity ("Error handling with DynamoDB" in the Amazon
/// DynamoDB developer guide, "Common errors" in the Amazon SQS API reference, "Error responses" in
/// the Amazon S3 API reference). The fourth and the fifth are among the reasons of a cancelled
/// transaction (`TransactWriteItems` in the Amazon DynamoDB API reference).
const THROTTLING: [&str; 7] = [
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ThrottlingException",
    "ProvisionedThroughputExceeded",
    "ThrottlingError",
    "RequestThrottled",
    "SlowDown",
];
/// Codes of calls that met another one on the same item or object, or a repetition of themselves.
/// The last but one is among the reasons of a cancelled transaction.
const CONFLICT: [&str; 4] = [
    "TransactionConflictException",
    "TransactionInProgressException",
    "TransactionConflict",
    "ConditionalRequestConflict",
];

/// Whether an error code, or a reason of a cancelled transaction, says that the service had no
/// capacity.
pub fn is_throttling(code: &str) -> bool {
    THROTTLING.contains(&code)
}

/// Whether an error code, or a reason of a cancelled transaction, says that the call met another
/// one.
pub fn is_conflict(code: &str) -> bool {
    CONFLICT.contains(&code)
}
