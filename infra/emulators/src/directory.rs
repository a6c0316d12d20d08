//! The data directory: its lock, its format, and whether what it held is still there.
//!
//! Invariant: one process at a time has it open, also to begin anew, and a store that went missing
//! or bad is never silently made anew.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OpenFlags};

use crate::error::StartError;

/// What the format file says.
const FORMAT: &str = "3";

/// The file that is locked. It is never removed: another process may be about to lock it.
const LOCK: &str = "lock";
/// The file that is there once all stores have been made, and what it is called until it is whole.
const FORMAT_FILE: &str = "format";
const FORMAT_DRAFT: &str = "format.new";
/// S3's directory.
const OBJECTS: &str = "s3";
/// Secrets Manager's file, and what it is called until it is whole.
const SECRETS: &str = "secrets.json";
const SECRETS_DRAFT: &str = "secrets.new";
/// The entries that are made here, but for the databases.
const OURS: [&str; 6] = [
    LOCK,
    FORMAT_FILE,
    FORMAT_DRAFT,
    OBJECTS,
    SECRETS,
    SECRETS_DRAFT,
];
/// What the databases' files are called, or begin with.
const DYNAMODB: &str = "dynamodb.sqlite";
const SQS: &str = "sqs.sqlite";
const DATABASES: [&str; 2] = [DYNAMODB, SQS];

/// Bytes of the largest database whose pages are all checked at the start: more would take longer
/// than a start may.
const CHECKED_DATABASE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// How to treat the data that earlier runs left in the data directory.
#[derive(Clone, Copy, Debug)]
pub enum Existing {
    /// Open and use it.
    Keep,
    /// Remove it. If the directory holds any other file, nothing is removed and the start fails.
    Remove {
        /// Names of files that the caller itself writes to the directory. They are removed as well.
        extra_files: &'static [&'static str],
    },
}

/// An open data directory.
#[derive(Debug)]
pub(crate) struct Directory {
    root: PathBuf,
    /// The system gives the lock back when the process ends, in whatever way.
    _lock: File,
}

impl Directory {
    /// Makes the directory where it is missing, locks it, and empties it or checks the databases
    /// that it should hold.
    pub(crate) fn open(root: &Path, existing: Existing) -> Result<Directory, StartError> {
        let unusable = |reason| StartError::Directory {
            path: root.to_owned(),
            reason,
        };
        // For its owner alone: the databases in it hold what only keys open elsewhere.
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(root)
            .map_err(unusable)?;
        let lock = OpenOptions::new()
            .create(true)
            .append(true)
            .open(root.join(LOCK))
            .map_err(unusable)?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => StartError::Locked {
                path: root.to_owned(),
            },
            TryLockError::Error(reason) => unusable(reason),
        })?;
        if let Existing::Remove { extra_files } = existing {
            clear(root, extra_files)?;
        }
        let directory = Directory {
            root: root.to_owned(),
            _lock: lock,
        };
        if directory.was_sealed()? {
            check(&directory.dynamodb())?;
            check(&directory.sqs())?;
            check(&directory.s3().join("objects.sqlite"))?;
            fs::metadata(directory.secrets())
                .map_err(|error| StartError::damaged(&directory.secrets(), &error))?;
        }
        Ok(directory)
    }

    /// Notes that all stores have been made: from now on they have to be there.
    pub(crate) fn seal(&self) -> Result<(), StartError> {
        if self.was_sealed()? {
            return Ok(());
        }
        let (draft, path) = (self.root.join(FORMAT_DRAFT), self.format());
        // Renamed into place, so that there is never a half of it.
        let written = fs::write(&draft, FORMAT).and_then(|()| fs::rename(&draft, &path));
        written.map_err(|reason| StartError::Directory { path, reason })
    }

    /// DynamoDB's database.
    pub(crate) fn dynamodb(&self) -> PathBuf {
        self.root.join(DYNAMODB)
    }

    /// SQS's database.
    pub(crate) fn sqs(&self) -> PathBuf {
        self.root.join(SQS)
    }

    /// Secrets Manager's file.
    pub(crate) fn secrets(&self) -> PathBuf {
        self.root.join(SECRETS)
    }

    /// S3's directory.
    pub(crate) fn s3(&self) -> PathBuf {
        self.root.join(OBJECTS)
    }

    fn format(&self) -> PathBuf {
        self.root.join(FORMAT_FILE)
    }

    fn was_sealed(&self) -> Result<bool, StartError> {
        match fs::read_to_string(self.format()) {
            Ok(found) if found == FORMAT => Ok(true),
            Ok(found) => Err(StartError::Format {
                path: self.root.clone(),
                found,
                expected: FORMAT,
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(reason) => Err(StartError::Directory {
                path: self.format(),
                reason,
            }),
        }
    }
}

/// Removes what earlier runs left and nothing else: where there is anything else, nothing at all.
fn clear(root: &Path, extra_files: &[&str]) -> Result<(), StartError> {
    let unusable = |reason| StartError::Directory {
        path: root.to_owned(),
        reason,
    };
    let is_ours = |name: &str| {
        OURS.contains(&name)
            || extra_files.contains(&name)
            || DATABASES.iter().any(|database| name.starts_with(database))
    };
    let entries = fs::read_dir(root)
        .and_then(Iterator::collect::<io::Result<Vec<_>>>)
        .map_err(unusable)?;
    if let Some(foreign) = entries
        .iter()
        .find(|entry| !entry.file_name().to_str().is_some_and(is_ours))
    {
        return Err(StartError::Foreign {
            path: foreign.path(),
        });
    }
    let mut paths: Vec<PathBuf> = entries
        .iter()
        .map(fs::DirEntry::path)
        .filter(|path| !path.ends_with(LOCK))
        .collect();
    // The format first: without it, what is left of a clearing that was cut off is not taken for
    // damage.
    paths.sort_by_key(|path| !path.ends_with(FORMAT_FILE));
    for path in paths {
        if path.is_dir() {
            fs::remove_dir_all(path)
        } else {
            fs::remove_file(path)
        }
        .map_err(unusable)?;
    }
    Ok(())
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
    if finding == "ok" {
        Ok(())
    } else {
        Err(StartError::damaged(path, &finding))
    }
}

/// `ok`, or what SQLite finds wrong.
fn examine(path: &Path, bytes: u64) -> rusqlite::Result<String> {
    // Writable, since what a killed process left in the log has to be recovered first.
    let database = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    if bytes > CHECKED_DATABASE_BYTES_MAX {
        return database.query_row(
            "SELECT 'ok' FROM (SELECT count(*) FROM sqlite_schema)",
            [],
            |row| row.get(0),
        );
    }
    database.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
}
