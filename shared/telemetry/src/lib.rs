//! What functions log and measure.
//!
//! A [`Task`] is one request or one job. Its span carries what identifies it, and it counts what it
//! costs; at its end it logs one line, and one of metrics. Code anywhere below adds what it learns
//! ([`record_route`], [`record_space`]) or causes ([`count_aws_attempt`]) without being handed the
//! task.
//!
//! Within it, the public operations of `table`, `bucket` and `queue` have spans of the level
//! `info`, and so have those of `tenant` that make several calls: a warning of an AWS call names
//! the operation that it belongs to. A span costs about a microsecond of CPU time, or nothing where
//! the log level leaves it out.
//!
//! Invariants:
//! - Every line that is logged while a task runs is within its span, whatever the level, so that it
//!   names the task.
//! - Log and metrics hold no key, signature, query string or byte of a file.
//! - A task logs one line of metrics, also if it is dropped before its end.

mod aws_errors;
mod log;
mod meter;
mod metrics;
mod task;

pub use aws_errors::{is_conflict, is_throttling};
pub use log::{METRICS, MetricsLines, log_filter, subscriber};
pub use meter::Meter;
pub use metrics::{Answer, Outcome};
pub use task::{AwsAttempt, Task, count_aws_attempt, record_route, record_space};
