//! How often the functions' clients try a call.

use emulators::{Faults, Service};

/// Tries of one call to DynamoDB, which is left alone soon while it is throttled.
pub const DYNAMODB_TRIES: u32 = 2;
/// Tries of one call to any other service.
pub const OTHER_TRIES: u32 = 3;

/// Returns how often the functions' clients try one call to a service.
pub fn tries(service: Service) -> u32 {
    if service == Service::DynamoDb {
        DYNAMODB_TRIES
    } else {
        OTHER_TRIES
    }
}

/// Returns how many calls of the principal that is cut off have failed with all their tries.
pub fn failed_calls(faults: &Faults) -> u64 {
    let services = [
        Service::DynamoDb,
        Service::S3,
        Service::Sqs,
        Service::SecretsManager,
    ];
    services
        .iter()
        .map(|service| faults.broken_calls_to(*service) as u64 / u64::from(tries(*service)))
        .sum()
}
