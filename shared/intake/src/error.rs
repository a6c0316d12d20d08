//! The error type of ingestion.

use domain::errors::{FieldError, ServiceError};

/// Why a file is not ingested.
#[derive(Debug)]
pub enum IngestError {
    /// The file breaks a rule. The response reports it under the file's field.
    FieldError(FieldError),
    Service(ServiceError),
}

impl From<FieldError> for IngestError {
    fn from(field_error: FieldError) -> IngestError {
        IngestError::FieldError(field_error)
    }
}

impl From<ServiceError> for IngestError {
    fn from(error: ServiceError) -> IngestError {
        IngestError::Service(error)
    }
}
