//! The body of a form as its parser reads it: limited in size, in small pieces, and with bounded
//! headers of parts (see `part_headers`), so that the parser buffers a bounded number of bytes.
//!
//! Invariant:
//! - The size limit applies to the bytes as received, before the filter removes any.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use axum::body::{Body, BodyDataStream};
use bytes::Bytes;
use futures::Stream;
use http_api::fields::drain;
use intake::MAX_FORM_FILE_BYTES;
use thiserror::Error;

use crate::part_headers::{HeadersTooLarge, PartHeaderFilter};

/// Allowance for text fields, headers and boundaries, in bytes.
const OVERHEAD_BYTES: u64 = 1 << 20;
/// Allowance for a file over its own limit, in bytes. A file within the allowance is a field error
/// instead of a 413.
const EXCESS_BYTES: u64 = 8 << 20;

/// Returns the maximum size of the body of a form with up to `max_files` files, in bytes.
pub(crate) const fn max_body_bytes(max_files: usize) -> u64 {
    max_files as u64 * MAX_FORM_FILE_BYTES + OVERHEAD_BYTES + EXCESS_BYTES
}

/// Maximum size of a piece, in bytes.
const MAX_PIECE_BYTES: usize = 64 << 10;

/// The limit that a body exceeds.
#[derive(Debug, Error)]
pub(crate) enum BodyLimitError {
    #[error(
        "The body must not be greater than {} kilobytes. Upload larger files with POST /api/v1/upload/presign.",
        .0 >> 10
    )]
    BodyTooLarge(u64),
    #[error(transparent)]
    HeadersTooLarge(#[from] HeadersTooLarge),
}

/// A stream of a form's body that enforces the limits.
pub(crate) struct BoundedBody {
    body: BodyDataStream,
    /// The rest of the last received chunk.
    chunk: Bytes,
    /// Number of bytes that were passed on.
    read_bytes: u64,
    max_bytes: u64,
    header_filter: PartHeaderFilter,
    /// Whether to yield once, so that the parser processes the last piece before it gets the next.
    must_yield: bool,
}

impl BoundedBody {
    /// Creates the stream of a form with this boundary and a body of at most `max_bytes`.
    pub(crate) fn new(body: Body, boundary: &str, max_bytes: u64) -> BoundedBody {
        BoundedBody {
            body: body.into_data_stream(),
            chunk: Bytes::new(),
            read_bytes: 0,
            max_bytes,
            header_filter: PartHeaderFilter::new(boundary),
            must_yield: false,
        }
    }

    /// Reads and discards the rest of a rejected body, up to a limit, so that the client receives
    /// the response instead of a broken pipe.
    pub(crate) async fn drain(self) {
        drain(Body::from_stream(self.body)).await;
    }
}

impl Stream for BoundedBody {
    type Item = Result<Bytes, BodyLimitError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if std::mem::take(&mut this.must_yield) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }

        while this.chunk.is_empty() {
            match ready!(Pin::new(&mut this.body).poll_next(context)) {
                Some(Ok(chunk)) => this.chunk = chunk,
                // The parser reports a connection that breaks as an incomplete form.
                Some(Err(_)) | None => return Poll::Ready(None),
            }
        }

        let length = this.chunk.len().min(MAX_PIECE_BYTES);
        let piece = this.chunk.split_to(length);
        this.read_bytes += length as u64;
        if this.read_bytes > this.max_bytes {
            return Poll::Ready(Some(Err(BodyLimitError::BodyTooLarge(this.max_bytes))));
        }
        this.must_yield = true;
        Poll::Ready(Some(this.header_filter.filter(piece).map_err(Into::into)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::stream;
    use multer::Multipart;

    fn body(chunks: &[&[u8]]) -> Body {
        let chunks: Vec<_> = chunks
            .iter()
            .map(|chunk| Ok::<_, std::io::Error>(chunk.to_vec()))
            .collect();
        Body::from_stream(stream::iter(chunks))
    }

    /// Asserts that parsing fails with the first piece of these chunks.
    async fn assert_headers_too_large(chunks: &[&[u8]]) {
        let mut bounded = BoundedBody::new(body(chunks), "frontier", u64::MAX);

        let error = Multipart::new(&mut bounded, "frontier")
            .next_field()
            .await
            .expect_err("the headers are too large");

        assert!(matches!(
            error,
            multer::Error::StreamReadFailed(error) if error.is::<BodyLimitError>()
        ));
        assert!(bounded.read_bytes <= MAX_PIECE_BYTES as u64);
    }

    #[tokio::test]
    async fn bytes_before_the_first_boundary_are_limited() {
        let endless: &[u8] = &vec![b'x'; 1 << 20];

        assert_headers_too_large(&[endless, endless]).await;
    }

    #[tokio::test]
    async fn headers_of_a_part_are_limited() {
        let mut endless = b"--frontier\r\nx-long: ".to_vec();
        endless.resize(1 << 20, b'x');

        assert_headers_too_large(&[&endless]).await;
    }

    #[tokio::test]
    async fn content_is_passed_on_completely_in_pieces() {
        let headers: &[u8] = b"--frontier\r\ncontent-disposition: form-data; name=\"a\"\r\n\r\n";
        let content = vec![b'x'; 300_000];
        let form = body(&[headers, &content, b"\r\n--frontier--"]);

        let mut bounded = BoundedBody::new(form, "frontier", u64::MAX);
        let mut parts = Multipart::new(&mut bounded, "frontier");
        let mut part = parts.next_field().await.expect("a form").expect("a part");
        let mut read = Vec::new();
        while let Some(piece) = part.chunk().await.expect("a form") {
            assert!(piece.len() <= MAX_PIECE_BYTES);
            read.extend_from_slice(&piece);
        }

        assert!(read == content);
    }
}
