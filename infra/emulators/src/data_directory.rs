//! The data directory: its lock, its format and its integrity.
//!
//! Invariants:
//! - One process at a time uses the directory, also to reset it.
//! - A missing or damaged store is an error. It is never silently created again.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OpenFlags};

use crate::error::EmulatorStartError;

/// Format of the data directory, the content of its format file.
const FORMAT: u32 = 14;

/// The locked file. Never removed: another process may be about to lock it.
const LOCK: &str = "lock";
/// The format file, and its name until all stores are created.
const FORMAT_FILE: &str = "format";
const FORMAT_DRAFT: &str = "format.new";
const OBJECTS: &str = "s3";
/// File of Secrets Manager, and its name while it is written.
const SECRETS: &str = "secrets.json";
const SECRETS_DRAFT: &str = "secrets.new";
/// All entries except the databases.
const OWN_ENTRIES: [&str; 6] = [
    LOCK,
    FORMAT_FILE,
    FORMAT_DRAFT,
    OBJECTS,
    SECRETS,
    SECRETS_DRAFT,
];
/// File names of the databases. SQLite adds files with the same prefix.
const DYNAMODB: &str = "dynamodb.sqlite";
const SQS: &str = "sqs.sqlite";
const DATABASES: [&str; 2] = [DYNAMODB, SQS];

/// Maximum size of a database that is fully checked at the start, in bytes. Larger ones would delay
/// the start too long.
const CHECKED_DATABASE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// How to treat the data that earlier runs left in the data directory.
#[derive(Clone, Copy, Debug)]
pub enum ExistingData {
    /// Open and use it.
    Keep,
    /// Remove it. If the directory contains any other file, nothing is removed and the start fails.
    Remove {
        /// Names of files that the caller itself writes to the directory. They are removed as well.
        extra_files: &'static [&'static str],
    },
}

/// Free space of the disk that a start requires, in bytes.
const START_BYTES: u64 = 1024 * 1024;

/// Fails if less of the disk is free.
pub(crate) fn require_space(directory: &Path, bytes: u64) -> io::Result<()> {
    let disk = rustix::fs::statvfs(directory)?;
    if disk.f_bavail.saturating_mul(disk.f_frsize) < bytes {
        return Err(io::ErrorKind::StorageFull.into());
    }
    Ok(())
}

/// An open data directory.
#[derive(Debug)]
pub(crate) struct DataDirectory {
    root: PathBuf,
    _lock: Lock,
}

/// The exclusive lock on a data directory, released on drop.
#[derive(Debug)]
struct Lock(File);

impl DataDirectory {
    /// Creates the directory if it is missing, locks it, and resets it or checks its stores.
    pub(crate) fn open(
        root: &Path,
        existing: ExistingData,
    ) -> Result<DataDirectory, EmulatorStartError> {
        // For its owner only: it contains data that is otherwise protected by access keys.
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(root)
            .map_err(|reason| unusable(root, reason))?;
        let lock = Lock::acquire(root)?;
        if let ExistingData::Remove { extra_files } = existing {
            clear(root, extra_files)?;
        }

        // SQLite would report an I/O error.
        require_space(root, START_BYTES).map_err(|reason| unusable(root, reason))?;
        let directory = DataDirectory {
            root: root.to_owned(),
            _lock: lock,
        };

        if directory.is_complete()? {
            directory.check_stores()?;
        } else {
            directory.begin()?;
        }

        Ok(directory)
    }

    /// Records that the stores are being created. Fails if there is data of an unknown format.
    fn begin(&self) -> Result<(), EmulatorStartError> {
        let draft = self.root.join(FORMAT_DRAFT);
        let is_begun = fs::read_to_string(&draft).is_ok_and(|text| text == FORMAT.to_string());
        let mut stores = [self.dynamodb(), self.sqs(), self.s3(), self.secrets()].into_iter();
        if !is_begun && stores.any(|store| store.exists()) {
            return Err(EmulatorStartError::UnknownFormat {
                path: self.root.clone(),
                expected: FORMAT,
            });
        }
        fs::write(&draft, FORMAT.to_string()).map_err(|reason| unusable(&draft, reason))
    }

    fn check_stores(&self) -> Result<(), EmulatorStartError> {
        check_database(&self.dynamodb())?;
        check_database(&self.sqs())?;
        check_database(&self.s3().join("objects.sqlite"))?;

        let secrets = self.secrets();
        fs::metadata(&secrets).map_err(|error| EmulatorStartError::damaged(&secrets, &error))?;
        Ok(())
    }

    /// Records that all stores were created. From now on, a missing store is an error.
    pub(crate) fn mark_complete(&self) -> Result<(), EmulatorStartError> {
        if self.is_complete()? {
            return Ok(());
        }
        let draft = self.root.join(FORMAT_DRAFT);
        let path = self.format_file();
        // Renamed into place, so that the file is never incomplete.
        fs::rename(&draft, &path).map_err(|reason| unusable(&path, reason))
    }

    /// Returns the path of DynamoDB's database.
    pub(crate) fn dynamodb(&self) -> PathBuf {
        self.root.join(DYNAMODB)
    }

    /// Returns the path of SQS's database.
    pub(crate) fn sqs(&self) -> PathBuf {
        self.root.join(SQS)
    }

    /// Returns the path of Secrets Manager's file.
    pub(crate) fn secrets(&self) -> PathBuf {
        self.root.join(SECRETS)
    }

    /// Returns the path of S3's directory.
    pub(crate) fn s3(&self) -> PathBuf {
        self.root.join(OBJECTS)
    }

    fn format_file(&self) -> PathBuf {
        self.root.join(FORMAT_FILE)
    }

    /// Returns whether all stores were created. Fails if the format is not supported.
    fn is_complete(&self) -> Result<bool, EmulatorStartError> {
        let text = match fs::read_to_string(self.format_file()) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(reason) => return Err(unusable(&self.format_file(), reason)),
        };

        let path = self.root.clone();
        let expected = FORMAT;
        match text.trim().parse() {
            Ok(FORMAT) => Ok(true),
            Ok(found) if found < FORMAT => Err(EmulatorStartError::OldFormat {
                path,
                found,
                expected,
            }),
            Ok(_) => Err(EmulatorStartError::NewFormat { path }),
            Err(_) => Err(EmulatorStartError::UnknownFormat { path, expected }),
        }
    }
}

fn unusable(path: &Path, reason: io::Error) -> EmulatorStartError {
    EmulatorStartError::Directory {
        path: path.to_owned(),
        reason,
    }
}

impl Lock {
    /// Locks the directory. Fails if it is locked.
    fn acquire(root: &Path) -> Result<Lock, EmulatorStartError> {
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(root.join(LOCK))
            .map_err(|reason| unusable(root, reason))?;

        match file.try_lock() {
            Ok(()) => Ok(Lock(file)),
            Err(TryLockError::WouldBlock) => Err(EmulatorStartError::Locked {
                path: root.to_owned(),
            }),
            Err(TryLockError::Error(reason)) => Err(unusable(root, reason)),
        }
    }
}

impl Drop for Lock {
    /// Unlocks the file explicitly. Closing it is not enough: a child process that another thread
    /// starts holds a duplicate of its descriptor, and with it the lock, until the child calls
    /// `exec`.
    fn drop(&mut self) {
        // If it fails, the operating system still releases the lock when the last duplicate is
        // closed.
        let _ = self.0.unlock();
    }
}

/// Removes the data of earlier runs. Fails without removing anything if there are other files.
fn clear(root: &Path, extra_files: &[&str]) -> Result<(), EmulatorStartError> {
    let is_own = |name: &str| {
        OWN_ENTRIES.contains(&name)
            || extra_files.contains(&name)
            || DATABASES.iter().any(|database| name.starts_with(database))
    };

    let entries = fs::read_dir(root)
        .and_then(Iterator::collect::<io::Result<Vec<_>>>)
        .map_err(|reason| unusable(root, reason))?;
    let foreign = entries
        .iter()
        .find(|entry| !entry.file_name().to_str().is_some_and(is_own));
    if let Some(entry) = foreign {
        return Err(EmulatorStartError::Foreign { path: entry.path() });
    }

    let mut paths: Vec<PathBuf> = entries
        .iter()
        .map(fs::DirEntry::path)
        .filter(|path| !path.ends_with(LOCK))
        .collect();
    // The format file first: without it, the rest of an aborted reset is rejected.
    paths.sort_by_key(|path| !path.ends_with(FORMAT_FILE) && !path.ends_with(FORMAT_DRAFT));
    for path in paths {
        let removed = if path.is_dir() {
            fs::remove_dir_all(path)
        } else {
            fs::remove_file(path)
        };
        removed.map_err(|reason| unusable(root, reason))?;
    }

    Ok(())
}

/// Fails if a database is missing or damaged.
fn check_database(path: &Path) -> Result<(), EmulatorStartError> {
    let metadata = fs::metadata(path).map_err(|error| EmulatorStartError::damaged(path, &error))?;
    if metadata.len() == 0 {
        return Err(EmulatorStartError::damaged(path, &"it is empty"));
    }

    let result = integrity_check(path, metadata.len())
        .map_err(|error| EmulatorStartError::damaged(path, &error))?;
    if result == "ok" {
        Ok(())
    } else {
        Err(EmulatorStartError::damaged(path, &result))
    }
}

/// Returns `ok`, or the first problem that SQLite finds.
fn integrity_check(path: &Path, size_bytes: u64) -> rusqlite::Result<String> {
    // Writable, because the write-ahead log of a killed process has to be recovered first.
    let database = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let query = if size_bytes > CHECKED_DATABASE_BYTES_MAX {
        "SELECT 'ok' FROM (SELECT count(*) FROM sqlite_schema)"
    } else {
        "PRAGMA quick_check(1)"
    };
    database.query_row(query, [], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_is_released_while_a_child_process_holds_the_descriptor() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let lock = Lock::acquire(root.path()).expect("an unlocked directory");
        assert!(matches!(
            Lock::acquire(root.path()),
            Err(EmulatorStartError::Locked { .. })
        ));

        // A child process inherits such a duplicate.
        let inherited = lock.0.try_clone().expect("a duplicate");
        drop(lock);

        Lock::acquire(root.path()).expect("an unlocked directory");
        drop(inherited);
    }
}
