//! What a service may do that is not quite what it was asked for, and still within what AWS
//! promises.

/// How a call turns out otherwise than it was meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anomaly {
    /// The second half of a batch is handed back undone; so is the only entry of one.
    PartialBatch,
    /// Received messages stay where they are, and are delivered again: one of the servers that keep
    /// them missed it.
    DuplicateDelivery,
    /// The newest messages are received first.
    NewestFirst,
}
