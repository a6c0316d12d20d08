//! What can keep the emulators from starting, and from being what a template describes.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use thiserror::Error;

/// Why the emulators did not start.
#[derive(Debug, Error)]
pub enum StartError {
    /// The data directory cannot be made, read or written.
    #[error("the data directory {} cannot be used: {reason}", path.display())]
    Directory {
        /// The directory, or the file in it that is concerned.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
    /// Another process has the data directory open.
    #[error("the data directory {} is in use by another process", path.display())]
    Locked {
        /// The directory.
        path: PathBuf,
    },
    /// The data directory, which was to be emptied, holds what is not of an earlier run.
    #[error("{} is not of this program; nothing was removed", path.display())]
    Foreign {
        /// The file or directory.
        path: PathBuf,
    },
    /// The data directory was written by a version that keeps its data in another way.
    #[error("the data directory {} has format {found:?}, this version reads {expected:?}", path.display())]
    Format {
        /// The directory.
        path: PathBuf,
        /// What it says.
        found: String,
        /// What was expected.
        expected: &'static str,
    },
    /// A file of the data directory is missing or unreadable. It is left as it is.
    #[error("{} is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The store of objects cannot be opened, or has lost some.
    #[error("the store of objects cannot be used: {reason}")]
    Objects {
        /// Which file is concerned, and what is wrong with it.
        reason: String,
    },
    /// The system gave no thread to run on.
    #[error("no thread can be started: {0}")]
    Thread(#[source] io::Error),
    /// No port could be listened on.
    #[error("no port on loopback can be listened on: {0}")]
    Listen(#[source] io::Error),
}

impl StartError {
    pub(crate) fn damaged(path: &Path, reason: &impl fmt::Display) -> StartError {
        StartError::Damaged {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }
}

/// Why a resource of a template could not be provided.
#[derive(Debug, Error)]
pub enum ProvisionError {
    /// A table on disk has another key, or another index of the same name.
    #[error(
        "the {what} of table {table} is not the one on disk: start with a fresh data directory"
    )]
    TableDiffers {
        /// The table's name.
        table: String,
        /// `key`, or the index.
        what: String,
    },
    /// A table could not be made.
    #[error("table {table} cannot be provided: {reason}")]
    Table {
        /// The table's name.
        table: String,
        /// What DynamoDB said.
        reason: String,
    },
    /// A bucket could not be made.
    #[error("bucket {bucket} cannot be provided: {reason}")]
    Bucket {
        /// The bucket's name.
        bucket: String,
        /// What the store said.
        reason: String,
    },
    /// A queue could not be made.
    #[error("queue {queue} cannot be provided: {reason}")]
    Queue {
        /// The queue's name.
        queue: String,
        /// What the store said.
        reason: String,
    },
    /// A secret could not be made.
    #[error("secret {secret} cannot be provided: {reason}")]
    Secret {
        /// The secret's name.
        secret: String,
        /// What the store said.
        reason: String,
    },
    /// The work was cut off: the runtime is shutting down.
    #[error("the emulators are shutting down")]
    Stopped,
}
