//! Logs and metrics of functions.
//!
//! A [`Task`] is one request or one job. Its span identifies it in the log, and it counts its AWS
//! calls. At its end it logs one line, which is also that of its metrics. Code that it calls adds
//! to the current task with [`record_route`], [`record_space`] and [`count_aws_attempt`], without
//! having it passed in.
//!
//! Within a task, the public operations of `table`, `bucket` and `queue` have spans of level
//! `info`, and so do those of `space-store` that make several calls: a warning about an AWS call
//! shows the operation that made it. A span costs about a microsecond of CPU time, or nothing if
//! the log level excludes it.
//!
//! Invariants:
//! - Every line that is logged while a task runs is within its span, at any log level, and so
//!   identifies the task; on other threads too, if the work was started with [`spawn_blocking`].
//! - Log and metrics contain no key, signature, query string or byte of a file.
//! - A task ends with exactly one line, also if it is dropped before its end.

mod aws_errors;
mod blocking;
mod line;
mod log;
mod meter;
mod outcome;
mod panics;
mod task;

pub use aws_errors::{aws_cause, is_conflict, is_throttling};
pub use blocking::spawn_blocking;
pub use log::{TaskLines, log_filter, subscriber};
pub use meter::Meter;
pub use outcome::{FailedJob, FailureReason, ResponseSummary, TaskOutcome};
pub use panics::log_panics;
pub use task::{AwsAttempt, Task, count_aws_attempt, in_current_task, record_route, record_space};
