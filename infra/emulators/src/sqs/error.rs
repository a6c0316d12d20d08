//! SQS's errors, with the error code and the code of the older query protocol.

use axum::body::Body;
use http::{Response, StatusCode};
use serde_json::json;
use thiserror::Error;

use crate::aws_json::{self, AwsJson};

/// Why an operation, or one entry of a batch, failed.
#[derive(Debug, Error)]
#[error("{message}")]
pub(super) struct SqsError {
    pub(super) code: &'static str,
    /// Code of the query protocol.
    query_code: &'static str,
    status: StatusCode,
    message: String,
}

impl SqsError {
    /// Creates a client error with the same code in both protocols.
    fn client(code: &'static str, message: impl Into<String>) -> SqsError {
        SqsError::client_with_query_code(code, code, message)
    }

    fn client_with_query_code(
        code: &'static str,
        query_code: &'static str,
        message: impl Into<String>,
    ) -> SqsError {
        SqsError {
            code,
            query_code,
            status: StatusCode::BAD_REQUEST,
            message: message.into(),
        }
    }

    fn server(message: impl Into<String>) -> SqsError {
        SqsError {
            code: "InternalError",
            query_code: "InternalError",
            status: StatusCode::INTERNAL_SERVER_ERROR,
            message: message.into(),
        }
    }

    pub(super) fn invalid_value(message: String) -> SqsError {
        SqsError::client("InvalidParameterValue", message)
    }

    pub(super) fn invalid_attribute(name: &str) -> SqsError {
        SqsError::client("InvalidAttributeName", format!("Unknown attribute {name}."))
    }

    pub(super) fn invalid_attribute_value(name: &str) -> SqsError {
        SqsError::client(
            "InvalidAttributeValue",
            format!("Invalid value for the parameter {name}."),
        )
    }

    pub(super) fn invalid_contents() -> SqsError {
        SqsError::client(
            "InvalidMessageContents",
            "Message body may contain only #x9, #xA, #xD, #x20 to #xD7FF, #xE000 to #xFFFD and #x10000 on.",
        )
    }

    pub(super) fn missing(parameter: &str) -> SqsError {
        SqsError::client(
            "MissingParameter",
            format!("The request must contain the parameter {parameter}."),
        )
    }

    pub(super) fn no_queue() -> SqsError {
        SqsError::client_with_query_code(
            "QueueDoesNotExist",
            "AWS.SimpleQueueService.NonExistentQueue",
            "The specified queue does not exist.",
        )
    }

    pub(super) fn queue_exists() -> SqsError {
        SqsError::client_with_query_code(
            "QueueNameExists",
            "QueueAlreadyExists",
            "A queue already exists with the same name and a different value for an attribute.",
        )
    }

    pub(super) fn invalid_receipt() -> SqsError {
        SqsError::client(
            "ReceiptHandleIsInvalid",
            "The input receipt handle is not a valid receipt handle.",
        )
    }

    /// A receipt handle of a message that was deleted, or received again.
    pub(super) fn outdated_receipt(receipt: &str) -> SqsError {
        let message = format!(
            "Value {receipt} for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not \
             available for visibility timeout change."
        );
        SqsError::invalid_value(message)
    }

    pub(super) fn not_in_flight() -> SqsError {
        SqsError::client_with_query_code(
            "MessageNotInflight",
            "AWS.SimpleQueueService.MessageNotInflight",
            "The message does not exist or is not available for a change of its visibility.",
        )
    }

    pub(super) fn empty_batch() -> SqsError {
        SqsError::client_with_query_code(
            "EmptyBatchRequest",
            "AWS.SimpleQueueService.EmptyBatchRequest",
            "There should be at least one entry in the request.",
        )
    }

    pub(super) fn too_many_entries(count: usize) -> SqsError {
        SqsError::client_with_query_code(
            "TooManyEntriesInBatchRequest",
            "AWS.SimpleQueueService.TooManyEntriesInBatchRequest",
            format!("Maximum number of entries per request are 10. You have sent {count}."),
        )
    }

    pub(super) fn duplicate_entry_ids() -> SqsError {
        SqsError::client_with_query_code(
            "BatchEntryIdsNotDistinct",
            "AWS.SimpleQueueService.BatchEntryIdsNotDistinct",
            "Two or more batch entries in the request have the same Id.",
        )
    }

    pub(super) fn invalid_entry_id() -> SqsError {
        SqsError::client_with_query_code(
            "InvalidBatchEntryId",
            "AWS.SimpleQueueService.InvalidBatchEntryId",
            "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be \
             at most 80 letters long.",
        )
    }

    pub(super) fn batch_too_long(max_bytes: usize) -> SqsError {
        SqsError::client_with_query_code(
            "BatchRequestTooLong",
            "AWS.SimpleQueueService.BatchRequestTooLong",
            format!("Batch requests cannot be longer than {max_bytes} bytes."),
        )
    }

    pub(super) fn unknown_operation(name: &str) -> SqsError {
        SqsError::client(
            "InvalidAction",
            format!("The action {name} is not valid for this endpoint."),
        )
    }

    /// An entry that an anomaly left out.
    pub(super) fn not_applied() -> SqsError {
        SqsError::server("The request processing has failed because of an unknown error.")
    }

    pub(super) fn internal(reason: &dyn std::error::Error) -> SqsError {
        SqsError::server(reason.to_string())
    }

    /// Returns whether the client caused the error.
    pub(super) fn is_sender_fault(&self) -> bool {
        self.status.is_client_error()
    }

    /// Creates the error response.
    pub(super) fn response(&self) -> Response<Body> {
        let body = json!({ "__type": format!("com.amazonaws.sqs#{}", self.code), "message": self.message });
        let mut response = AwsJson::V1_0.response(self.status, &body);
        aws_json::set_query_error(&mut response, self.query_code);
        response
    }
}

impl From<rusqlite::Error> for SqsError {
    fn from(error: rusqlite::Error) -> SqsError {
        SqsError::internal(&error)
    }
}
