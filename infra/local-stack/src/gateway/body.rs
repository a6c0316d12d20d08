//! Request bodies. The unread rest of a body is discarded, up to a limit, while the response is
//! sent, so that a client that is still sending receives the response instead of a connection
//! reset.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::body::{Body, BodyDataStream};
use bytes::Bytes;
use futures::{Stream, StreamExt};
use http_body::Body as _;

/// Maximum number of bytes to discard.
const DRAIN_BYTES: usize = 64 << 20;
/// Maximum duration of discarding.
const DRAIN_DEADLINE: Duration = Duration::from_secs(10);

/// Wraps a body so that its unread rest is discarded when it is dropped.
pub(super) fn drained(body: Body) -> Body {
    if body.is_end_stream() {
        return body;
    }
    Body::from_stream(Drained {
        rest: Some(body.into_data_stream()),
    })
}

struct Drained {
    rest: Option<BodyDataStream>,
}

impl Stream for Drained {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(stream) = &mut self.rest else {
            return Poll::Ready(None);
        };
        let polled = stream.poll_next_unpin(context);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            self.rest = None;
        }
        polled
    }
}

impl Drop for Drained {
    fn drop(&mut self) {
        let (Some(mut stream), Ok(runtime)) =
            (self.rest.take(), tokio::runtime::Handle::try_current())
        else {
            return;
        };
        runtime.spawn(tokio::time::timeout(DRAIN_DEADLINE, async move {
            let mut drained = 0;
            while let Some(Ok(chunk)) = stream.next().await {
                drained += chunk.len();
                if drained > DRAIN_BYTES {
                    return;
                }
            }
        }));
    }
}
