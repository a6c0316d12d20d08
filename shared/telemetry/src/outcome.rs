//! Outcome of a task.

use tracing::Level;

/// Maximum length of a cause in the log, in bytes as a JSON string. CloudWatch splits lines that
/// are too long, and finds no metrics then.
const MAX_CAUSE_BYTES: usize = 2_000;

/// How a task ended.
#[derive(Clone, Debug)]
pub enum TaskOutcome {
    /// A request got a response.
    Responded(ResponseSummary),
    Completed,
    /// A job failed; SQS delivers its message again or moves it to the dead-letter queue.
    Failed(FailedJob),
    /// The task was dropped before its end. Its writes until then persist.
    Cancelled,
}

/// Properties of a response, for log and metrics.
#[derive(Clone, Debug)]
pub struct ResponseSummary {
    pub status: u16,
    /// Size of the request body in bytes, as known before it is read: the whole body in Lambda,
    /// `Content-Length` in a container.
    pub bytes_in: u64,
    /// Size of the response body in bytes; 0 if it is not known.
    pub bytes_out: u64,
    /// Messages of the error and its sources.
    pub cause: Option<String>,
    /// Whether the request failed only because it conflicted with concurrent ones.
    pub is_contention: bool,
    /// Whether the response is that of an earlier request with the same `Idempotency-Key`.
    pub is_replayed: bool,
}

/// A failed job, for log and metrics.
#[derive(Clone, Debug)]
pub struct FailedJob {
    pub reason: FailureReason,
    /// Number of receives of its message, including this one.
    pub receive_count: u32,
}

/// Why a job failed.
#[derive(Clone, Debug)]
pub enum FailureReason {
    /// It returned an error: the messages of the error and its sources.
    Error(String),
    /// It panicked, with this message.
    Panic(String),
    /// The body of its message cannot be parsed.
    InvalidMessage,
}

/// An outcome in the log.
pub(crate) struct Description<'a> {
    pub(crate) level: Level,
    pub(crate) message: &'static str,
    /// At most [`MAX_CAUSE_BYTES`] of the cause of a failure.
    pub(crate) cause: Option<&'a str>,
}

impl TaskOutcome {
    /// Returns the response, if the task is a request that got one.
    pub(crate) fn response(&self) -> Option<&ResponseSummary> {
        match self {
            TaskOutcome::Responded(response) => Some(response),
            _ => None,
        }
    }

    /// Returns the failed job, if the task is one.
    pub(crate) fn failed_job(&self) -> Option<&FailedJob> {
        match self {
            TaskOutcome::Failed(job) => Some(job),
            _ => None,
        }
    }

    pub(crate) fn describe(&self) -> Description<'_> {
        let (level, message, cause) = match self {
            TaskOutcome::Responded(response) => {
                let (level, message) = describe_response(response);
                (level, message, response.cause.as_deref())
            }
            TaskOutcome::Completed => (Level::INFO, "job", None),
            TaskOutcome::Failed(job) => describe_failure(&job.reason),
            TaskOutcome::Cancelled => (Level::WARN, "task cancelled", None),
        };
        Description {
            level,
            message,
            cause: cause.map(limited),
        }
    }
}

/// Returns as much of the start of a text as its JSON may contain.
fn limited(text: &str) -> &str {
    let mut bytes = 0;
    let end = text.char_indices().find(|(_, character)| {
        bytes += json_bytes(*character);
        bytes > MAX_CAUSE_BYTES
    });
    end.map_or(text, |(end, _)| &text[..end])
}

/// Returns the length of a character in a JSON string, in bytes.
fn json_bytes(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => "\\u0000".len(),
        other => other.len_utf8(),
    }
}

fn describe_response(response: &ResponseSummary) -> (Level, &'static str) {
    if response.status < 500 {
        (Level::INFO, "request")
    } else if response.is_contention {
        let message = "request conflicted with a concurrent request";
        (Level::WARN, message)
    } else {
        (Level::ERROR, "request failed")
    }
}

fn describe_failure(reason: &FailureReason) -> (Level, &'static str, Option<&str>) {
    match reason {
        FailureReason::Error(cause) => (Level::WARN, "job failed", Some(cause)),
        FailureReason::Panic(message) => (Level::ERROR, "job panicked", Some(message)),
        FailureReason::InvalidMessage => {
            let message = "the message body is not a job of this worker";
            (Level::ERROR, message, None)
        }
    }
}
