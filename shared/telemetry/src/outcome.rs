//! Outcome of a task.

/// How a task ended.
#[derive(Clone, Debug)]
pub enum TaskOutcome {
    /// A request got a response.
    Responded(ResponseSummary),
    /// A job succeeded.
    Completed,
    /// A job failed; SQS delivers its message again or moves it to the dead-letter queue.
    Failed,
    /// The task was dropped before its end. Its writes until then persist.
    Cancelled,
}

/// Properties of a response, for log and metrics.
#[derive(Clone, Debug)]
pub struct ResponseSummary {
    /// Status code.
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
