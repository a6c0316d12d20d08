//! Buffers the bytes of one file: in memory up to 1 MiB, then in a temporary file. Hashes them and
//! checks their encoding on the way.

use bytes::{Bytes, BytesMut};
use domain::errors::ServiceError;
use formats::HEAD_BYTES;
use sha2::{Digest, Sha256};
use space_store::objects::Payload;
use tempfile::TempPath;
use tokio::{
    fs::File,
    io::{AsyncReadExt, AsyncWriteExt, BufWriter},
};

use crate::{MAX_FORM_FILE_BYTES, text::Utf8Validator};

/// Maximum number of bytes that are buffered in memory.
const MAX_MEMORY_BYTES: usize = 1 << 20;
/// Size of the write buffer of a temporary file, in bytes.
const WRITE_BUFFER_BYTES: usize = 256 << 10;

/// A file that is being received.
#[derive(Debug, Default)]
pub struct Spool {
    size: u64,
    digest: Sha256,
    utf8: Utf8Validator,
    head: Vec<u8>,
    buffer: WriteBuffer,
}

#[derive(Debug)]
enum WriteBuffer {
    Memory(BytesMut),
    Disk(BufWriter<File>, TempPath),
}

impl Default for WriteBuffer {
    fn default() -> WriteBuffer {
        WriteBuffer::Memory(BytesMut::new())
    }
}

/// A file that was received completely. Dropping it deletes its temporary file.
#[derive(Debug)]
pub struct Spooled {
    size: u64,
    checksum_sha256: String,
    is_utf8: bool,
    head: Vec<u8>,
    bytes: SpooledBytes,
}

#[derive(Debug)]
enum SpooledBytes {
    Memory(Bytes),
    Disk(TempPath),
}

impl Spool {
    /// Appends bytes. Once the file is larger than 50 MB, its content is discarded and only its
    /// size is counted.
    pub async fn write(&mut self, chunk: &[u8]) -> Result<(), ServiceError> {
        self.size += chunk.len() as u64;
        if self.size > MAX_FORM_FILE_BYTES {
            self.buffer = WriteBuffer::default();
            return Ok(());
        }

        self.digest.update(chunk);
        self.utf8.update(chunk);
        let missing = HEAD_BYTES.saturating_sub(self.head.len()).min(chunk.len());
        self.head.extend_from_slice(&chunk[..missing]);
        self.append(chunk).await.map_err(ServiceError::internal)
    }

    async fn append(&mut self, chunk: &[u8]) -> std::io::Result<()> {
        match &mut self.buffer {
            WriteBuffer::Memory(bytes) if bytes.len() + chunk.len() <= MAX_MEMORY_BYTES => {
                bytes.extend_from_slice(chunk);
                Ok(())
            }
            WriteBuffer::Memory(bytes) => {
                let (file, path) = tempfile::NamedTempFile::new()?.into_parts();
                let mut writer = BufWriter::with_capacity(WRITE_BUFFER_BYTES, File::from_std(file));
                writer.write_all(bytes).await?;
                writer.write_all(chunk).await?;
                self.buffer = WriteBuffer::Disk(writer, path);
                Ok(())
            }
            WriteBuffer::Disk(writer, _) => writer.write_all(chunk).await,
        }
    }

    /// Returns the received file.
    pub async fn finish(self) -> Result<Spooled, ServiceError> {
        let bytes = match self.buffer {
            WriteBuffer::Memory(bytes) => SpooledBytes::Memory(bytes.freeze()),
            WriteBuffer::Disk(mut writer, path) => {
                writer.flush().await.map_err(ServiceError::internal)?;
                SpooledBytes::Disk(path)
            }
        };
        Ok(Spooled {
            size: self.size,
            checksum_sha256: hex::encode(self.digest.finalize()),
            is_utf8: self.utf8.is_valid(),
            head: self.head,
            bytes,
        })
    }
}

impl Spooled {
    /// Returns the size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the SHA-256 of the bytes, in lower-case hex.
    pub fn checksum_sha256(&self) -> &str {
        &self.checksum_sha256
    }

    /// Returns whether all bytes are valid UTF-8.
    pub fn is_utf8(&self) -> bool {
        self.is_utf8
    }

    /// Returns the first bytes, up to 8 KiB.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Reads the first `bytes` into memory, or all of them if there are fewer.
    pub(crate) async fn prefix(&self, bytes: u64) -> Result<Bytes, ServiceError> {
        let bytes = bytes.min(self.size);
        let length = usize::try_from(bytes).map_err(ServiceError::internal)?;
        match &self.bytes {
            SpooledBytes::Memory(all) => Ok(all.slice(..length.min(all.len()))),
            SpooledBytes::Disk(path) => {
                let mut prefix = Vec::with_capacity(length);
                let file = File::open(path).await.map_err(ServiceError::internal)?;
                file.take(bytes)
                    .read_to_end(&mut prefix)
                    .await
                    .map_err(ServiceError::internal)?;
                Ok(prefix.into())
            }
        }
    }

    /// Returns the bytes for storage. They are valid while `self` is not dropped.
    pub fn content(&self) -> Payload {
        match &self.bytes {
            SpooledBytes::Memory(bytes) => Payload::Memory(bytes.clone()),
            SpooledBytes::Disk(path) => Payload::File(path.to_path_buf()),
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
    async fn small_file_stays_in_memory() {
        let spooled = spool(&[b"ab", b"c"]).await;

        assert!(matches!(spooled.content(), Payload::Memory(bytes) if bytes == "abc"));
        assert_eq!(
            spooled.checksum_sha256(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[tokio::test]
    async fn large_file_is_written_to_disk_until_it_is_dropped() {
        let chunk = vec![7; 700_000];
        let spooled = spool(&[&chunk, &chunk, &chunk]).await;

        let Payload::File(path) = spooled.content() else {
            panic!("the file is in memory")
        };
        let written = std::fs::read(&path).expect("a temporary file");
        assert!(written == chunk.repeat(3));
        assert_eq!(spooled.head().len(), HEAD_BYTES);

        drop(spooled);
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn prefix_has_the_requested_length_or_that_of_the_file() {
        let chunk = vec![7; 700_000];
        let small = spool(&[b"abc"]).await;
        let large = spool(&[&chunk, &chunk, &chunk]).await;

        for spooled in [&small, &large] {
            for bytes in [0, 2, 1_000_000, spooled.size(), u64::MAX] {
                let prefix = spooled.prefix(bytes).await.expect("a readable file");

                assert_eq!(prefix.len() as u64, bytes.min(spooled.size()));
                let shared = prefix.len().min(spooled.head().len());
                assert_eq!(prefix[..shared], spooled.head()[..shared]);
            }
        }
    }

    #[tokio::test]
    async fn content_over_50_mb_is_counted_and_discarded() {
        let chunk = vec![0; 30 << 20];
        let spooled = spool(&[&chunk, &chunk]).await;

        assert_eq!(spooled.size(), 60 << 20);
        assert!(matches!(spooled.content(), Payload::Memory(bytes) if bytes.is_empty()));
    }
}
