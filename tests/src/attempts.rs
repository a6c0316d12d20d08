//! The number of attempts of an AWS call.

use emulators::{Faults, Service};

/// Maximum attempts of a call to DynamoDB. There are few, since retries prolong throttling.
pub const DYNAMODB_ATTEMPTS: u32 = 2;
/// Maximum attempts of a call to another service.
pub const DEFAULT_ATTEMPTS: u32 = 3;

/// Returns the maximum number of attempts of a call to a service.
pub fn max_attempts(service: Service) -> u32 {
    if service == Service::DynamoDb {
        DYNAMODB_ATTEMPTS
    } else {
        DEFAULT_ATTEMPTS
    }
}

/// Returns the number of calls of the disconnected principal that failed with their last attempt.
pub fn failed_calls(faults: &Faults) -> u64 {
    let services = [
        Service::DynamoDb,
        Service::S3,
        Service::Sqs,
        Service::SecretsManager,
    ];
    services
        .iter()
        .map(|service| faults.broken_calls_to(*service) as u64 / u64::from(max_attempts(*service)))
        .sum()
}
