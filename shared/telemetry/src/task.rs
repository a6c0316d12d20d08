//! A running request or job: its span, the counters of its AWS calls, and its line in the log.

use std::{
    future::Future,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use domain::id::SpaceId;
use tokio::time::Instant;
use tracing::{Instrument as _, Level, Span};

use crate::{Meter, TaskOutcome, line, log::LINES_TARGET, outcome::Description};

tokio::task_local! {
    static CURRENT: Arc<RunningTask>;
}

/// One request or one job. If it is dropped before [`Task::end`], because its client disconnected
/// or its invocation timed out, it ends as [`TaskOutcome::Cancelled`].
#[derive(Debug)]
pub struct Task {
    running: Arc<RunningTask>,
    has_ended: bool,
}

#[derive(Debug)]
struct RunningTask {
    meter: Meter,
    span: Span,
    id: TaskId,
    started: Instant,
    state: Mutex<TaskState>,
}

#[derive(Debug)]
pub(crate) enum TaskId {
    Request {
        id: String,
        method: String,
        /// Path, for the log.
        path: String,
    },
    /// A job, identified by its SQS message.
    Message(String),
}

/// Data that is recorded while a task runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskState {
    pub(crate) route: Option<String>,
    pub(crate) space_id: Option<SpaceId>,
    pub(crate) aws_attempts: u64,
    /// Latencies of the first [`line::MAX_LATENCIES`] attempts.
    pub(crate) aws_latencies: Vec<Duration>,
    pub(crate) throttles: u64,
    pub(crate) conflicts: u64,
}

/// A task at its end.
pub(crate) struct TaskReport<'a> {
    pub(crate) id: &'a TaskId,
    pub(crate) state: &'a TaskState,
    pub(crate) outcome: &'a TaskOutcome,
    pub(crate) elapsed: Duration,
}

/// One HTTP request to AWS. A retry is another attempt.
#[derive(Clone, Copy, Debug)]
pub struct AwsAttempt {
    /// Time from before the request is signed until the response is parsed or the attempt fails,
    /// including connecting and sending, excluding reading the body of an object.
    pub latency: Duration,
    /// Whether the service throttled it, or a part of its batch.
    pub is_throttled: bool,
    /// Whether it conflicted with a concurrent write of the same items.
    pub is_conflict: bool,
}

impl Task {
    pub(crate) fn start(meter: Meter, span: Span, id: TaskId) -> Task {
        let running = RunningTask {
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

    /// Runs a part of the task, within the task's span. AWS calls are counted for the task.
    pub async fn run<T>(&self, part: impl Future<Output = T>) -> T {
        CURRENT
            .scope(
                Arc::clone(&self.running),
                part.instrument(self.running.span.clone()),
            )
            .await
    }

    /// Logs the line of the task.
    pub fn end(mut self, outcome: &TaskOutcome) {
        self.has_ended = true;
        self.running.report(outcome);
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        if !self.has_ended {
            self.running.report(&TaskOutcome::Cancelled);
        }
    }
}

impl RunningTask {
    fn report(&self, outcome: &TaskOutcome) {
        let state = self.with_state(|state| state.clone());
        let report = TaskReport {
            id: &self.id,
            state: &state,
            outcome,
            elapsed: self.started.elapsed(),
        };
        if tracing::enabled!(target: LINES_TARGET, Level::INFO) {
            let line = line::json(&self.meter.0, &report);
            tracing::info!(target: LINES_TARGET, "{line}");
        } else {
            self.span.in_scope(|| log_text(&report));
        }
    }

    fn with_state<T>(&self, access: impl FnOnce(&mut TaskState) -> T) -> T {
        access(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Logs the end of a task for people, within its span.
fn log_text(report: &TaskReport<'_>) {
    let path = match report.id {
        TaskId::Request { path, .. } => Some(path.as_str()),
        TaskId::Message(_) => None,
    };
    let response = report.outcome.response();
    let status = response.map(|response| response.status);
    let replayed = response.and_then(|response| response.is_replayed.then_some(true));
    let receive_count = report.outcome.failed_job().map(|job| job.receive_count);
    let duration_ms = u64::try_from(report.elapsed.as_millis()).unwrap_or(u64::MAX);
    let Description {
        level,
        message,
        cause,
    } = report.outcome.describe();

    // The level of an event is a constant.
    macro_rules! log {
        ($level:ident) => {
            tracing::$level!(
                path,
                status,
                duration_ms,
                cause,
                replayed,
                receive_count,
                "{message}"
            )
        };
    }
    match level {
        Level::ERROR => log!(error),
        Level::WARN => log!(warn),
        _ => log!(info),
    }
}

/// Returns a part of the current task that another tokio task can run, even beyond the end of the
/// current one. Its lines are logged within the task's span, and its AWS calls are counted for the
/// task until the task ends.
pub fn in_current_task<T>(part: impl Future<Output = T>) -> impl Future<Output = T> {
    let running = CURRENT.try_with(Arc::clone).ok();
    let part = part.in_current_span();
    async move {
        match running {
            Some(running) => CURRENT.scope(running, part).await,
            None => part.await,
        }
    }
}

/// Records the route template of the current request, for example `/api/v1/spaces/{id}`.
pub fn record_route(route: &str) {
    let _ = CURRENT.try_with(|task| {
        task.span.record("route", route);
        task.with_state(|state| state.route = Some(route.to_owned()));
    });
}

/// Records the space of the current task.
pub fn record_space(id: SpaceId) {
    let _ = CURRENT.try_with(|task| {
        task.span.record("space_id", tracing::field::display(id));
        task.with_state(|state| state.space_id = Some(id));
    });
}

/// Counts an attempt of an AWS call for the current task.
pub fn count_aws_attempt(attempt: AwsAttempt) {
    let _ = CURRENT.try_with(|task| {
        task.with_state(|state| {
            state.aws_attempts += 1;
            state.throttles += u64::from(attempt.is_throttled);
            state.conflicts += u64::from(attempt.is_conflict);
            if state.aws_latencies.len() < line::MAX_LATENCIES {
                state.aws_latencies.push(attempt.latency);
            }
        });
    });
}
