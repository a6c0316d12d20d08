//! The data directory: its lock, its format, and whether what it held is still there.
//!
//! Invariant: one process at a time has it open, and a store that went missing or bad is never silently made anew.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OpenFlags};

use crate::error::StartError;

/// What the format file says.
const FORMAT: &str = "2";

/// Bytes of the largest database whose pages are all checked at the start: more would take longer than a start may.
const CHECKED_DATABASE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// An open data directory.
#[derive(Debug)]
pub(crate) struct Directory {
    root: PathBuf,
    /// The system gives the lock back when the process ends, in whatever way.
    _lock: File,
}

impl Directory {
    /// Makes the directory where it is missing, locks it, and checks the databases that it should hold.
    pub(crate) fn open(root: &Path) -> Result<Directory, StartError> {
        let unusable = |reason| StartError::Directory { path: root.to_owned(), reason };
        fs::create_dir_all(root).map_err(unusable)?;
        let lock = OpenOptions::new().create(true).append(true).open(root.join("lock")).map_err(unusable)?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => StartError::Locked { path: root.to_owned() },
            TryLockError::Error(reason) => unusable(reason),
        })?;
        let directory = Directory { root: root.to_owned(), _lock: lock };
        if directory.was_sealed()? {
            check(&directory.dynamodb())?;
            check(&directory.sqs())?;
            check(&directory.s3().join("objects.sqlite"))?;
            fs::metadata(directory.secrets()).map_err(|error| StartError::damaged(&directory.secrets(), &error))?;
        }
        Ok(directory)
    }

    /// Notes that all stores have been made: from now on they have to be there.
    pub(crate) fn seal(&self) -> Result<(), StartError> {
        if self.was_sealed()? {
            return Ok(());
        }
        let (draft, path) = (self.root.join("format.new"), self.format());
        // Renamed into place, so that there is never a half of it.
        let written = fs::write(&draft, FORMAT).and_then(|()| fs::rename(&draft, &path));
        written.map_err(|reason| StartError::Directory { path, reason })
    }

    /// DynamoDB's database.
    pub(crate) fn dynamodb(&self) -> PathBuf {
        self.root.join("dynamodb.sqlite")
    }

    /// SQS's database.
    pub(crate) fn sqs(&self) -> PathBuf {
        self.root.join("sqs.sqlite")
    }

    /// Secrets Manager's file.
    pub(crate) fn secrets(&self) -> PathBuf {
        self.root.join("secrets.json")
    }

    /// S3's directory.
    pub(crate) fn s3(&self) -> PathBuf {
        self.root.join("s3")
    }

    fn format(&self) -> PathBuf {
        self.root.join("format")
    }

    fn was_sealed(&self) -> Result<bool, StartError> {
        match fs::read_to_string(self.format()) {
            Ok(found) if found == FORMAT => Ok(true),
            Ok(found) => Err(StartError::Format { path: self.root.clone(), found, expected: FORMAT }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(reason) => Err(StartError::Directory { path: self.format(), reason }),
        }
    }
}

/// Looks whether a database is there and sound.
fn check(path: &Path) -> Result<(), StartError> {
    let bytes = match fs::metadata(path) {
        Ok(metadata) => metadata.len(),
        Err(error) => return Err(StartError::damaged(path, &error)),
    };
    if bytes == 0 {
        return Err(StartError::damaged(path, &"it is empty"));
    }
    let finding = examine(path, bytes).map_err(|error| StartError::damaged(path, &error))?;
    if finding == "ok" { Ok(()) } else { Err(StartError::damaged(path, &finding)) }
}

/// `ok`, or what SQLite finds wrong.
fn examine(path: &Path, bytes: u64) -> rusqlite::Result<String> {
    // Writable, since what a killed process left in the log has to be recovered first.
    let database = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    if bytes > CHECKED_DATABASE_BYTES_MAX {
        return database.query_row("SELECT 'ok' FROM (SELECT count(*) FROM sqlite_schema)", [], |row| row.get(0));
    }
    database.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
}
