//! A request's body: it has to arrive within a deadline, and what nobody reads of it is thrown away, up to a bound,
//! while the answer goes out: a client that is still sending then reads the answer instead of a broken connection.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::body::{Body, BodyDataStream};
use bytes::Bytes;
use futures::{Stream, StreamExt};
use http_body::Body as _;
use tokio::time::Sleep;

/// How long a client may take for its body. It is less than functions have for their answers: a client that stops
/// sending gets a refusal, and does not make a function look as if it took too long.
const BODY_DEADLINE: Duration = Duration::from_secs(20);
/// Bytes that are thrown away.
const DRAIN_BYTES: usize = 64 << 20;
/// How long a client may take to send them.
const DRAIN_DEADLINE: Duration = Duration::from_secs(10);

/// The body, which ends with an error at its deadline, and whose rest is drained once it is dropped.
pub(super) fn bounded(body: Body) -> Body {
    if body.is_end_stream() {
        return body;
    }
    let deadline = Box::pin(tokio::time::sleep(BODY_DEADLINE));
    Body::from_stream(Bounded { rest: Some(body.into_data_stream()), deadline })
}

struct Bounded {
    rest: Option<BodyDataStream>,
    deadline: Pin<Box<Sleep>>,
}

#[derive(Debug, thiserror::Error)]
#[error("the client took too long for the body")]
struct TooSlow;

impl Stream for Bounded {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(stream) = &mut self.rest else { return Poll::Ready(None) };
        let polled = match stream.poll_next_unpin(context) {
            Poll::Pending if self.deadline.as_mut().poll(context).is_ready() => {
                Poll::Ready(Some(Err(axum::Error::new(TooSlow))))
            }
            polled => polled,
        };
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            self.rest = None;
        }
        polled
    }
}

impl Drop for Bounded {
    fn drop(&mut self) {
        let (Some(mut stream), Ok(runtime)) = (self.rest.take(), tokio::runtime::Handle::try_current()) else { return };
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

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_arrive_in_time_ends_with_an_error() {
        let begun = futures::stream::iter([Ok::<_, axum::Error>(Bytes::from_static(b"begun"))]);
        let mut body = bounded(Body::from_stream(begun.chain(futures::stream::pending())));
        let started = tokio::time::Instant::now();
        assert!(matches!(body.frame().await, Some(Ok(_))));
        assert!(matches!(body.frame().await, Some(Err(_))));
        assert_eq!(started.elapsed(), BODY_DEADLINE);
        assert!(body.frame().await.is_none());
    }
}
