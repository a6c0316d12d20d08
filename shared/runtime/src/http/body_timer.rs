//! Time limits of request bodies that arrive while a function runs.
//!
//! Lambda invokes a function after the whole body has arrived. A container and the local stack
//! stream it, so they limit the time that a client takes for the body, and the function's own time
//! limit begins when the body has arrived. Unlike in Lambda, what a function does before it reads
//! the body therefore has no limit but those of its calls.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use axum::{
    body::{Body, BodyDataStream},
    extract::Request,
};
use bytes::Bytes;
use futures::{
    StreamExt as _,
    future::{Either, select},
    stream,
};
use http::{Extensions, Response, StatusCode, header};
use http_body::Body as _;
use tokio::{
    sync::watch,
    time::{Instant, sleep, timeout_at},
};

use crate::http::{
    ErrorCause, RESPONSE_DEADLINE, deadline::deadline_exceeded, error_response::error_body,
};

/// Maximum time that a client may take to send the body of a request.
#[derive(Clone, Copy, Debug)]
pub struct BodyDeadlines {
    /// Until the next byte.
    pub idle: Duration,
    /// From the first read of the body until its last byte.
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

/// Tells when a request body has arrived, and whether it missed a deadline. Clones tell the same;
/// the default is the timer of an empty body.
#[derive(Clone, Debug, Default)]
pub struct BodyTimer {
    /// Closed at the end of the body, or when its reader drops it.
    arriving: Option<watch::Receiver<()>>,
    missed: Arc<OnceLock<BodyTimeout>>,
}

/// A body that ends with an error if it misses a deadline.
struct TimedBody {
    stream: BodyDataStream,
    deadlines: BodyDeadlines,
    /// End of the total time; `None` before the first read.
    ends_at: Option<Instant>,
    missed: Arc<OnceLock<BodyTimeout>>,
    _arriving: watch::Sender<()>,
}

impl BodyTimer {
    /// Adds deadlines to the body of a request, and the timer to its extensions.
    pub fn attach(request: Request, deadlines: BodyDeadlines) -> Request {
        let mut timer = BodyTimer::default();
        let mut request = request.map(|body| {
            if body.is_end_stream() {
                return body;
            }

            let (sender, receiver) = watch::channel(());
            timer.arriving = Some(receiver);
            let arriving = TimedBody {
                stream: body.into_data_stream(),
                deadlines,
                ends_at: None,
                missed: timer.missed.clone(),
                _arriving: sender,
            };
            // Readers may ask again after the end.
            Body::from_stream(stream::unfold(Some(arriving), TimedBody::next).fuse())
        });
        request.extensions_mut().insert(timer);
        request
    }

    /// Returns the timer of a request's body.
    pub fn of(extensions: &Extensions) -> BodyTimer {
        extensions.get().cloned().unwrap_or_default()
    }

    /// Runs work that may take `limit` after the body has arrived. Returns `None` if the work was
    /// cancelled.
    pub async fn timeout<T>(&self, limit: Duration, work: impl Future<Output = T>) -> Option<T> {
        let arriving = self.arriving.clone();
        let late = async move {
            if let Some(mut arriving) = arriving {
                // Nothing is sent: it fails when the sender is dropped.
                let _ = arriving.changed().await;
            }
            sleep(limit).await;
        };
        match select(Box::pin(work), Box::pin(late)).await {
            Either::Left((done, _)) => Some(done),
            Either::Right(((), _)) => None,
        }
    }

    /// Returns the response, or a 503 if it takes longer than [`RESPONSE_DEADLINE`] after the body
    /// has arrived. A body that misses a deadline is a 408.
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
        let missed = self.missed.get();
        let Some(missed) = missed.filter(|_| response.status() == StatusCode::BAD_REQUEST) else {
            return response;
        };

        let message = missed.to_string();
        *response.status_mut() = StatusCode::REQUEST_TIMEOUT;
        *response.body_mut() = error_body(&message).into();
        response.headers_mut().remove(header::CONTENT_LENGTH);
        response.extensions_mut().insert(ErrorCause {
            text: message,
            is_contention: false,
        });
        response
    }
}

impl TimedBody {
    /// Returns the next bytes, and the rest of the body; `None` for the rest after an error.
    async fn next(
        body: Option<TimedBody>,
    ) -> Option<(Result<Bytes, axum::Error>, Option<TimedBody>)> {
        let mut body = body?;
        let BodyDeadlines { idle, total } = body.deadlines;
        let now = Instant::now();
        let ends_at = *body.ends_at.get_or_insert(now + total);
        let idle_at = now + idle;

        match timeout_at(idle_at.min(ends_at), body.stream.next()).await {
            Ok(Some(Ok(bytes))) => Some((Ok(bytes), Some(body))),
            Ok(Some(Err(error))) => Some((Err(error), None)),
            Ok(None) => None,
            Err(_) => {
                let missed = if ends_at < idle_at {
                    BodyTimeout::Total(total)
                } else {
                    BodyTimeout::Idle(idle)
                };
                let missed = *body.missed.get_or_init(|| missed);
                Some((Err(axum::Error::new(missed)), None))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse as _;
    use http_body_util::BodyExt as _;

    use super::*;

    const DEADLINES: BodyDeadlines = BodyDeadlines {
        idle: Duration::from_secs(30),
        total: Duration::from_mins(15),
    };
    const TOO_LATE_SECONDS: u64 = RESPONSE_DEADLINE.as_secs() + 1;

    /// Sends a body with a pause before each of its bytes to a function that reads it after
    /// `before_seconds`, and then works for `after_seconds`. Returns the status and the body of the
    /// response.
    async fn send(
        before_seconds: u64,
        pauses_seconds: Vec<u64>,
        after_seconds: u64,
    ) -> (u16, String) {
        let chunks = stream::iter(pauses_seconds).then(async |pause| {
            sleep(Duration::from_secs(pause)).await;
            Ok::<_, axum::Error>(Bytes::from_static(b"a"))
        });
        let request = http::Request::new(Body::from_stream(chunks));
        let request = BodyTimer::attach(request, DEADLINES);
        let timer = BodyTimer::of(request.extensions());
        let function = async {
            sleep(Duration::from_secs(before_seconds)).await;
            let read = request.into_body().collect().await;
            sleep(Duration::from_secs(after_seconds)).await;
            match read {
                Ok(read) => read.to_bytes().len().to_string().into_response(),
                Err(_) => (StatusCode::BAD_REQUEST, "the body ended early").into_response(),
            }
        };

        let response = timer.respond_in_time(function).await;
        let status = response.status().as_u16();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        (status, String::from_utf8(bytes.to_vec()).unwrap())
    }

    #[tokio::test(start_paused = true)]
    async fn deadlines_of_body_and_function_follow_each_other() {
        let idle = "No byte of the body arrived for 30 seconds.";
        let total = "The body did not arrive within 15 minutes.";
        for (before, pauses, after, status, text) in [
            (0, vec![29; 30], 0, 200, "30"),
            (0, vec![1, 31], 0, 408, idle),
            (0, vec![1; 901], 0, 408, total),
            (TOO_LATE_SECONDS, vec![29], TOO_LATE_SECONDS - 2, 200, "1"),
            (0, vec![20, 20], TOO_LATE_SECONDS, 503, "busy"),
            (0, vec![], TOO_LATE_SECONDS, 503, "busy"),
        ] {
            let (returned, body) = send(before, pauses, after).await;
            assert_eq!(returned, status, "{body}");
            assert!(body.contains(text), "{body}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn function_that_leaves_its_body_unread_has_its_own_deadline() {
        let started = Instant::now();
        let request = http::Request::new(Body::from_stream(stream::pending::<
            Result<Bytes, axum::Error>,
        >()));
        let request = BodyTimer::attach(request, DEADLINES);
        let timer = BodyTimer::of(request.extensions());
        let function = async move {
            drop(request);
            std::future::pending::<Response<String>>().await
        };

        let response = timer.respond_in_time(function).await;
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(started.elapsed(), RESPONSE_DEADLINE);
    }
}
