//! Why a file is not ingested.

use domain::{Fault, Violation};

/// Why a file is not ingested.
#[derive(Debug)]
pub enum IngestError {
    /// The file breaks a rule, which the response reports under the file's field.
    Violation(Violation),
    /// The service failed.
    Fault(Fault),
}

impl From<Violation> for IngestError {
    fn from(violation: Violation) -> IngestError {
        IngestError::Violation(violation)
    }
}

impl From<Fault> for IngestError {
    fn from(fault: Fault) -> IngestError {
        IngestError::Fault(fault)
    }
}
