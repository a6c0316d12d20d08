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

/// Minimum rate of a body, in bytes per second: less than a slow 3G connection sends (400 kbit/s). So a client that occupies a
/// part of the process has to send.
const MIN_BYTES_PER_SECOND: u32 = 32 << 10;
/// Maximum time for which a client may wait because it has sent more before: a body that begins fast cannot trickle for minutes.
const MAX_CREDIT: Duration = Duration::from_mins(1);

/// Maximum time that a client may take to send the body of a request.
#[derive(Clone, Copy, Debug)]
pub struct BodyDeadlines {
    /// Until the next byte. The sum of all such waits may exceed the time that the received bytes take at
    /// `MIN_BYTES_PER_SECOND` by as much, where earlier bytes count for `MAX_CREDIT` at most.
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
        "The body arrives with less than {} kilobytes per second. Upload over a faster connection, or with \
         POST /api/v1/upload/presign.",
        MIN_BYTES_PER_SECOND >> 10
    )]
    TooSlow,
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
                started: None,
                credit: deadlines.idle,
                missed: BodyTimeout::Idle(deadlines.idle),
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

    /// Runs work for which the client waits before it sends the body. Its time is not that of the function either.
    pub async fn exclude<T>(&self, work: impl Future<Output = T>) -> T {
        self.start_wait();
        let _wait = ExcludedWait(self);
        work.await
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

    /// Ends the current wait, if any, and returns its duration.
    fn end_wait(&self) -> Duration {
        self.with_progress(|progress| {
            let current = progress.waiting_since.take().map(|since| since.elapsed());
            let current = current.unwrap_or_default();
            progress.waited += current;
            current
        })
    }

    fn with_progress<T>(&self, access: impl FnOnce(&mut BodyProgress) -> T) -> T {
        access(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A wait that ends when this is dropped, also with its cancelled work.
struct ExcludedWait<'a>(&'a BodyTimer);

impl Drop for ExcludedWait<'_> {
    fn drop(&mut self) {
        self.0.end_wait();
    }
}

/// A body that ends with an error if it misses a deadline.
struct TimedBody {
    /// `None` after the end.
    stream: Option<BodyDataStream>,
    timer: BodyTimer,
    deadlines: BodyDeadlines,
    /// Time of the first read.
    started: Option<Instant>,
    /// Time that the client may still wait at the minimum rate.
    credit: Duration,
    /// The deadline of the current wait.
    missed: BodyTimeout,
    /// Ends at it.
    timeout: Pin<Box<Sleep>>,
}

impl TimedBody {
    /// Counts bytes and the wait for them.
    fn add_credit(&mut self, bytes: usize, waited: Duration) {
        let seconds = Duration::from_secs(bytes as u64) / MIN_BYTES_PER_SECOND;
        let credit = self.credit.saturating_sub(waited) + seconds;
        self.credit = credit.min(MAX_CREDIT);
    }

    /// Sets the deadline of a wait that starts now.
    fn set_deadline(&mut self, now: Instant) {
        let BodyDeadlines { idle, total } = self.deadlines;
        let wait = idle.min(self.credit);
        let ends_at = now + wait;
        let all_ends_at = self.started.unwrap_or(now) + total;

        self.missed = if all_ends_at < ends_at {
            BodyTimeout::Total(total)
        } else if wait >= idle / 2 {
            BodyTimeout::Idle(wait)
        } else {
            BodyTimeout::TooSlow
        };
        self.timeout.as_mut().reset(ends_at.min(all_ends_at));
    }
}

impl Stream for TimedBody {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.started.get_or_insert_with(Instant::now);
        let Some(stream) = &mut self.stream else {
            return Poll::Ready(None);
        };
        if let Poll::Ready(next) = stream.poll_next_unpin(context) {
            let waited = self.timer.end_wait();
            if let Some(Ok(chunk)) = &next {
                self.add_credit(chunk.len(), waited);
            } else {
                self.stream = None;
            }
            return Poll::Ready(next);
        }

        if let Some(now) = self.timer.start_wait() {
            self.set_deadline(now);
        }
        ready!(self.timeout.as_mut().poll(context));

        self.timer.end_wait();
        self.stream = None;
        let timeout = self.missed;
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
mod tests;
