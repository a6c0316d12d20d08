//! Permissions of SQS operations.

use super::requested::RequestedResources;
use crate::{arn, proxy::permission::RequiredPermission};

/// Returns the permission that a request requires. A batch requires the action of its single form.
pub(super) fn required_permissions(
    operation: &str,
    requested: &RequestedResources,
) -> Vec<RequiredPermission> {
    let single_operation = operation.strip_suffix("Batch").unwrap_or(operation);
    let resource = requested.queue_url.as_deref().map_or_else(
        || "*".to_owned(),
        |url| arn::queue(url.rsplit('/').next().unwrap_or_default()),
    );
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
        let requested = from_value(json!({ "QueueUrl": url })).expect("a request");
        let expected = RequiredPermission::new("sqs:SendMessage", arn.to_owned());
        assert_eq!(
            required_permissions("SendMessageBatch", &requested),
            [expected]
        );
    }
}
