//! What goes wrong: a store that cannot be opened, and operations that fail.
//!
//! Invariant: a client learns of its own mistakes only; what is wrong with the store is an
//! `InternalError` to it.

use std::{io, path::PathBuf};

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
        /// What the system said.
        source: io::Error,
    },
    /// The database could not be read.
    #[error("{}: not a sound database: {reason}", path.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        reason: String,
    },
    /// The database was written by another version of this program.
    #[error("{}: has format {found}, this program reads format {expected}", path.display())]
    Format {
        /// The database.
        path: PathBuf,
        /// The format it has.
        found: i64,
        /// The format it should have.
        expected: i64,
    },
    /// The bytes of an object are missing or were cut.
    #[error("{}: should hold the {expected} bytes of {owner}, {}", path.display(), match found {
        Some(found) => format!("holds {found}"),
        None => "is missing".to_owned(),
    })]
    Blob {
        /// The file.
        path: PathBuf,
        /// Bucket and key.
        owner: String,
        /// Bytes it should hold.
        expected: u64,
        /// Bytes it holds, where it exists.
        found: Option<u64>,
    },
}

/// A bucket whose name S3 would not accept.
#[derive(Debug, Error)]
pub(crate) enum BucketError {
    /// The name breaks S3's rules.
    #[error("`{0}` is not a bucket name: 3 to 63 of a-z, 0-9, `.` and `-`")]
    Name(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] rusqlite::Error),
}

/// Why an operation failed.
#[derive(Debug, Error)]
pub(super) enum Fault {
    /// S3 refuses what was asked.
    #[error(transparent)]
    Refused(#[from] S3Error),
    /// The database failed.
    #[error("database: {0}")]
    Database(#[from] rusqlite::Error),
    /// A file could not be read or written.
    #[error("file: {0}")]
    File(#[from] io::Error),
    /// The thread that did the work panicked or was shut down.
    #[error("{0}")]
    Thread(#[from] tokio::task::JoinError),
}

impl From<Fault> for S3Error {
    fn from(fault: Fault) -> S3Error {
        match fault {
            Fault::Refused(rejection) => rejection,
            failure => s3_error!(
                failure,
                InternalError,
                "We encountered an internal error. Please try again."
            ),
        }
    }
}

/// The rejection of an object that is not there.
pub(super) fn no_such_key() -> S3Error {
    s3_error!(NoSuchKey, "The specified key does not exist.")
}

/// The rejection of a multipart upload that is not there.
pub(super) fn no_such_upload() -> S3Error {
    s3_error!(
        NoSuchUpload,
        "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed."
    )
}

/// The rejection of a request whose condition does not hold.
pub(super) fn precondition_failed() -> S3Error {
    s3_error!(
        PreconditionFailed,
        "At least one of the pre-conditions you specified did not hold"
    )
}

/// The rejection of what S3 can do and this emulator cannot.
pub(super) fn not_emulated(what: &str) -> S3Error {
    s3_error!(NotImplemented, "The local S3 does not emulate {what}.")
}
