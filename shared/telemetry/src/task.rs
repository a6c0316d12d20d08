//! A request or a job while it runs: what identifies it, and what it costs.

use std::{
    future::Future,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use domain::SpaceId;
use tokio::time::Instant;
use tracing::{Instrument as _, Level, Span};

use crate::{Answer, METRICS, Meter, Outcome, metrics};

tokio::task_local! {
    static CURRENT: Arc<Running>;
}

/// One request or one job. If it is dropped before its end, because its client hung up or its
/// invocation was cut off, it ends as [`Outcome::Cancelled`].
#[derive(Debug)]
pub struct Task {
    running: Arc<Running>,
    has_ended: bool,
}

#[derive(Debug)]
struct Running {
    meter: Meter,
    span: Span,
    id: Id,
    started: Instant,
    state: Mutex<State>,
}

/// Identifies a task.
#[derive(Debug)]
pub(crate) enum Id {
    /// A request.
    Request {
        /// The id that its response has in `X-Request-Id`.
        id: String,
        /// The path, for the log.
        path: String,
    },
    /// A job, by the id of its SQS message.
    Message(String),
}

/// What becomes known while a task runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) route: Option<String>,
    pub(crate) space_id: Option<SpaceId>,
    pub(crate) aws_attempts: u64,
    /// Latencies of the first of these attempts.
    pub(crate) aws_latencies: Vec<Duration>,
    pub(crate) throttles: u64,
    pub(crate) conflicts: u64,
}

/// One HTTP request to AWS; each retry of an operation is another one.
#[derive(Clone, Copy, Debug)]
pub struct AwsAttempt {
    /// Time from before the request is signed until the response is parsed or the attempt fails. It
    /// includes connecting and sending, and excludes reading the body of an object.
    pub latency: Duration,
    /// Whether the service had no capacity for all or, of a batch, a part of it.
    pub is_throttled: bool,
    /// Whether it met another write of the same items.
    pub is_conflict: bool,
}

impl Task {
    pub(crate) fn begin(meter: Meter, span: Span, id: Id) -> Task {
        let running = Running {
            meter,
            span,
            id,
            started: Instant::now(),
            state: Mutex::default(),
        };
        Task {
            running: Arc::new(running),
            has_ended: false,
        }
    }

    /// Runs a part of the task: what it logs is within the task's span, what it costs is counted.
    pub async fn run<T>(&self, part: impl Future<Output = T>) -> T {
        CURRENT
            .scope(
                Arc::clone(&self.running),
                part.instrument(self.running.span.clone()),
            )
            .await
    }

    /// Logs how the task ended, and its line of metrics if the log contains them.
    pub fn end(mut self, outcome: &Outcome) {
        self.has_ended = true;
        self.running.report(outcome);
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        if !self.has_ended {
            self.running.report(&Outcome::Cancelled);
        }
    }
}

impl Running {
    fn report(&self, outcome: &Outcome) {
        let elapsed = self.started.elapsed();
        self.span.in_scope(|| self.log(outcome, elapsed));

        if tracing::enabled!(target: METRICS, Level::INFO) {
            let state = self.state(|state| state.clone());
            let line = metrics::line(&self.meter.0, &self.id, &state, outcome, elapsed);
            tracing::info!(target: METRICS, "{line}");
        }
    }

    fn log(&self, outcome: &Outcome, elapsed: Duration) {
        let duration_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        let path = match &self.id {
            Id::Request { path, .. } => Some(path.as_str()),
            Id::Message(_) => None,
        };
        match outcome {
            Outcome::Answered(answer) => log_answer(answer, path, duration_ms),
            Outcome::Done => tracing::info!(duration_ms, "job"),
            // The worker has logged why.
            Outcome::Failed => {}
            Outcome::Cancelled => tracing::warn!(path, duration_ms, "cancelled before its end"),
        }
    }

    fn state<T>(&self, access: impl FnOnce(&mut State) -> T) -> T {
        access(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn log_answer(answer: &Answer, path: Option<&str>, duration_ms: u64) {
    let status = answer.status;
    let cause = answer.cause.as_deref();
    let replayed = answer.is_replayed.then_some(true);

    if status < 500 {
        tracing::info!(path, status, duration_ms, cause, replayed, "request");
    } else if answer.is_contention {
        tracing::warn!(path, status, duration_ms, cause, "request lost a race");
    } else {
        tracing::error!(path, status, duration_ms, cause, "request failed");
    }
}

/// Records the route that a request matched, as its template: `/api/v1/spaces/{id}`.
pub fn record_route(route: &str) {
    let _ = CURRENT.try_with(|task| {
        task.span.record("route", route);
        task.state(|state| state.route = Some(route.to_owned()));
    });
}

/// Records the space that a task turns out to be about.
pub fn record_space(id: SpaceId) {
    let _ = CURRENT.try_with(|task| {
        task.span.record("space_id", tracing::field::display(id));
        task.state(|state| state.space_id = Some(id));
    });
}

/// Counts an attempt of a call to AWS as a cost of the task that runs.
pub fn count_aws_attempt(attempt: AwsAttempt) {
    let _ = CURRENT.try_with(|task| {
        task.state(|state| {
            state.aws_attempts += 1;
            state.throttles += u64::from(attempt.is_throttled);
            state.conflicts += u64::from(attempt.is_conflict);
            if state.aws_latencies.len() < metrics::VALUES_MAX {
                state.aws_latencies.push(attempt.latency);
            }
        });
    });
}
