//! The emulated services.

/// One of the emulated services.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Service {
    DynamoDb,
    S3,
    SecretsManager,
    Sqs,
}
