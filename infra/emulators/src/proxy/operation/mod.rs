//! Parses which operation a request calls, and which permissions it requires.

mod dynamodb;
mod requested;
mod s3;
mod secrets;
mod sqs;

use http::request::Parts;

use self::requested::RequestedResources;
use super::{
    attempt::{AwsOperation, UNKNOWN_OPERATION},
    permission::RequiredPermission,
    service::Service,
};

pub(super) use s3::{bucket as s3_bucket, deletions as s3_deletions, parse as parse_s3};

/// Parses a request in AWS JSON. A body that is not JSON requires no permission: it has no effect.
/// If a member that names resources has the wrong type or is repeated, the request requires all
/// actions on all resources.
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

    let required = match serde_json::from_slice::<RequestedResources>(body) {
        Ok(requested) => match service {
            Service::SecretsManager => secrets::required_permissions(name, &requested),
            Service::Sqs => sqs::required_permissions(name, &requested),
            Service::DynamoDb | Service::S3 => dynamodb::required_permissions(name, &requested),
        },
        Err(error) if error.is_data() => vec![RequiredPermission::new("*", "*".to_owned())],
        Err(_) => Vec::new(),
    };

    AwsOperation {
        name: name.to_owned(),
        required,
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;
    use crate::arn;

    #[test]
    fn member_of_wrong_type_requires_permission_on_everything() {
        let required = |body: &[u8]| {
            let request =
                Request::builder().header("x-amz-target", "DynamoDB_20120810.BatchGetItem");
            let (head, ()) = request.body(()).expect("a request").into_parts();
            parse_json(Service::DynamoDb, &head, body).required
        };
        let everything = [RequiredPermission::new("*", "*".to_owned())];

        assert_eq!(
            required(br#"{"RequestItems":{"a":{}},"QueueUrl":5}"#),
            everything
        );
        assert_eq!(required(b"[]"), everything);
        let on_table = RequiredPermission::new("dynamodb:BatchGetItem", arn::table("a"));
        assert_eq!(required(br#"{"RequestItems":{"a":{}}}"#), [on_table]);
        assert_eq!(required(b"{"), []);
    }
}
