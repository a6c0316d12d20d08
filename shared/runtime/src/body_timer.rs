//! Time limits of request bodies that arrive while a function runs.
//!
//! Lambda invokes a function after the whole body has arrived. A container and the local stack
//! stream it, so they limit the time that a client takes for the body, and exclude the time that a
//! function waits for the body from the function's own time limit.

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

use crate::{
    ErrorCause, RESPONSE_DEADLINE, deadline::deadline_exceeded, error_response::error_body,
};

/// Maximum time that a client may take to send the body of a request.
#[derive(Clone, Copy, Debug)]
pub struct BodyDeadlines {
    /// Until the next byte.
    pub idle: Duration,
    /// Until the last byte.
    pub total: Duration,
}

impl Default for BodyDeadlines {
    /// 30 seconds, and 15 minutes: ten files of 50 MB arrive within 14 minutes at 5 Mbit/s.
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
    #[error(
        "The body did not arrive within {} minutes. Upload large files with \
         POST /api/v1/upload/presign.",
        .0.as_secs() / 60
    )]
    Total(Duration),
}

/// Measures how long a function waits for a request body. Clones share the measurement; the
/// default is the timer of an empty body.
#[derive(Clone, Debug, Default)]
pub struct BodyTimer(Arc<Mutex<BodyProgress>>);

#[derive(Debug, Default)]
struct BodyProgress {
    /// Time spent waiting for bytes, without the current wait.
    waited: Duration,
    /// Start of the current wait.
    waiting_since: Option<Instant>,
    timeout: Option<BodyTimeout>,
}

impl BodyTimer {
    /// Adds deadlines to the body of a request, and the timer to its extensions.
    pub fn attach(request: Request, deadlines: BodyDeadlines) -> Request {
        let timer = BodyTimer::default();
        let mut request = request.map(|body| {
            if body.is_end_stream() {
                return body;
            }
            let now = Instant::now();
            Body::from_stream(TimedBody {
                stream: Some(body.into_data_stream()),
                timer: timer.clone(),
                deadlines,
                started: now,
                timeout: Box::pin(tokio::time::sleep_until(now)),
            })
        });
        request.extensions_mut().insert(timer);
        request
    }

    /// Returns the timer of a request's body.
    pub fn of(extensions: &Extensions) -> BodyTimer {
        extensions.get().cloned().unwrap_or_default()
    }

    /// Runs work that may take `limit`, not counting the time that it waits for the body. Returns
    /// `None` if the work was cancelled.
    pub async fn timeout<T>(&self, limit: Duration, work: impl Future<Output = T>) -> Option<T> {
        match select(Box::pin(work), Box::pin(self.worked_for(limit))).await {
            Either::Left((done, _)) => Some(done),
            Either::Right(((), _)) => None,
        }
    }

    /// Returns the response, or a 503 if it takes longer than [`RESPONSE_DEADLINE`], not counting
    /// the time that it waits for the body. A body that misses a deadline is a 408.
    pub async fn respond_in_time<B: From<String>>(
        &self,
        response: impl Future<Output = Response<B>>,
    ) -> Response<B> {
        let response = self.timeout(RESPONSE_DEADLINE, response).await;
        self.report_timeout(response.unwrap_or_else(deadline_exceeded))
    }

    /// Turns the 400 of a body that broke off because it missed a deadline into a 408. Returns any
    /// other response unchanged.
    pub fn report_timeout<B: From<String>>(&self, mut response: Response<B>) -> Response<B> {
        let timeout = self.with_progress(|progress| progress.timeout);
        let Some(timeout) = timeout.filter(|_| response.status() == StatusCode::BAD_REQUEST) else {
            return response;
        };

        let message = timeout.to_string();
        *response.status_mut() = StatusCode::REQUEST_TIMEOUT;
        *response.body_mut() = error_body(&message).into();
        response.headers_mut().remove(header::CONTENT_LENGTH);
        response.extensions_mut().insert(ErrorCause {
            text: message,
            is_contention: false,
        });
        response
    }

    /// Resolves after `limit`, not counting the time spent waiting for the body.
    async fn worked_for(&self, limit: Duration) {
        let started = Instant::now();
        loop {
            let worked = started.elapsed().saturating_sub(self.waited());
            if worked >= limit {
                return;
            }
            tokio::time::sleep(limit.saturating_sub(worked)).await;
        }
    }

    fn waited(&self) -> Duration {
        self.with_progress(|progress| {
            let current = progress.waiting_since.map(|since| since.elapsed());
            progress.waited + current.unwrap_or_default()
        })
    }

    /// Starts a wait, and returns its start. Returns `None` if a wait is in progress.
    fn start_wait(&self) -> Option<Instant> {
        self.with_progress(|progress| {
            if progress.waiting_since.is_some() {
                return None;
            }
            progress.waiting_since = Some(Instant::now());
            progress.waiting_since
        })
    }

    fn end_wait(&self) {
        self.with_progress(|progress| {
            let current = progress.waiting_since.take().map(|since| since.elapsed());
            progress.waited += current.unwrap_or_default();
        });
    }

    fn with_progress<T>(&self, access: impl FnOnce(&mut BodyProgress) -> T) -> T {
        access(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A body that ends with an error if it misses a deadline.
struct TimedBody {
    /// `None` after the end.
    stream: Option<BodyDataStream>,
    timer: BodyTimer,
    deadlines: BodyDeadlines,
    started: Instant,
    /// Ends at the deadline of the current wait.
    timeout: Pin<Box<Sleep>>,
}

impl Stream for TimedBody {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(stream) = &mut self.stream else {
            return Poll::Ready(None);
        };
        if let Poll::Ready(next) = stream.poll_next_unpin(context) {
            self.timer.end_wait();
            if !matches!(next, Some(Ok(_))) {
                self.stream = None;
            }
            return Poll::Ready(next);
        }

        let BodyDeadlines { idle, total } = self.deadlines;
        let ends_at = self.started + total;
        if let Some(since) = self.timer.start_wait() {
            self.timeout.as_mut().reset(ends_at.min(since + idle));
        }
        ready!(self.timeout.as_mut().poll(context));

        self.timer.end_wait();
        self.stream = None;
        let timeout = if Instant::now() >= ends_at {
            BodyTimeout::Total(total)
        } else {
            BodyTimeout::Idle(idle)
        };
        self.timer
            .with_progress(|progress| progress.timeout = Some(timeout));
        Poll::Ready(Some(Err(axum::Error::new(timeout))))
    }
}

impl Drop for TimedBody {
    fn drop(&mut self) {
        self.timer.end_wait();
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

    struct TextResponse {
        status: u16,
        body: String,
    }

    /// Sends a body with a pause before each of its chunks to a function that runs for
    /// `work_seconds` after it has read the body.
    async fn send(
        pauses_seconds: impl IntoIterator<Item = u64>,
        work_seconds: u64,
    ) -> TextResponse {
        let pauses: Vec<u64> = pauses_seconds.into_iter().collect();
        let chunks = futures::stream::iter(pauses).then(|pause| async move {
            tokio::time::sleep(Duration::from_secs(pause)).await;
            Ok::<_, axum::Error>(Bytes::from_static(b"chunk"))
        });
        let handler = async move |request: Request| match request.into_body().collect().await {
            Ok(read) => {
                tokio::time::sleep(Duration::from_secs(work_seconds)).await;
                read.to_bytes().len().to_string().into_response()
            }
            Err(_) => (StatusCode::BAD_REQUEST, "the body ended early").into_response(),
        };
        let router = Router::new()
            .route("/", post(handler))
            .layer(DefaultBodyLimit::disable());

        let request = http::Request::post("/")
            .body(Body::from_stream(chunks))
            .unwrap();
        let request = BodyTimer::attach(request, DEADLINES);
        let timer = BodyTimer::of(request.extensions());
        let response = timer
            .respond_in_time(async { router.oneshot(request).await.unwrap() })
            .await;

        let status = response.status().as_u16();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        TextResponse {
            status,
            body: String::from_utf8(bytes.to_vec()).unwrap(),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn body_may_take_minutes_while_its_client_sends() {
        let response = send([29; 30], 0).await;
        assert_eq!(response.status, 200);
        assert_eq!(response.body, "150");
    }

    #[tokio::test(start_paused = true)]
    async fn body_that_stops_returns_408() {
        let response = send([1, 31], 0).await;
        assert_eq!(response.status, 408);
        let message = "No byte of the body arrived for 30 seconds.";
        assert!(response.body.contains(message), "{}", response.body);
    }

    #[tokio::test(start_paused = true)]
    async fn body_that_never_ends_returns_408() {
        let started = Instant::now();
        let response = send(vec![1; 2_000], 0).await;

        assert_eq!(response.status, 408);
        assert_eq!(started.elapsed(), DEADLINES.total);
        let message = "The body did not arrive within 15 minutes.";
        assert!(response.body.contains(message), "{}", response.body);
    }

    #[tokio::test(start_paused = true)]
    async fn deadline_of_function_excludes_time_of_body() {
        let seconds = RESPONSE_DEADLINE.as_secs();
        assert_eq!(send([20, 20], seconds - 1).await.status, 200);
        assert_eq!(send([20, 20], seconds + 1).await.status, 503);
        assert_eq!(send([], seconds + 1).await.status, 503);
    }
}
