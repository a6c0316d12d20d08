//! Successful responses that differ from the usual ones within the guarantees of AWS.

/// A deviation that a service emulator applies to one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anomaly {
    /// The second half of a batch is returned unprocessed. Of a batch of one entry, that entry.
    PartialBatch,
    /// Received messages stay visible and are delivered again.
    DuplicateDelivery,
    /// The newest messages are received first.
    NewestFirst,
}
