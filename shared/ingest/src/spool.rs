//! Bytes on their way in: in memory while there are few, then in a temporary file; hashed as they
//! pass.

use bytes::{Bytes, BytesMut};
use domain::ServiceError;
use sha2::{Digest, Sha256};
use tempfile::TempPath;
use tenant::Content;
use tokio::{
    fs::File,
    io::{AsyncReadExt, AsyncWriteExt, BufWriter},
};

use crate::{FILE_BYTES, text::Utf8Validator};

/// Bytes that are kept in memory before a temporary file takes over.
const MEMORY_BYTES: usize = 1 << 20;
/// Bytes from the beginning that are kept to tell the type by.
pub(crate) const HEAD_BYTES: usize = 8 << 10;
/// Bytes that are handed to the file system at once.
const WRITE_BYTES: usize = 256 << 10;

/// A spool that is being written.
#[derive(Debug, Default)]
pub struct Spool {
    size: u64,
    digest: Sha256,
    utf8: Utf8Validator,
    head: Vec<u8>,
    store: Store,
}

#[derive(Debug)]
enum Store {
    Memory(BytesMut),
    Disk(BufWriter<File>, TempPath),
}

impl Default for Store {
    fn default() -> Store {
        Store::Memory(BytesMut::new())
    }
}

/// All bytes of a file that came in. A temporary file goes when this is dropped.
#[derive(Debug)]
pub struct Spooled {
    size: u64,
    checksum_sha256: String,
    is_utf8: bool,
    head: Vec<u8>,
    kept: Kept,
}

#[derive(Debug)]
enum Kept {
    Memory(Bytes),
    Disk(TempPath),
}

impl Spool {
    /// Takes the next bytes. Those beyond the largest file are counted and thrown away: such a file
    /// is refused.
    pub async fn write(&mut self, chunk: &[u8]) -> Result<(), ServiceError> {
        self.size += chunk.len() as u64;
        if self.size > FILE_BYTES {
            self.store = Store::default();
            return Ok(());
        }
        self.digest.update(chunk);
        self.utf8.update(chunk);
        let missing = HEAD_BYTES.saturating_sub(self.head.len()).min(chunk.len());
        self.head.extend_from_slice(&chunk[..missing]);
        self.keep(chunk).await.map_err(ServiceError::internal)
    }

    async fn keep(&mut self, chunk: &[u8]) -> std::io::Result<()> {
        match &mut self.store {
            Store::Memory(bytes) if bytes.len() + chunk.len() <= MEMORY_BYTES => {
                bytes.extend_from_slice(chunk);
                Ok(())
            }
            Store::Memory(bytes) => {
                let (file, path) = tempfile::NamedTempFile::new()?.into_parts();
                let mut writer = BufWriter::with_capacity(WRITE_BYTES, File::from_std(file));
                writer.write_all(bytes).await?;
                writer.write_all(chunk).await?;
                self.store = Store::Disk(writer, path);
                Ok(())
            }
            Store::Disk(writer, _) => writer.write_all(chunk).await,
        }
    }

    /// Ends the writing.
    pub async fn finish(self) -> Result<Spooled, ServiceError> {
        let kept = match self.store {
            Store::Memory(bytes) => Kept::Memory(bytes.freeze()),
            Store::Disk(mut writer, path) => {
                writer.flush().await.map_err(ServiceError::internal)?;
                Kept::Disk(path)
            }
        };
        let checksum_sha256 = hex::encode(self.digest.finalize());
        Ok(Spooled {
            size: self.size,
            checksum_sha256,
            is_utf8: self.utf8.is_valid(),
            head: self.head,
            kept,
        })
    }
}

impl Spooled {
    /// Bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// SHA-256 of the bytes, in lower-case hex.
    pub fn checksum_sha256(&self) -> &str {
        &self.checksum_sha256
    }

    /// Returns whether all bytes are valid UTF-8.
    pub fn is_utf8(&self) -> bool {
        self.is_utf8
    }

    /// The first bytes, up to 8 KiB.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// So many bytes from the beginning, in memory; all, where there are fewer.
    pub(crate) async fn beginning(&self, bytes: u64) -> Result<Bytes, ServiceError> {
        let bytes = bytes.min(self.size);
        let length = usize::try_from(bytes).map_err(ServiceError::internal)?;
        match &self.kept {
            Kept::Memory(kept) => Ok(kept.slice(..length.min(kept.len()))),
            Kept::Disk(path) => {
                let mut beginning = Vec::with_capacity(length);
                let file = File::open(path).await.map_err(ServiceError::internal)?;
                file.take(bytes)
                    .read_to_end(&mut beginning)
                    .await
                    .map_err(ServiceError::internal)?;
                Ok(beginning.into())
            }
        }
    }

    /// The bytes, to be stored while this is alive.
    pub fn content(&self) -> Content {
        match &self.kept {
            Kept::Memory(bytes) => Content::Memory(bytes.clone()),
            Kept::Disk(path) => Content::File(path.to_path_buf()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn spool(chunks: &[&[u8]]) -> Spooled {
        let mut spool = Spool::default();
        for chunk in chunks {
            spool
                .write(chunk)
                .await
                .expect("a writable temporary directory");
        }
        spool
            .finish()
            .await
            .expect("a writable temporary directory")
    }

    #[tokio::test]
    async fn few_bytes_stay_in_memory_and_many_go_to_disk_unchanged() {
        let few = spool(&[b"ab", b"c"]).await;
        assert!(matches!(few.content(), Content::Memory(bytes) if bytes == "abc"));
        assert_eq!(
            few.checksum_sha256(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );

        let chunk = vec![7; 700_000];
        let many = spool(&[&chunk, &chunk, &chunk]).await;
        let Content::File(path) = many.content() else {
            panic!("on disk")
        };
        assert_eq!(std::fs::read(&path).expect("there"), chunk.repeat(3));
        assert_eq!(many.head().len(), HEAD_BYTES);
        for spooled in [&few, &many] {
            for bytes in [0, 2, 1_000_000, spooled.size(), u64::MAX] {
                let beginning = spooled.beginning(bytes).await.expect("readable");
                assert_eq!(beginning.len() as u64, bytes.min(spooled.size()));
                assert!(
                    beginning
                        .iter()
                        .zip(spooled.head())
                        .all(|(read, kept)| read == kept)
                );
            }
        }
        drop(many);
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn what_is_too_large_is_counted_and_not_kept() {
        let chunk = vec![0; 30 << 20];
        let spooled = spool(&[&chunk, &chunk]).await;
        assert_eq!(spooled.size(), 60 << 20);
        assert!(matches!(spooled.content(), Content::Memory(bytes) if bytes.is_empty()));
    }
}
