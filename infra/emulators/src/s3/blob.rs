//! The files with the bytes of objects and parts.
//!
//! Invariants:
//! - A file under its final name is complete and never changes.
//! - Files that are being written are in `incoming/`. A restart removes them.
//! - File names are numbers. A number is not reused while the process runs.

use std::{
    fs::{self, DirEntry, File},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use bytes::Bytes;

use super::error::OpenError;
use crate::data_directory::require_space;

/// Number of directories that the files are spread over, so that none grows too large to list.
/// Created with their first file: creating all of them would dominate the start of an empty store.
const SHARDS: u64 = 256;

/// Part of the disk that no file may use, in bytes. The databases need it to record deletions.
const RESERVED_BYTES: u64 = 16 * 1024 * 1024;

/// The number of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct BlobId(pub(super) u64);

/// A file on disk.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlobFile {
    pub(super) id: BlobId,
    pub(super) size_bytes: u64,
}

/// All files of the store.
pub(super) struct BlobStore {
    finished: PathBuf,
    incoming: PathBuf,
    next_id: AtomicU64,
    /// Free space of the disk that is left alone, in bytes.
    reserved_bytes: Arc<AtomicU64>,
}

impl BlobStore {
    /// Creates the directories and removes incomplete files of the last run.
    pub(super) fn open(directory: &Path) -> Result<BlobStore, OpenError> {
        let blobs = BlobStore {
            finished: directory.join("blobs"),
            incoming: directory.join("incoming"),
            next_id: AtomicU64::new(1),
            reserved_bytes: Arc::new(AtomicU64::new(RESERVED_BYTES)),
        };

        if blobs.incoming.exists() {
            fs::remove_dir_all(&blobs.incoming)
                .map_err(|source| OpenError::file(&blobs.incoming, source))?;
        }

        for path in [&blobs.incoming, &blobs.finished] {
            fs::create_dir_all(path).map_err(|source| OpenError::file(path, source))?;
        }

        Ok(blobs)
    }

    /// Excludes the numbers of existing files from use.
    pub(super) fn reserve(&self, existing: &[BlobFile]) {
        let last = existing.iter().map(|file| file.id.0).max();
        let next = last.unwrap_or_default().saturating_add(1);
        self.next_id.fetch_max(next, Ordering::Relaxed);
    }

    /// Returns all files under their final names.
    pub(super) fn list(&self) -> Result<Vec<BlobFile>, OpenError> {
        let mut files = Vec::new();
        for shard in (0..SHARDS).map(|shard| self.shard(shard)) {
            let entries = match fs::read_dir(&shard) {
                Ok(entries) => entries.collect::<io::Result<Vec<_>>>(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => Err(error),
            };
            for entry in entries.map_err(|source| OpenError::file(&shard, source))? {
                // Files of other programs are left alone.
                if let Some(id) = blob_id(&entry) {
                    let metadata = entry
                        .metadata()
                        .map_err(|source| OpenError::file(&entry.path(), source))?;
                    files.push(BlobFile {
                        id,
                        size_bytes: metadata.len(),
                    });
                }
            }
        }

        Ok(files)
    }

    /// Starts a new file. Nothing is on disk before the first write.
    pub(super) fn create(&self) -> BlobWriter {
        let id = self.allocate_id();
        BlobWriter {
            id,
            path: self.incoming.join(file_name(id)),
            reserved_bytes: Arc::clone(&self.reserved_bytes),
            file: None,
        }
    }

    /// Treats the disk as full from now on.
    pub(super) fn simulate_full_disk(&self) {
        self.reserved_bytes.store(u64::MAX, Ordering::Relaxed);
    }

    /// Moves a written file to its final name.
    pub(super) fn finish(&self, mut writer: BlobWriter) -> io::Result<BlobId> {
        // Creates the file if it is empty.
        writer.write(&[])?;
        self.place(writer.id, |path| fs::rename(&writer.path, path))?;

        writer.file = None;
        Ok(writer.id)
    }

    /// Creates a second name for a file. The bytes are removed with the last name.
    pub(super) fn duplicate(&self, id: BlobId) -> io::Result<BlobId> {
        let copy = self.allocate_id();
        let from = self.path(id);
        // Some file systems have no hard links, or a limit on their number.
        self.place(copy, |to| {
            fs::hard_link(&from, to).or_else(|_| fs::copy(&from, to).map(drop))
        })?;
        Ok(copy)
    }

    /// Opens a file. An open file stays readable after its removal.
    pub(super) fn read(&self, id: BlobId) -> io::Result<File> {
        File::open(self.path(id))
    }

    /// Removes files that no row names. If that fails, the next start removes them.
    pub(super) fn remove(&self, unused: impl IntoIterator<Item = BlobId>) {
        for path in unused.into_iter().map(|id| self.path(id)) {
            if let Err(error) = fs::remove_file(&path) {
                tracing::warn!(path = %path.display(), %error, "an unused file is left until the next start");
            }
        }
    }

    /// Puts a file under its final name, and creates its directory if it is missing.
    fn place(&self, id: BlobId, put: impl Fn(&Path) -> io::Result<()>) -> io::Result<()> {
        let path = self.path(id);
        match put(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(self.shard(id.0 % SHARDS))?;
                put(&path)
            }
            result => result,
        }
    }

    /// Returns the final path of a file.
    pub(super) fn path(&self, id: BlobId) -> PathBuf {
        self.shard(id.0 % SHARDS).join(file_name(id))
    }

    fn shard(&self, shard: u64) -> PathBuf {
        self.finished.join(format!("{shard:02x}"))
    }

    fn allocate_id(&self) -> BlobId {
        BlobId(self.next_id.fetch_add(1, Ordering::Relaxed))
    }
}

fn file_name(id: BlobId) -> String {
    format!("{:016x}", id.0)
}

fn blob_id(entry: &DirEntry) -> Option<BlobId> {
    let name = entry.file_name();
    let number = u64::from_str_radix(name.to_str()?, 16).ok()?;
    Some(BlobId(number))
}

/// A file that is being written. Removed if it is dropped before [`BlobStore::finish`].
pub(super) struct BlobWriter {
    id: BlobId,
    path: PathBuf,
    reserved_bytes: Arc<AtomicU64>,
    file: Option<File>,
}

impl BlobWriter {
    /// Appends to the file. Fails if too little of the disk would remain free.
    pub(super) fn write(&mut self, chunks: &[Bytes]) -> io::Result<()> {
        let added_bytes: usize = chunks.iter().map(Bytes::len).sum();
        if added_bytes > 0 {
            let reserved_bytes = self.reserved_bytes.load(Ordering::Relaxed);
            let directory = self.path.parent().unwrap_or(&self.path);
            require_space(directory, reserved_bytes.saturating_add(added_bytes as u64))?;
        }
        let file = match &mut self.file {
            Some(file) => file,
            unopened => unopened.insert(File::create(&self.path)?),
        };
        chunks.iter().try_for_each(|chunk| file.write_all(chunk))
    }
}

impl Drop for BlobWriter {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            // If this fails, the next start clears the directory.
            let _ = fs::remove_file(&self.path);
        }
    }
}
