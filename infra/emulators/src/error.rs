//! Errors of the start of the emulators and of provisioning a template.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use thiserror::Error;

/// Why the emulators could not start.
#[derive(Debug, Error)]
pub enum EmulatorStartError {
    /// The data directory cannot be created, read or written.
    #[error("the data directory {} cannot be used: {reason}", path.display())]
    Directory {
        /// The directory, or a file in it.
        path: PathBuf,
        /// Error of the operating system.
        reason: io::Error,
    },
    /// Another process uses the data directory.
    #[error("the data directory {} is in use by another process", path.display())]
    Locked { path: PathBuf },
    /// The data directory to reset contains files of another program.
    #[error("{} was not created by this program; nothing was deleted", path.display())]
    Foreign {
        /// The file or directory.
        path: PathBuf,
    },
    /// The data directory has the format of an older version.
    #[error(
        "the data directory {} has format {found}, but this version reads format {expected}. \
         Start with --reset to delete its data",
        path.display()
    )]
    OldFormat {
        path: PathBuf,
        found: u32,
        expected: u32,
    },
    /// The data directory has the format of a newer version.
    #[error(
        "the data directory {} was written by a newer version. \
         Use that version, or start with --reset to delete its data",
        path.display()
    )]
    NewFormat { path: PathBuf },
    /// The data directory has data, but its format file is missing or not a number.
    #[error(
        "the data directory {} has data of an unknown format, but this version reads format {expected}. \
         Start with --reset to delete its data",
        path.display()
    )]
    UnknownFormat { path: PathBuf, expected: u32 },
    /// A file of the data directory is missing or unreadable. It is left unchanged.
    #[error("{} is damaged: {reason}", path.display())]
    Damaged {
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The object store cannot be opened, or objects are missing.
    #[error("the object store cannot be used: {reason}")]
    Objects {
        /// The affected file, and what is wrong with it.
        reason: String,
    },
    /// A thread could not be started, or ended early.
    #[error("a thread of the emulators failed: {0}")]
    Thread(#[source] io::Error),
    /// A loopback port could not be opened.
    #[error("cannot listen on a loopback port: {0}")]
    Listen(#[source] io::Error),
}

impl EmulatorStartError {
    pub(crate) fn damaged(path: &Path, reason: &impl fmt::Display) -> EmulatorStartError {
        EmulatorStartError::Damaged {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }
}

/// Why a resource of a template could not be created or updated.
#[derive(Debug, Error)]
pub enum ProvisionError {
    /// A table exists with a different key.
    #[error(
        "the key of table {table} differs from the one on disk: start with a fresh data directory"
    )]
    TableKeyDiffers { table: String },
    /// A table could not be created.
    #[error("table {table} cannot be provisioned: {reason}")]
    Table { table: String, reason: String },
    /// A secret could not be created.
    #[error("secret {secret} cannot be provisioned: {reason}")]
    Secret {
        secret: String,
        /// Error of the store.
        reason: String,
    },
    /// Provisioning was aborted because the runtime is shutting down.
    #[error("the emulators are shutting down")]
    ShuttingDown,
}
