//! What SQS's operations need.

use serde_json::Value;

use super::{super::permission::RequiredPermission, text};
use crate::arn;

/// What an operation required, by its body. A batch required what its single form required.
pub(super) fn required(operation: &str, body: &Value) -> Vec<RequiredPermission> {
    let action = format!(
        "sqs:{}",
        operation.strip_suffix("Batch").unwrap_or(operation)
    );
    let resource = if let Some(url) = text(body, "QueueUrl") {
        arn::queue(url.rsplit('/').next().unwrap_or_default())
    } else if let Some(name) = text(body, "QueueName") {
        arn::queue(name)
    } else {
        text(body, "SourceArn").unwrap_or("*").to_owned()
    };
    vec![RequiredPermission::new(&action, resource)]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_batch_needs_what_a_single_message_needs() {
        let body = json!({ "QueueUrl": "http://127.0.0.1:1/000000000000/jobs", "Entries": [] });
        let expected = RequiredPermission::new(
            "sqs:SendMessage",
            "arn:aws:sqs:us-east-1:000000000000:jobs".to_owned(),
        );
        assert_eq!(required("SendMessageBatch", &body), [expected]);
    }
}
