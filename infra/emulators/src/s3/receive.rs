//! Writes a request body to disk and hashes it while it arrives, in chunks of limited size.
//!
//! Invariant: a body that is incomplete, too long or different from its declaration leaves no file.

use std::sync::Arc;

use bytes::Bytes;
use futures::StreamExt;
use s3s::{S3Error, StdError, TrailingHeaders, dto::StreamingBlob, s3_error};

use super::{
    blob::BlobWriter,
    checksum::{Algorithm, Digests, Hasher},
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
    trailers: Option<&TrailingHeaders>,
) -> Result<ReceivedBody, OperationError> {
    let algorithm = declared.algorithm().unwrap_or(Algorithm::DEFAULT);
    let mut stream = body.map(StreamExt::fuse);
    let mut partial = PartialBody {
        writer: store.blobs.create(),
        hasher: Hasher::new(algorithm),
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
    declared.verify(partial.size_bytes, &digests, trailers)?;
    Ok(ReceivedBody {
        writer: partial.writer,
        size_bytes: partial.size_bytes,
        digests,
    })
}

/// Converts an error of the body stream. s3s does not export its error types, so this compares
/// their texts.
fn body_error(error: StdError) -> S3Error {
    let text = error.to_string();
    if text.contains("SignatureMismatch") {
        return s3_error!(
            SignatureDoesNotMatch,
            "The request signature we calculated does not match the signature you provided."
        );
    }

    if text.contains("Sha256Mismatch") {
        return s3_error!(
            BadDigest,
            "The provided 'x-amz-content-sha256' header does not match what was computed."
        );
    }

    let mut incomplete = incomplete();
    incomplete.set_source(error);

    incomplete
}
