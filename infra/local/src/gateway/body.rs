//! A request's body. Its unread rest is discarded, up to a bound, while the response is sent, so
//! that a client that is still sending reads the response instead of a broken connection.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::body::{Body, BodyDataStream};
use bytes::Bytes;
use futures::{Stream, StreamExt};
use http_body::Body as _;

/// Bytes that are thrown away.
const DRAIN_BYTES: usize = 64 << 20;
/// How long a client may take to send them.
const DRAIN_DEADLINE: Duration = Duration::from_secs(10);

/// The body, whose rest is drained once it is dropped.
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
