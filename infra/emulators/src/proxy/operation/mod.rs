//! What a request asks for: the operation's name, and what it takes to be allowed.

mod dynamodb;
mod s3;
mod secrets;
mod sqs;

use http::request::Parts;
use serde_json::Value;

use super::{Service, permission::RequiredPermission};

pub(super) use s3::bucket_of;

/// How an operation is called that a request does not name.
const UNKNOWN: &str = "Unknown";

/// What a request asks for.
#[derive(Debug)]
pub(crate) struct Operation {
    /// `TransactWriteItems`, `PutObject`, ….
    pub(super) name: String,
    /// All of these have to be met.
    pub(super) required: Vec<RequiredPermission>,
}

impl Operation {
    /// What a request asks for that could not be read.
    pub(super) fn unknown() -> Operation {
        Operation {
            name: UNKNOWN.to_owned(),
            required: Vec::new(),
        }
    }

    /// Reads a request to a service that speaks AWS JSON. A body that is no JSON required nothing: it
    /// has no effect.
    pub(super) fn of_json(service: Service, head: &Parts, body: &[u8]) -> Operation {
        let target = head
            .headers
            .get("x-amz-target")
            .and_then(|target| target.to_str().ok())
            .unwrap_or_default();
        let name = target.rsplit_once('.').map_or(UNKNOWN, |(_, name)| name);
        let required = serde_json::from_slice::<Value>(body).map_or_else(
            |_| Vec::new(),
            |body| match service {
                Service::SecretsManager => secrets::required(name, &body),
                Service::Sqs => sqs::required(name, &body),
                Service::DynamoDb | Service::S3 => dynamodb::required(name, &body),
            },
        );
        Operation {
            name: name.to_owned(),
            required,
        }
    }

    /// Reads a request to S3.
    pub(super) fn of_s3(head: &Parts) -> Operation {
        s3::operation(head)
    }
}

/// A member of a JSON object that is a string.
fn text<'a>(object: &'a Value, member: &str) -> Option<&'a str> {
    object.get(member)?.as_str()
}
