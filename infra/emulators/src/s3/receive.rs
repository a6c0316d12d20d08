//! A request's body on its way to disk: written and hashed as it arrives, in steps of bounded size.
//!
//! Invariant: a body that is cut off, too long or not what was declared leaves no file.

use std::sync::Arc;

use bytes::Bytes;
use futures::StreamExt;
use s3s::{S3Error, StdError, TrailingHeaders, dto::StreamingBlob, s3_error};

use super::{
    blobs::Incoming,
    checksum::{Algorithm, Hasher, Sums},
    declared::{Declared, incomplete},
    fault::Fault,
    shared::Shared,
};

/// Bytes that are gathered before they are written.
const STEP_BYTES: usize = 1024 * 1024;

/// A body that arrived whole, as declared.
pub(super) struct Received {
    pub(super) incoming: Incoming,
    pub(super) size_bytes: u64,
    pub(super) sums: Sums,
}

/// A body that is arriving.
struct Arriving {
    incoming: Incoming,
    hasher: Hasher,
    size_bytes: u64,
}

impl Arriving {
    fn append(&mut self, chunks: &[Bytes]) -> Result<(), Fault> {
        for chunk in chunks {
            self.hasher.update(chunk);
        }
        self.incoming.write(chunks)?;
        Ok(())
    }
}

/// Writes a body to a file of its own and compares it to what was declared.
pub(super) async fn receive(
    shared: &Arc<Shared>,
    body: Option<StreamingBlob>,
    declared: &Declared,
    trailers: Option<&TrailingHeaders>,
) -> Result<Received, Fault> {
    let algorithm = declared.algorithm().unwrap_or(Algorithm::DEFAULT);
    let mut body = body.map(StreamExt::fuse);
    let mut arriving = Arriving {
        incoming: shared.blobs.begin(),
        hasher: Hasher::new(algorithm),
        size_bytes: 0,
    };
    loop {
        let mut step = Vec::new();
        let mut step_bytes = 0;
        while step_bytes < STEP_BYTES
            && let Some(body) = &mut body
            && let Some(chunk) = body.next().await
        {
            let chunk = chunk.map_err(refused_body)?;
            step_bytes += chunk.len();
            step.push(chunk);
        }
        arriving.size_bytes += step_bytes as u64;
        if arriving.size_bytes > declared.length_bytes {
            return Err(incomplete().into());
        }
        let ended = step_bytes < STEP_BYTES;
        arriving = shared
            .blocking(move |_| {
                arriving.append(&step)?;
                Ok(arriving)
            })
            .await?;
        if ended {
            break;
        }
    }
    let Arriving {
        incoming,
        hasher,
        size_bytes,
    } = arriving;
    let sums = hasher.finish();
    declared.verify(size_bytes, &sums, trailers)?;
    Ok(Received {
        incoming,
        size_bytes,
        sums,
    })
}

/// What a body that breaks means to S3. The protocol layer keeps its error types to itself, but not
/// their texts.
fn refused_body(error: StdError) -> S3Error {
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
    let mut rejection = incomplete();
    rejection.set_source(error);
    rejection
}
