//! Errors of an invocation.

/// Reason why an invocation has no response from the function.
#[derive(Debug)]
pub(crate) enum InvokeError {
    /// The event exceeds Lambda's limit.
    TooLarge,
    /// The client disconnected before the end of the body.
    BodyEndedEarly,
    /// The body has a text content type but is not UTF-8, which an event requires.
    BodyNotUtf8,
    /// The function exceeded its timeout.
    TimedOut,
    /// The function crashed, or its response is invalid.
    Failed(String),
}
