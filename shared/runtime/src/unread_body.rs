//! Reads the rest of a request body that a function did not read, before the response is sent.
//!
//! A client that is still sending would otherwise see a broken connection instead of the response.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    body::{Body, BodyDataStream},
    extract::Request,
    middleware::Next,
    response::Response,
};
use bytes::Bytes;
use futures::{Stream, StreamExt as _};
use http::{StatusCode, header};
use http_body::Body as _;

/// Maximum number of bytes that are drained.
const MAX_DRAIN_BYTES: usize = 64 << 20;
/// Maximum time to drain a body.
const DRAIN_DEADLINE: Duration = Duration::from_secs(10);

/// Middleware that drains what the function left of a body.
pub(crate) async fn drain_unread_body(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    if body.is_end_stream() {
        return next.run(Request::from_parts(parts, body)).await;
    }

    let expects_continue = parts.headers.contains_key(header::EXPECT);
    let shared = SharedBody(Arc::new(Mutex::new(BodyRest {
        stream: Some(body.into_data_stream()),
        was_polled: false,
    })));
    let request = Request::from_parts(parts, Body::from_stream(shared.clone()));
    let response = next.run(request).await;

    // A client that waits for "100 Continue" has sent nothing and reads the response first, and one that missed the deadline of
    // its body sends too little to lose the response.
    let rest = shared.take_rest();
    let is_sending = rest.was_polled || !expects_continue;
    if let Some(stream) = rest.stream
        && is_sending
        && response.status() != StatusCode::REQUEST_TIMEOUT
    {
        let _ = tokio::time::timeout(DRAIN_DEADLINE, drain(stream)).await;
    }
    response
}

async fn drain(mut stream: BodyDataStream) {
    let mut drained = 0;
    while let Some(Ok(chunk)) = stream.next().await {
        drained += chunk.len();
        if drained > MAX_DRAIN_BYTES {
            return;
        }
    }
}

/// A body that the function reads first, and the middleware drains afterwards.
#[derive(Clone)]
struct SharedBody(Arc<Mutex<BodyRest>>);

#[derive(Default)]
struct BodyRest {
    /// `None` after the end.
    stream: Option<BodyDataStream>,
    /// Whether the function asked for bytes.
    was_polled: bool,
}

impl SharedBody {
    /// Takes the rest of the body; further reads return its end.
    fn take_rest(&self) -> BodyRest {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Stream for SharedBody {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut rest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rest.was_polled = true;
        let Some(stream) = &mut rest.stream else {
            return Poll::Ready(None);
        };

        let polled = stream.poll_next_unpin(context);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            rest.stream = None;
        }
        polled
    }
}
