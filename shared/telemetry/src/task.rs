//! A request or a job while it runs: what identifies it, and what it costs.

use std::{
    future::Future,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use domain::{SpaceId, Timestamp};
use tokio::time::Instant;
use tracing::{Instrument as _, Level, Span, field::Empty};

use crate::{METRICS, Outcome, metrics};

tokio::task_local! {
    static CURRENT: Task;
}

/// One request or one job. Clones are the same one.
#[derive(Clone, Debug)]
pub struct Task(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    span: Span,
    id: Id,
    function: String,
    started: Instant,
    state: Mutex<State>,
}

/// Identifies a task.
#[derive(Debug)]
pub(crate) enum Id {
    /// A request, by the id that its response has in `X-Request-Id`.
    Request(String),
    /// A job, by the id of its SQS message.
    Message(String),
}

/// What becomes known while a task runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) route: Option<String>,
    pub(crate) space_id: Option<SpaceId>,
    pub(crate) aws_calls: u64,
    /// Latencies of the first of these calls.
    pub(crate) aws_latencies: Vec<Duration>,
    pub(crate) throttles: u64,
    pub(crate) conflicts: u64,
}

/// One HTTP request to AWS; each retry of an operation is another one.
#[derive(Clone, Copy, Debug)]
pub struct AwsAttempt {
    /// Time until the head of the response, or until the failure.
    pub latency: Duration,
    /// Whether the service had no capacity for it.
    pub is_throttled: bool,
    /// Whether it met another write of the same items.
    pub is_conflict: bool,
}

impl Task {
    /// Begins a request to a function. The span has the level `error`, so that no log level leaves it out.
    pub fn request(function: &str, request_id: &str, method: &str) -> Task {
        let span = tracing::error_span!("request", function, request_id, method, route = Empty, space_id = Empty);
        Task::new(span, Id::Request(request_id.to_owned()), function)
    }

    /// Begins a job of a function.
    pub fn job(function: &str, message_id: &str) -> Task {
        let span = tracing::error_span!("job", function, message_id, space_id = Empty);
        Task::new(span, Id::Message(message_id.to_owned()), function)
    }

    fn new(span: Span, id: Id, function: &str) -> Task {
        let function = function.to_owned();
        Task(Arc::new(Inner { span, id, function, started: Instant::now(), state: Mutex::default() }))
    }

    /// Runs a part of the task: what it logs is within the task's span, what it costs is counted.
    pub async fn run<T>(&self, part: impl Future<Output = T>) -> T {
        CURRENT.scope(self.clone(), part.instrument(self.0.span.clone())).await
    }

    /// Time since the task began.
    pub fn elapsed(&self) -> Duration {
        self.0.started.elapsed()
    }

    /// Logs the line of metrics, if the log contains them. A task ends once.
    pub fn end(&self, outcome: Outcome, now: Timestamp) {
        if tracing::enabled!(target: METRICS, Level::INFO) {
            let state = self.state(|state| state.clone());
            let line = metrics::line(&self.0.function, &self.0.id, &state, outcome, self.elapsed(), now);
            tracing::info!(target: METRICS, "{line}");
        }
    }

    fn state<T>(&self, access: impl FnOnce(&mut State) -> T) -> T {
        access(&mut self.0.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Records the route that a request matched, as its template: `/api/v1/spaces/{id}`.
pub fn record_route(route: &str) {
    let _ = CURRENT.try_with(|task| {
        task.0.span.record("route", route);
        task.state(|state| state.route = Some(route.to_owned()));
    });
}

/// Records the space that a task turns out to be about.
pub fn record_space(id: SpaceId) {
    let _ = CURRENT.try_with(|task| {
        task.0.span.record("space_id", tracing::field::display(id));
        task.state(|state| state.space_id = Some(id));
    });
}

/// Counts a request to AWS as a cost of the task that runs.
pub fn count_aws_attempt(attempt: AwsAttempt) {
    let _ = CURRENT.try_with(|task| {
        task.state(|state| {
            state.aws_calls += 1;
            state.throttles += u64::from(attempt.is_throttled);
            state.conflicts += u64::from(attempt.is_conflict);
            if state.aws_latencies.len() < metrics::VALUES_MAX {
                state.aws_latencies.push(attempt.latency);
            }
        });
    });
}
