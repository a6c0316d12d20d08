//! What SQS's operations need.

use serde_json::Value;

use super::{super::permission::Need, text};
use crate::arn;

/// What an operation needs, by its body. A batch needs what its single form needs.
pub(super) fn needs(operation: &str, body: &Value) -> Vec<Need> {
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
    vec![Need::new(&action, resource)]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_batch_needs_what_a_single_message_needs() {
        let body = json!({ "QueueUrl": "http://127.0.0.1:1/000000000000/jobs", "Entries": [] });
        let expected = Need::new(
            "sqs:SendMessage",
            "arn:aws:sqs:us-east-1:000000000000:jobs".to_owned(),
        );
        assert_eq!(needs("SendMessageBatch", &body), [expected]);
    }
}
