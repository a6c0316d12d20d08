//! The body of a request while it arrives: how long its client may take, and how long a function
//! has waited for it.
//!
//! In Lambda a body is there before its function is invoked. A container and the local stack hand
//! it on as it comes, so they bound it here, and do not count a function's waiting as its own time.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::{
    body::{Body, BodyDataStream},
    extract::Request,
};
use bytes::Bytes;
use futures::{
    Stream, StreamExt as _,
    future::{Either, select},
};
use http::{Extensions, Response, StatusCode, header};
use http_body::Body as _;
use tokio::time::{Instant, Sleep};

use crate::{ANSWER_DEADLINE, Cause, deadline::took_too_long, refusal::error_body};

/// How long a client may take for the body of a request.
#[derive(Clone, Copy, Debug)]
pub struct BodyDeadlines {
    /// Until the next byte.
    pub idle: Duration,
    /// Until the last byte.
    pub total: Duration,
}

impl Default for BodyDeadlines {
    /// Half a minute, and a quarter of an hour: ten files of 50 MB arrive within 14 minutes at 5
    /// Mbit/s.
    fn default() -> BodyDeadlines {
        BodyDeadlines {
            idle: Duration::from_secs(30),
            total: Duration::from_mins(15),
        }
    }
}

/// A deadline that a body missed.
#[derive(Clone, Copy, Debug, thiserror::Error)]
enum BodyTimeout {
    #[error("No byte of the body arrived for {} seconds. Send the request again.", .0.as_secs())]
    Idle(Duration),
    #[error("The body did not arrive within {} minutes. Send large files by way of POST /api/v1/upload/presign.", .0.as_secs() / 60)]
    Total(Duration),
}

/// Knows how a body arrives. Clones know the same; the default one is that of an empty body.
#[derive(Clone, Debug, Default)]
pub struct BodyWatch(Arc<Mutex<Arrival>>);

#[derive(Debug, Default)]
struct Arrival {
    /// Time that was spent waiting for bytes, up to `waiting_since`.
    waited: Duration,
    /// When the present wait began.
    waiting_since: Option<Instant>,
    timeout: Option<BodyTimeout>,
}

impl BodyWatch {
    /// Bounds the body of a request, whose extensions hold the watch from now on.
    pub fn begin(request: Request, deadlines: BodyDeadlines) -> (Request, BodyWatch) {
        let watch = BodyWatch::default();
        let mut request = request.map(|body| {
            if body.is_end_stream() {
                return body;
            }
            let now = Instant::now();
            Body::from_stream(TimedBody {
                rest: Some(body.into_data_stream()),
                watch: watch.clone(),
                deadlines,
                started: now,
                timeout: Box::pin(tokio::time::sleep_until(now)),
            })
        });
        request.extensions_mut().insert(watch.clone());
        (request, watch)
    }

    /// Returns the watch over a request's body.
    pub fn of(extensions: &Extensions) -> BodyWatch {
        extensions.get().cloned().unwrap_or_default()
    }

    /// Limits the time of some work, without the time that it waits for the body. `None` if it
    /// takes longer.
    pub async fn limit<T>(&self, limit: Duration, work: impl Future<Output = T>) -> Option<T> {
        match select(Box::pin(work), Box::pin(self.spent(limit))).await {
            Either::Left((done, _)) => Some(done),
            Either::Right(((), _)) => None,
        }
    }

    /// Returns the response if there is one within [`ANSWER_DEADLINE`], without the time that the
    /// body takes; else our own 503. Explains a body that missed a deadline.
    pub async fn in_time<B: From<String>>(
        &self,
        response: impl Future<Output = Response<B>>,
    ) -> Response<B> {
        let response = self.limit(ANSWER_DEADLINE, response).await;
        self.explain(response.unwrap_or_else(took_too_long))
    }

    /// Returns a response as it is, or our 408 in place of the 400 to a body that broke off because
    /// it missed a deadline.
    pub fn explain<B: From<String>>(&self, mut response: Response<B>) -> Response<B> {
        let timeout = self.arrival(|arrival| arrival.timeout);
        let Some(timeout) = timeout.filter(|_| response.status() == StatusCode::BAD_REQUEST) else {
            return response;
        };

        let message = timeout.to_string();
        *response.status_mut() = StatusCode::REQUEST_TIMEOUT;
        *response.body_mut() = error_body(&message).into();
        response.headers_mut().remove(header::CONTENT_LENGTH);
        response.extensions_mut().insert(Cause {
            text: message,
            is_contention: false,
        });
        response
    }

    /// Resolves once so much time has passed beside the waiting.
    async fn spent(&self, limit: Duration) {
        let started = Instant::now();
        loop {
            let spent = started.elapsed().saturating_sub(self.waited());
            if spent >= limit {
                return;
            }
            tokio::time::sleep(limit.saturating_sub(spent)).await;
        }
    }

    fn waited(&self) -> Duration {
        self.arrival(|arrival| {
            arrival.waited
                + arrival
                    .waiting_since
                    .map(|since| since.elapsed())
                    .unwrap_or_default()
        })
    }

    /// Notes that bytes are waited for. Returns when that began, if it begins now.
    fn begin_wait(&self) -> Option<Instant> {
        self.arrival(|arrival| {
            let begins = arrival.waiting_since.is_none();
            let since = *arrival.waiting_since.get_or_insert_with(Instant::now);
            begins.then_some(since)
        })
    }

    fn end_wait(&self) {
        self.arrival(|arrival| {
            arrival.waited += arrival
                .waiting_since
                .take()
                .map(|since| since.elapsed())
                .unwrap_or_default();
        });
    }

    fn arrival<T>(&self, access: impl FnOnce(&mut Arrival) -> T) -> T {
        access(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A body that ends with an error if it misses a deadline.
struct TimedBody {
    rest: Option<BodyDataStream>,
    watch: BodyWatch,
    deadlines: BodyDeadlines,
    started: Instant,
    /// Ends at the deadline of the present wait.
    timeout: Pin<Box<Sleep>>,
}

impl Stream for TimedBody {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(stream) = &mut self.rest else {
            return Poll::Ready(None);
        };
        if let Poll::Ready(next) = stream.poll_next_unpin(context) {
            self.watch.end_wait();
            if !matches!(next, Some(Ok(_))) {
                self.rest = None;
            }
            return Poll::Ready(next);
        }

        let BodyDeadlines { idle, total } = self.deadlines;
        let ends_at = self.started + total;
        if let Some(since) = self.watch.begin_wait() {
            self.timeout.as_mut().reset(ends_at.min(since + idle));
        }
        ready!(self.timeout.as_mut().poll(context));

        self.watch.end_wait();
        self.rest = None;
        let timeout = if Instant::now() >= ends_at {
            BodyTimeout::Total(total)
        } else {
            BodyTimeout::Idle(idle)
        };
        self.watch
            .arrival(|arrival| arrival.timeout = Some(timeout));
        Poll::Ready(Some(Err(axum::Error::new(timeout))))
    }
}

impl Drop for TimedBody {
    fn drop(&mut self) {
        self.watch.end_wait();
    }
}

#[cfg(test)]
mod tests {
    use axum::{Router, extract::DefaultBodyLimit, response::IntoResponse as _, routing::post};
    use http_body_util::BodyExt as _;
    use tower::ServiceExt as _;

    use super::*;

    const DEADLINES: BodyDeadlines = BodyDeadlines {
        idle: Duration::from_secs(30),
        total: Duration::from_mins(15),
    };

    /// Sends a body whose chunks come after such pauses, in seconds, to a function that works for
    /// so many seconds more.
    async fn send(pauses: impl IntoIterator<Item = u64>, work_seconds: u64) -> (u16, String) {
        let pauses: Vec<u64> = pauses.into_iter().collect();
        let chunks = futures::stream::iter(pauses).then(|pause| async move {
            tokio::time::sleep(Duration::from_secs(pause)).await;
            Ok::<_, axum::Error>(Bytes::from_static(b"chunk"))
        });
        let work = async move |request: Request| match request.into_body().collect().await {
            Ok(read) => {
                tokio::time::sleep(Duration::from_secs(work_seconds)).await;
                read.to_bytes().len().to_string().into_response()
            }
            Err(_) => (StatusCode::BAD_REQUEST, "the body ended early").into_response(),
        };
        let router = Router::new()
            .route("/", post(work))
            .layer(DefaultBodyLimit::disable());

        let request = http::Request::post("/")
            .body(Body::from_stream(chunks))
            .unwrap();
        let (request, watch) = BodyWatch::begin(request, DEADLINES);
        let response = watch
            .in_time(async { router.oneshot(request).await.unwrap() })
            .await;
        let status = response.status().as_u16();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, String::from_utf8(body.to_vec()).unwrap())
    }

    #[tokio::test(start_paused = true)]
    async fn body_may_take_minutes_while_its_client_sends() {
        assert_eq!(send([29; 30], 0).await, (200, "150".to_owned()));
    }

    #[tokio::test(start_paused = true)]
    async fn body_that_stops_or_never_ends_is_a_408() {
        let (status, body) = send([1, 31], 0).await;
        assert_eq!(status, 408);
        assert!(
            body.contains("No byte of the body arrived for 30 seconds."),
            "{body}"
        );

        let started = Instant::now();
        let (status, body) = send(vec![1; 2_000], 0).await;
        assert_eq!((status, started.elapsed()), (408, DEADLINES.total));
        assert!(
            body.contains("The body did not arrive within 15 minutes."),
            "{body}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn function_has_its_time_beside_that_of_the_body() {
        let seconds = ANSWER_DEADLINE.as_secs();
        assert_eq!(send([20, 20], seconds - 1).await.0, 200);
        assert_eq!(send([20, 20], seconds + 1).await.0, 503);
        assert_eq!(send([], seconds + 1).await.0, 503);
    }
}
