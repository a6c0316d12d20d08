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

    /// Returns the permissions that a request requires, each as its action and its resource.
    fn required(service: Service, operation: &str, body: &str) -> Vec<String> {
        let request = Request::builder().header("x-amz-target", format!("Version.{operation}"));
        let (head, ()) = request.body(()).unwrap().into_parts();
        let required = parse_json(service, &head, body.as_bytes()).required;
        let required = required.iter();
        required
            .map(|required| format!("{} {}", required.action, required.resource))
            .collect()
    }

    #[test]
    fn request_requires_permissions_on_the_resources_that_it_names() {
        for (operation, body, expected) in [
            (
                "BatchGetItem",
                r#"{"RequestItems":{"a":{}}}"#,
                &["dynamodb:BatchGetItem arn:aws:dynamodb:us-east-1:000000000000:table/a"][..],
            ),
            (
                "TransactWriteItems",
                r#"{"TransactItems":[{"Put":{"TableName":"a"}},{"ConditionCheck":{"TableName":"b"}}]}"#,
                &[
                    "dynamodb:PutItem arn:aws:dynamodb:us-east-1:000000000000:table/a",
                    "dynamodb:ConditionCheckItem arn:aws:dynamodb:us-east-1:000000000000:table/b",
                ],
            ),
            (
                "Query",
                r#"{"TableName":"a","IndexName":"i"}"#,
                &["dynamodb:Query arn:aws:dynamodb:us-east-1:000000000000:table/a/index/i"],
            ),
            // A member of the wrong type, a body of the wrong type, and no JSON.
            ("Query", r#"{"TableName":"a","QueueUrl":5}"#, &["* *"]),
            ("Query", "[]", &["* *"]),
            ("Query", "{", &[]),
        ] {
            let required = required(Service::DynamoDb, operation, body);
            assert_eq!(required, expected, "{body}");
        }

        let url = r#"{"QueueUrl":"http://127.0.0.1:1/000000000000/jobs"}"#;
        assert_eq!(
            required(Service::Sqs, "SendMessageBatch", url),
            ["sqs:SendMessage arn:aws:sqs:us-east-1:000000000000:jobs"]
        );

        let arn = "arn:aws:secretsmanager:us-east-1:000000000000:secret:larder-Master-abcdef";
        for id in [arn, "larder-Master"] {
            let body = format!(r#"{{"SecretId":"{id}"}}"#);
            let required = required(Service::SecretsManager, "GetSecretValue", &body);
            assert_eq!(required, [format!("secretsmanager:GetSecretValue {arn}")]);
        }
    }
}
