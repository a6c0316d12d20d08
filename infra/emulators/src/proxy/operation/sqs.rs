//! Permissions of SQS operations.

use serde_json::Value;

use super::json::string;
use crate::{arn, proxy::permission::RequiredPermission};

/// Returns the permission that a request requires. A batch requires the action of its single form.
pub(super) fn required_permissions(operation: &str, body: &Value) -> Vec<RequiredPermission> {
    let single_operation = operation.strip_suffix("Batch").unwrap_or(operation);
    let resource = if let Some(url) = string(body, "QueueUrl") {
        arn::queue(url.rsplit('/').next().unwrap_or_default())
    } else if let Some(name) = string(body, "QueueName") {
        arn::queue(name)
    } else {
        string(body, "SourceArn").unwrap_or("*").to_owned()
    };
    let action = format!("sqs:{single_operation}");
    vec![RequiredPermission::new(&action, resource)]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn batch_requires_permission_of_single_operation() {
        let body = json!({ "QueueUrl": "http://127.0.0.1:1/000000000000/jobs", "Entries": [] });
        let expected = RequiredPermission::new(
            "sqs:SendMessage",
            "arn:aws:sqs:us-east-1:000000000000:jobs".to_owned(),
        );
        assert_eq!(required_permissions("SendMessageBatch", &body), [expected]);
    }
}
