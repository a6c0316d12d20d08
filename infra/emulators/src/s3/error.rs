//! Errors of opening the store and of S3 operations.
//!
//! Invariant: a client error has a specific code and message. A failure of the store is an
//! `InternalError` without details.

use std::{
    io,
    path::{Path, PathBuf},
};

use s3s::{S3Error, s3_error};
use thiserror::Error;

/// Why the store could not be opened.
#[derive(Debug, Error)]
pub(crate) enum OpenError {
    /// A file or directory could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file or directory.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The database could not be read.
    #[error("{}: damaged database: {reason}", path.display())]
    Damaged { path: PathBuf, reason: String },
    /// The bytes of an object are missing or truncated.
    #[error(
        "{} {}. It should contain the {expected} bytes of {owner}",
        path.display(),
        match found {
            Some(found) => format!("contains {found} bytes"),
            None => "is missing".to_owned(),
        }
    )]
    Blob {
        path: PathBuf,
        /// Bucket and key of the object, or the part.
        owner: String,
        /// Expected size, in bytes.
        expected: u64,
        /// Actual size in bytes, if the file exists.
        found: Option<u64>,
    },
}

impl OpenError {
    pub(super) fn file(path: &Path, source: io::Error) -> OpenError {
        OpenError::File {
            path: path.to_owned(),
            source,
        }
    }
}

/// Why an operation failed.
#[derive(Debug, Error)]
pub(super) enum OperationError {
    /// The request is rejected.
    #[error(transparent)]
    Rejected(#[from] S3Error),
    #[error("database: {0}")]
    Database(#[from] rusqlite::Error),
    /// A file could not be read or written.
    #[error("file: {0}")]
    File(#[from] io::Error),
    /// The blocking task panicked or was aborted.
    #[error("{0}")]
    Task(#[from] tokio::task::JoinError),
}

impl From<OperationError> for S3Error {
    fn from(error: OperationError) -> S3Error {
        match error {
            OperationError::Rejected(rejection) => rejection,
            failure if failure.is_disk_full() => disk_full(),
            failure => s3_error!(
                failure,
                InternalError,
                "We encountered an internal error. Please try again."
            ),
        }
    }
}

impl OperationError {
    fn is_disk_full(&self) -> bool {
        match self {
            OperationError::File(error) => error.kind() == io::ErrorKind::StorageFull,
            OperationError::Database(error) => {
                error.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull)
            }
            OperationError::Rejected(_) | OperationError::Task(_) => false,
        }
    }
}

/// The disk of the data directory is full, which cannot happen on AWS.
fn disk_full() -> S3Error {
    s3_error!(
        ServiceUnavailable,
        "The disk of the data directory is full. Delete files, here or elsewhere."
    )
}

/// The object does not exist.
pub(super) fn no_such_key() -> S3Error {
    s3_error!(NoSuchKey, "The specified key does not exist.")
}

/// The multipart upload does not exist.
pub(super) fn no_such_upload() -> S3Error {
    s3_error!(
        NoSuchUpload,
        "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed."
    )
}

/// A condition of the request does not hold.
pub(super) fn precondition_failed() -> S3Error {
    s3_error!(
        PreconditionFailed,
        "At least one of the pre-conditions you specified did not hold"
    )
}

/// S3 supports the feature, the emulator does not.
pub(super) fn not_emulated(feature: &str) -> S3Error {
    s3_error!(NotImplemented, "The local S3 does not emulate {feature}.")
}
