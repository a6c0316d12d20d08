//! SQS's errors.

use axum::body::Body;
use http::{Response, StatusCode};
use serde_json::json;
use thiserror::Error;

use crate::aws_json::{self, AwsJson};

/// Why an operation, or one entry of a batch, failed.
#[derive(Debug, Error)]
pub(super) enum SqsError {
    #[error("{0}")]
    InvalidParameterValue(String),
    #[error("The attribute {0} is unknown, or not emulated.")]
    InvalidAttributeName(String),
    #[error(
        "Message body may contain only #x9, #xA, #xD, #x20 to #xD7FF, #xE000 to #xFFFD and #x10000 on."
    )]
    InvalidMessageContents,
    #[error("The request must contain the parameter MessageBody.")]
    MissingBody,
    #[error("The specified queue does not exist.")]
    NoQueue,
    #[error("The input receipt handle is not a valid receipt handle.")]
    InvalidReceipt,
    #[error("The message does not exist or is not available for a change of its visibility.")]
    NotInFlight,
    #[error("There should be at least one entry in the request.")]
    EmptyBatch,
    #[error("Maximum number of entries per request are 10. You have sent {0}.")]
    TooManyEntries(usize),
    #[error("Two or more batch entries in the request have the same Id.")]
    DuplicateEntryIds,
    #[error(
        "A batch entry id can only contain alphanumeric characters, hyphens and underscores. \
         It can be at most 80 letters long."
    )]
    InvalidEntryId,
    #[error("Batch requests cannot be longer than {0} bytes.")]
    BatchTooLong(usize),
    #[error("The action {0} is not valid for this endpoint.")]
    UnknownOperation(String),
    /// An entry that an anomaly left out.
    #[error("The request processing has failed because of an unknown error.")]
    NotApplied,
    #[error("{0}")]
    Internal(String),
}

impl SqsError {
    pub(super) fn internal(reason: &dyn std::error::Error) -> SqsError {
        SqsError::Internal(reason.to_string())
    }

    pub(super) fn code(&self) -> &'static str {
        match self {
            SqsError::InvalidParameterValue(_) => "InvalidParameterValue",
            SqsError::InvalidAttributeName(_) => "InvalidAttributeName",
            SqsError::InvalidMessageContents => "InvalidMessageContents",
            SqsError::MissingBody => "MissingParameter",
            SqsError::NoQueue => "QueueDoesNotExist",
            SqsError::InvalidReceipt => "ReceiptHandleIsInvalid",
            SqsError::NotInFlight => "MessageNotInflight",
            SqsError::EmptyBatch => "EmptyBatchRequest",
            SqsError::TooManyEntries(_) => "TooManyEntriesInBatchRequest",
            SqsError::DuplicateEntryIds => "BatchEntryIdsNotDistinct",
            SqsError::InvalidEntryId => "InvalidBatchEntryId",
            SqsError::BatchTooLong(_) => "BatchRequestTooLong",
            SqsError::UnknownOperation(_) => "InvalidAction",
            SqsError::NotApplied | SqsError::Internal(_) => "InternalError",
        }
    }

    /// Returns the code of the older query protocol.
    fn query_code(&self) -> String {
        let code = match self {
            SqsError::NoQueue => "NonExistentQueue",
            SqsError::NotInFlight
            | SqsError::EmptyBatch
            | SqsError::TooManyEntries(_)
            | SqsError::DuplicateEntryIds
            | SqsError::InvalidEntryId
            | SqsError::BatchTooLong(_) => self.code(),
            _ => return self.code().to_owned(),
        };
        format!("AWS.SimpleQueueService.{code}")
    }

    /// Returns whether the client caused the error.
    pub(super) fn is_sender_fault(&self) -> bool {
        !matches!(self, SqsError::NotApplied | SqsError::Internal(_))
    }

    /// Creates the error response.
    pub(super) fn response(&self) -> Response<Body> {
        let status = if self.is_sender_fault() {
            StatusCode::BAD_REQUEST
        } else {
            StatusCode::INTERNAL_SERVER_ERROR
        };
        let body = json!({
            "__type": format!("com.amazonaws.sqs#{}", self.code()),
            "message": self.to_string(),
        });

        let mut response = AwsJson::V1_0.response(status, &body);
        aws_json::set_query_error(&mut response, &self.query_code());
        response
    }
}

impl From<rusqlite::Error> for SqsError {
    fn from(error: rusqlite::Error) -> SqsError {
        SqsError::internal(&error)
    }
}
