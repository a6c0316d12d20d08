//! The body of a form as its parser reads it: in bounded pieces, and without control characters in
//! the headers of parts (see `part_headers`).
//!
//! Invariants:
//! - The parser never holds more than one piece beyond what it asked for. It keeps what it is given
//!   until it finds the end of a part's headers, so memory does not grow with a body whose end it
//!   does not find.
//! - Bytes are counted as they came.

use std::{
    pin::Pin,
    sync::atomic::{AtomicUsize, Ordering},
    task::{Context, Poll, ready},
};

use axum::body::{Body, BodyDataStream};
use bytes::Bytes;
use futures::Stream;
use ingest::FILE_BYTES;
use thiserror::Error;
use web::drain;

use crate::part_headers::PartHeaders;

/// Bytes that a form has beside its files: texts, headers and boundaries.
const REST_BYTES: u64 = 1 << 20;
/// Bytes of a file above its limit that are still read as part of the form.
const FILE_SLACK_BYTES: u64 = 8 << 20;
/// Largest body of a form of so many files, in bytes. A file that is too large by itself is refused
/// as a field; it is read so far to tell.
pub(crate) const fn body_bytes(files: usize) -> u64 {
    files as u64 * FILE_BYTES + REST_BYTES + FILE_SLACK_BYTES
}

/// Largest piece, in bytes.
const PIECE_BYTES: usize = 64 << 10;
/// Maximum number of bytes that lead to the content of a part: what stands before the first
/// boundary, and the headers of each part.
const LEAD_BYTES: usize = 16 << 10;

/// The limit that a body exceeds.
#[derive(Debug, Error)]
pub(crate) enum BodyLimitError {
    #[error(
        "The body must not be greater than {} kilobytes. Send larger files by way of POST /api/v1/upload/presign.",
        .0 >> 10
    )]
    TooLarge(u64),
    #[error(
        "The form has more than {} kilobytes before its first boundary, or in the headers of one part.",
        LEAD_BYTES >> 10
    )]
    NoContent,
}

/// How many bytes the parser may still be given before it has to find the content of a part.
pub(crate) struct LeadBudget(AtomicUsize);

impl LeadBudget {
    /// Allows what is enough to find the next part.
    pub(crate) fn new() -> LeadBudget {
        LeadBudget(AtomicUsize::new(LEAD_BYTES))
    }

    /// Bounds the bytes while the parser looks for the next part.
    pub(crate) fn bound(&self) {
        self.0.store(LEAD_BYTES, Ordering::Relaxed);
    }

    /// Lifts the bound once the parser has found a part, whose content is passed on as it comes.
    pub(crate) fn lift(&self) {
        self.0.store(usize::MAX, Ordering::Relaxed);
    }
}

/// A body that is read up to its limits.
pub(crate) struct BoundedBody<'a> {
    body: BodyDataStream,
    /// What has come and was not passed on yet.
    held: Bytes,
    /// Bytes that were passed on.
    read: u64,
    /// Maximum of these.
    max: u64,
    lead: &'a LeadBudget,
    headers: PartHeaders,
    /// Whether the parser has to process the last piece first.
    is_paused: bool,
}

impl<'a> BoundedBody<'a> {
    /// Reads a form with this boundary from a body of up to `max` bytes.
    pub(crate) fn new(
        body: Body,
        boundary: &str,
        max: u64,
        lead: &'a LeadBudget,
    ) -> BoundedBody<'a> {
        BoundedBody {
            body: body.into_data_stream(),
            held: Bytes::new(),
            read: 0,
            max,
            lead,
            headers: PartHeaders::new(boundary),
            is_paused: false,
        }
    }

    /// Throws away what has not been read, up to a bound, so that the client reads the refusal.
    pub(crate) async fn drain(self) {
        drain(Body::from_stream(self.body)).await;
    }
}

impl Stream for BoundedBody<'_> {
    type Item = Result<Bytes, BodyLimitError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if std::mem::take(&mut this.is_paused) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        while this.held.is_empty() {
            match ready!(Pin::new(&mut this.body).poll_next(context)) {
                Some(Ok(chunk)) => this.held = chunk,
                // A body that breaks off is a form that ends early.
                Some(Err(_)) | None => return Poll::Ready(None),
            }
        }
        let allowed = this.lead.0.load(Ordering::Relaxed);
        if allowed == 0 {
            return Poll::Ready(Some(Err(BodyLimitError::NoContent)));
        }
        let piece = this
            .held
            .split_to(this.held.len().min(PIECE_BYTES).min(allowed));
        this.lead.0.store(allowed - piece.len(), Ordering::Relaxed);
        this.read += piece.len() as u64;
        if this.read > this.max {
            return Poll::Ready(Some(Err(BodyLimitError::TooLarge(this.max))));
        }
        this.is_paused = true;
        Poll::Ready(Some(Ok(this.headers.filter(piece))))
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

    #[tokio::test]
    async fn no_more_is_read_than_may_lead_to_a_part() {
        let endless: &[u8] = &vec![b'x'; 1 << 20];
        let opened: &[u8] = b"--frontier\r\nx-long: ";
        for chunks in [&[endless, endless][..], &[opened, endless, endless]] {
            let budget = LeadBudget::new();
            let mut pieces = BoundedBody::new(body(chunks), "frontier", u64::MAX, &budget);
            let refused = Multipart::new(&mut pieces, "frontier")
                .next_field()
                .await
                .expect_err("no part");
            assert!(
                matches!(refused, multer::Error::StreamReadFailed(error) if error.is::<BodyLimitError>())
            );
            assert_eq!(pieces.read, LEAD_BYTES as u64);
        }
    }

    #[tokio::test]
    async fn content_comes_whole_in_pieces() {
        let content = vec![b'x'; 300_000];
        let lead: &[u8] = b"--frontier\r\ncontent-disposition: form-data; name=\"a\"\r\n\r\n";
        let budget = LeadBudget::new();
        let mut pieces = BoundedBody::new(
            body(&[lead, &content, b"\r\n--frontier--"]),
            "frontier",
            u64::MAX,
            &budget,
        );
        let mut parts = Multipart::new(&mut pieces, "frontier");
        let mut part = parts.next_field().await.expect("a form").expect("a part");
        budget.lift();
        let mut read = Vec::new();
        while let Some(piece) = part.chunk().await.expect("a form") {
            assert!(piece.len() <= PIECE_BYTES);
            read.extend_from_slice(&piece);
        }
        assert!(read == content);
    }
}
