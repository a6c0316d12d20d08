//! The body of a form as its parser reads it: limited in size, in small pieces, and with bounded
//! headers of parts (see `part_headers`), so that the parser buffers a bounded number of bytes.
//!
//! Invariant:
//! - The size limit applies to the bytes as received, before the filter removes any.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use futures::Stream;
use thiserror::Error;

use crate::part_headers::{HeadersTooLarge, PartHeaderFilter};

/// Maximum size of a piece, in bytes.
const MAX_PIECE_BYTES: usize = 64 << 10;

/// The limit that a body exceeds.
#[derive(Debug, Error)]
pub enum BodyLimitError {
    /// The body has more than this number of bytes.
    #[error("The body must not be greater than {} kilobytes.", .0 >> 10)]
    BodyTooLarge(u64),
    #[error(transparent)]
    HeadersTooLarge(#[from] HeadersTooLarge),
}

/// A stream of a form's body that enforces the limits.
pub struct BoundedBody<S> {
    body: S,
    /// The rest of the last received chunk.
    chunk: Bytes,
    /// Number of bytes that were passed on.
    read_bytes: u64,
    max_bytes: u64,
    header_filter: PartHeaderFilter,
    /// Whether to yield once, so that the parser processes the last piece before it gets the next.
    must_yield: bool,
}

impl<S> BoundedBody<S> {
    /// Creates the stream of a form with this boundary and a body of at most `max_bytes`.
    pub fn new(body: S, boundary: &str, max_bytes: u64) -> BoundedBody<S> {
        BoundedBody {
            body,
            chunk: Bytes::new(),
            read_bytes: 0,
            max_bytes,
            header_filter: PartHeaderFilter::new(boundary),
            must_yield: false,
        }
    }

    /// Returns the rest of the body, without the chunk that was received last.
    pub fn into_rest(self) -> S {
        self.body
    }
}

impl<S: Stream<Item = Result<Bytes, E>> + Unpin, E> Stream for BoundedBody<S> {
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
    use std::convert::Infallible;

    use futures::stream;
    use multer::Multipart;

    use super::*;

    fn body(
        chunks: &[&[u8]],
    ) -> impl Stream<Item = Result<Bytes, Infallible>> + Unpin + Send + 'static {
        let chunks = chunks.iter().map(|chunk| Ok(Bytes::copy_from_slice(chunk)));
        stream::iter(chunks.collect::<Vec<_>>())
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
