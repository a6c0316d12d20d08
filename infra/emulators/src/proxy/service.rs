//! The emulated services.

/// One of the emulated services.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Service {
    /// DynamoDB.
    DynamoDb,
    /// S3.
    S3,
    /// Secrets Manager.
    SecretsManager,
    /// SQS.
    Sqs,
}
