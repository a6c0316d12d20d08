//! SQS's errors: the code, and the older protocol's name for it, by which clients tell them apart.

use axum::body::Body;
use http::{HeaderValue, Response, StatusCode, header::CONTENT_TYPE};
use serde_json::json;
use thiserror::Error;

/// Why an operation, or one entry of a batch, was refused.
#[derive(Debug, Error)]
#[error("{message}")]
pub(super) struct SqsError {
    pub(super) code: &'static str,
    /// What the query protocol called it.
    legacy_code: &'static str,
    status: StatusCode,
    message: String,
}

impl SqsError {
    fn new(code: &'static str, legacy_code: &'static str, message: String) -> SqsError {
        SqsError {
            code,
            legacy_code,
            status: StatusCode::BAD_REQUEST,
            message,
        }
    }

    pub(super) fn invalid_value(message: String) -> SqsError {
        SqsError::new("InvalidParameterValue", "InvalidParameterValue", message)
    }

    pub(super) fn invalid_attribute(name: &str) -> SqsError {
        SqsError::new(
            "InvalidAttributeName",
            "InvalidAttributeName",
            format!("Unknown attribute {name}."),
        )
    }

    pub(super) fn invalid_attribute_value(name: &str) -> SqsError {
        let message = format!("Invalid value for the parameter {name}.");
        SqsError::new("InvalidAttributeValue", "InvalidAttributeValue", message)
    }

    pub(super) fn invalid_contents() -> SqsError {
        let message = "Message body may contain only #x9, #xA, #xD, #x20 to #xD7FF, #xE000 to #xFFFD and #x10000 on.";
        SqsError::new(
            "InvalidMessageContents",
            "InvalidMessageContents",
            message.to_owned(),
        )
    }

    pub(super) fn missing(parameter: &str) -> SqsError {
        let message = format!("The request must contain the parameter {parameter}.");
        SqsError::new("MissingParameter", "MissingParameter", message)
    }

    pub(super) fn no_queue() -> SqsError {
        let message = "The specified queue does not exist.".to_owned();
        SqsError::new(
            "QueueDoesNotExist",
            "AWS.SimpleQueueService.NonExistentQueue",
            message,
        )
    }

    pub(super) fn queue_exists() -> SqsError {
        let message =
            "A queue already exists with the same name and a different value for an attribute."
                .to_owned();
        SqsError::new("QueueNameExists", "QueueAlreadyExists", message)
    }

    pub(super) fn invalid_receipt() -> SqsError {
        let message = "The input receipt handle is not a valid receipt handle.".to_owned();
        SqsError::new("ReceiptHandleIsInvalid", "ReceiptHandleIsInvalid", message)
    }

    pub(super) fn not_in_flight() -> SqsError {
        let message =
            "The message does not exist or is not available for a change of its visibility."
                .to_owned();
        SqsError::new(
            "MessageNotInflight",
            "AWS.SimpleQueueService.MessageNotInflight",
            message,
        )
    }

    pub(super) fn empty_batch() -> SqsError {
        let message = "There should be at least one entry in the request.".to_owned();
        SqsError::new(
            "EmptyBatchRequest",
            "AWS.SimpleQueueService.EmptyBatchRequest",
            message,
        )
    }

    pub(super) fn too_many_entries(count: usize) -> SqsError {
        let message =
            format!("Maximum number of entries per request are 10. You have sent {count}.");
        SqsError::new(
            "TooManyEntriesInBatchRequest",
            "AWS.SimpleQueueService.TooManyEntriesInBatchRequest",
            message,
        )
    }

    pub(super) fn doubled_entry_ids() -> SqsError {
        let message = "Two or more batch entries in the request have the same Id.".to_owned();
        SqsError::new(
            "BatchEntryIdsNotDistinct",
            "AWS.SimpleQueueService.BatchEntryIdsNotDistinct",
            message,
        )
    }

    pub(super) fn invalid_entry_id() -> SqsError {
        let message = "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be \
                       at most 80 letters long."
            .to_owned();
        SqsError::new(
            "InvalidBatchEntryId",
            "AWS.SimpleQueueService.InvalidBatchEntryId",
            message,
        )
    }

    pub(super) fn batch_too_long(max_bytes: usize) -> SqsError {
        let message = format!("Batch requests cannot be longer than {max_bytes} bytes.");
        SqsError::new(
            "BatchRequestTooLong",
            "AWS.SimpleQueueService.BatchRequestTooLong",
            message,
        )
    }

    pub(super) fn unknown_operation(name: &str) -> SqsError {
        SqsError::new(
            "InvalidAction",
            "InvalidAction",
            format!("The action {name} is not valid for this endpoint."),
        )
    }

    pub(super) fn undone() -> SqsError {
        let message = "The request processing has failed because of an unknown error.".to_owned();
        SqsError {
            status: StatusCode::INTERNAL_SERVER_ERROR,
            ..SqsError::new("InternalError", "InternalError", message)
        }
    }

    pub(super) fn internal(reason: &dyn std::error::Error) -> SqsError {
        let message = reason.to_string();
        SqsError {
            status: StatusCode::INTERNAL_SERVER_ERROR,
            ..SqsError::new("InternalError", "InternalError", message)
        }
    }

    /// Whether the caller is to blame.
    pub(super) fn is_senders(&self) -> bool {
        self.status.is_client_error()
    }

    /// The answer, with the header by which typed errors are recognised.
    pub(super) fn answer(&self) -> Response<Body> {
        let body = json!({ "__type": format!("com.amazonaws.sqs#{}", self.code), "message": self.message });
        let mut answer = json_answer(self.status, body.to_string());
        let blamed = if self.is_senders() {
            "Sender"
        } else {
            "Receiver"
        };
        if let Ok(error) = HeaderValue::try_from(format!("{};{blamed}", self.legacy_code)) {
            answer.headers_mut().insert("x-amzn-query-error", error);
        }
        answer
    }
}

impl From<rusqlite::Error> for SqsError {
    fn from(error: rusqlite::Error) -> SqsError {
        SqsError::internal(&error)
    }
}

/// An answer in AWS JSON 1.0.
pub(super) fn json_answer(status: StatusCode, body: String) -> Response<Body> {
    let mut answer = Response::new(Body::from(body));
    *answer.status_mut() = status;
    answer.headers_mut().insert(
        CONTENT_TYPE,
        HeaderValue::from_static("application/x-amz-json-1.0"),
    );
    answer
}
