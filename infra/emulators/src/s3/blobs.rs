//! The files that hold the bytes of objects and parts.
//!
//! Invariants: a file under its final name is complete and never changes; what is being written
//! lives in `incoming/` and is gone after a restart. Names are numbers that are never used twice
//! while the process runs.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use bytes::Bytes;

use super::fault::OpenError;

/// Directories that the files are spread over, so that none grows too large to list. Each is
/// created with its first file: a store that starts empty, as in most tests, would spend more time
/// on them than on all the rest of its start.
const SHARDS: u64 = 256;

/// Names one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct BlobId(pub(super) u64);

/// A file that is there, and its size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) id: BlobId,
    pub(super) size_bytes: u64,
}

/// All files of the store.
pub(super) struct Blobs {
    finished: PathBuf,
    incoming: PathBuf,
    next: AtomicU64,
}

impl Blobs {
    /// Prepares the directories and throws away what was being written when the process ended.
    pub(super) fn open(directory: &Path) -> Result<Blobs, OpenError> {
        let blobs = Blobs {
            finished: directory.join("blobs"),
            incoming: directory.join("incoming"),
            next: AtomicU64::new(1),
        };
        let prepare = |path: PathBuf| {
            fs::create_dir_all(&path).map_err(|source| OpenError::File { path, source })
        };
        if blobs.incoming.exists() {
            let path = blobs.incoming.clone();
            fs::remove_dir_all(&path).map_err(|source| OpenError::File { path, source })?;
        }
        prepare(blobs.incoming.clone())?;
        prepare(blobs.finished.clone())?;
        Ok(blobs)
    }

    /// Keeps the names of these files from being given again.
    pub(super) fn reserve(&self, taken: &[Found]) {
        let last = taken
            .iter()
            .map(|found| found.id.0)
            .max()
            .unwrap_or_default();
        self.next
            .fetch_max(last.saturating_add(1), Ordering::Relaxed);
    }

    /// Every file under its final name.
    pub(super) fn list(&self) -> Result<Vec<Found>, OpenError> {
        let mut all = Vec::new();
        let fail = |path: &Path, source| OpenError::File {
            path: path.to_owned(),
            source,
        };
        for shard in (0..SHARDS).map(|shard| self.shard(shard)) {
            let entries = match fs::read_dir(&shard) {
                Ok(entries) => entries.collect::<io::Result<Vec<_>>>(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => Err(error),
            };
            for entry in entries.map_err(|source| fail(&shard, source))? {
                let metadata = entry
                    .metadata()
                    .map_err(|source| fail(&entry.path(), source))?;
                let name = entry.file_name();
                // Files that are not ours are left alone.
                if let Some(id) = name
                    .to_str()
                    .and_then(|name| u64::from_str_radix(name, 16).ok())
                {
                    all.push(Found {
                        id: BlobId(id),
                        size_bytes: metadata.len(),
                    });
                }
            }
        }
        Ok(all)
    }

    /// A file to write into. Nothing is on disk before the first write.
    pub(super) fn begin(&self) -> Incoming {
        let id = self.take_id();
        Incoming {
            id,
            path: self.incoming.join(name(id)),
            file: None,
        }
    }

    /// Gives a written file its final name.
    pub(super) fn finish(&self, mut incoming: Incoming) -> io::Result<BlobId> {
        incoming.write(&[])?;
        self.place(incoming.id, |path| fs::rename(&incoming.path, path))?;
        incoming.file = None;
        Ok(incoming.id)
    }

    /// The same bytes under a second name, which outlives the first.
    pub(super) fn duplicate(&self, id: BlobId) -> io::Result<BlobId> {
        let copy = self.take_id();
        let from = self.path(id);
        // Not every file system has hard links, or as many as we want.
        self.place(copy, |to| {
            fs::hard_link(&from, to).or_else(|_| fs::copy(&from, to).map(drop))
        })?;
        Ok(copy)
    }

    /// Opens a file. What is open stays readable to its end after its removal.
    pub(super) fn read(&self, id: BlobId) -> io::Result<File> {
        File::open(self.path(id))
    }

    /// Removes files that no row names any more. Where that fails, the next start does.
    pub(super) fn remove(&self, unused: impl IntoIterator<Item = BlobId>) {
        for path in unused.into_iter().map(|id| self.path(id)) {
            if let Err(error) = fs::remove_file(&path) {
                tracing::warn!(path = %path.display(), %error, "an unused file stays until the next start");
            }
        }
    }

    /// Puts a file under its final name, and creates the directory for it if it is the first one
    /// there.
    fn place(&self, id: BlobId, put: impl Fn(&Path) -> io::Result<()>) -> io::Result<()> {
        let path = self.path(id);
        match put(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(self.shard(id.0 % SHARDS))?;
                put(&path)
            }
            placed => placed,
        }
    }

    /// Where a file lives.
    pub(super) fn path(&self, id: BlobId) -> PathBuf {
        self.shard(id.0 % SHARDS).join(name(id))
    }

    fn shard(&self, shard: u64) -> PathBuf {
        self.finished.join(format!("{shard:02x}"))
    }

    fn take_id(&self) -> BlobId {
        BlobId(self.next.fetch_add(1, Ordering::Relaxed))
    }
}

fn name(id: BlobId) -> String {
    format!("{:016x}", id.0)
}

/// A file that is being written. Dropped before it is finished, it is removed.
pub(super) struct Incoming {
    id: BlobId,
    path: PathBuf,
    file: Option<File>,
}

impl Incoming {
    /// Appends to the file.
    pub(super) fn write(&mut self, chunks: &[Bytes]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            unopened => unopened.insert(File::create(&self.path)?),
        };
        chunks.iter().try_for_each(|chunk| file.write_all(chunk))
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            // Where it fails, the next start clears the directory.
            let _ = fs::remove_file(&self.path);
        }
    }
}
