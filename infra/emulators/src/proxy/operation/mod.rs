//! Parses which operation a request calls, and which permissions it requires.

mod dynamodb;
mod json;
mod s3;
mod secrets;
mod sqs;

use http::request::Parts;
use serde_json::Value;

use super::{
    attempt::{AwsOperation, UNKNOWN_OPERATION},
    service::Service,
};

pub(super) use s3::{bucket as s3_bucket, parse as parse_s3};

/// Parses a request in AWS JSON. A body that is not JSON requires no permission: it has no effect.
pub(super) fn parse_json(service: Service, head: &Parts, body: &[u8]) -> AwsOperation {
    // `DynamoDB_20120810.PutItem`.
    let target = head
        .headers
        .get("x-amz-target")
        .and_then(|target| target.to_str().ok())
        .unwrap_or_default();
    let name = target
        .rsplit_once('.')
        .map_or(UNKNOWN_OPERATION, |(_, name)| name);

    let required = match serde_json::from_slice::<Value>(body) {
        Err(_) => Vec::new(),
        Ok(body) => match service {
            Service::SecretsManager => secrets::required_permissions(name, &body),
            Service::Sqs => sqs::required_permissions(name, &body),
            Service::DynamoDb | Service::S3 => dynamodb::required_permissions(name, &body),
        },
    };

    AwsOperation {
        name: name.to_owned(),
        required,
    }
}
