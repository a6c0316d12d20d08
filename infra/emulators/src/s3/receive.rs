//! Writes a request body to disk and hashes it while it arrives, in chunks of limited size.
//!
//! Invariant: a body that is incomplete, too long or different from its declaration leaves no file.

use std::sync::Arc;

use bytes::Bytes;
use futures::StreamExt;
use s3s::{S3Error, StdError, dto::StreamingBlob};

use super::{
    blob::BlobWriter,
    checksum::{Digests, Hasher},
    declared_body::{DeclaredBody, incomplete},
    error::OperationError,
    store::ObjectStore,
};

/// Bytes that are buffered before they are written.
const CHUNK_BYTES: usize = 1024 * 1024;

/// A complete body that matches its declaration.
pub(super) struct ReceivedBody {
    pub(super) writer: BlobWriter,
    pub(super) size_bytes: u64,
    pub(super) digests: Digests,
}

/// A body that is arriving.
struct PartialBody {
    writer: BlobWriter,
    hasher: Hasher,
    size_bytes: u64,
}

impl PartialBody {
    fn append(&mut self, chunks: &[Bytes]) -> Result<(), OperationError> {
        for chunk in chunks {
            self.hasher.update(chunk);
        }
        self.writer.write(chunks)?;
        Ok(())
    }
}

/// Writes a body to a new file. Fails if it differs from its declaration.
pub(super) async fn receive(
    store: &Arc<ObjectStore>,
    body: Option<StreamingBlob>,
    declared: &DeclaredBody,
) -> Result<ReceivedBody, OperationError> {
    let mut stream = body.map(StreamExt::fuse);
    let mut partial = PartialBody {
        writer: store.blobs.create(),
        hasher: Hasher::new(declared.has_sha256()),
        size_bytes: 0,
    };

    loop {
        let mut chunks = Vec::new();
        let mut chunks_bytes = 0;
        while chunks_bytes < CHUNK_BYTES
            && let Some(stream) = &mut stream
            && let Some(chunk) = stream.next().await
        {
            let chunk = chunk.map_err(body_error)?;
            chunks_bytes += chunk.len();
            chunks.push(chunk);
        }
        partial.size_bytes += chunks_bytes as u64;
        if partial.size_bytes > declared.length_bytes {
            return Err(incomplete().into());
        }

        partial = store
            .blocking(move |_| {
                partial.append(&chunks)?;
                Ok(partial)
            })
            .await?;
        if chunks_bytes < CHUNK_BYTES {
            break;
        }
    }

    let digests = partial.hasher.finish();
    declared.verify(partial.size_bytes, &digests)?;
    Ok(ReceivedBody {
        writer: partial.writer,
        size_bytes: partial.size_bytes,
        digests,
    })
}

/// The connection ended, or the body differs from `x-amz-content-sha256`.
fn body_error(error: StdError) -> S3Error {
    let mut incomplete = incomplete();
    incomplete.set_source(error);
    incomplete
}
