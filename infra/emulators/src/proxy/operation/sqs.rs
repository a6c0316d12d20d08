//! Permissions of SQS operations.

use super::requested::RequestedResources;
use crate::{arn, proxy::permission::RequiredPermission};

/// Returns the permission that a request requires. A batch requires the action of its single form.
pub(super) fn required_permissions(
    operation: &str,
    requested: &RequestedResources,
) -> Vec<RequiredPermission> {
    let single_operation = operation.strip_suffix("Batch").unwrap_or(operation);
    let resource = if let Some(url) = &requested.queue_url {
        arn::queue(url.rsplit('/').next().unwrap_or_default())
    } else if let Some(name) = &requested.queue_name {
        arn::queue(name)
    } else {
        requested.source_arn.as_deref().unwrap_or("*").to_owned()
    };
    let action = format!("sqs:{single_operation}");
    vec![RequiredPermission::new(&action, resource)]
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::*;

    #[test]
    fn request_requires_permission_of_single_operation_on_its_queue() {
        let arn = "arn:aws:sqs:us-east-1:000000000000:jobs";
        let url = "http://127.0.0.1:1/000000000000/jobs";
        for (operation, body, action) in [
            (
                "SendMessageBatch",
                json!({ "QueueUrl": url }),
                "SendMessage",
            ),
            ("GetQueueUrl", json!({ "QueueName": "jobs" }), "GetQueueUrl"),
            (
                "StartMessageMoveTask",
                json!({ "SourceArn": arn }),
                "StartMessageMoveTask",
            ),
        ] {
            let requested = from_value(body).expect("a request");
            let expected = RequiredPermission::new(&format!("sqs:{action}"), arn.to_owned());
            assert_eq!(required_permissions(operation, &requested), [expected]);
        }
    }
}
