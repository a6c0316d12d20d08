//! The stop signal of the stack.

use std::time::Duration;

use tokio::sync::watch;

/// Maximum duration of requests and batches after the stack stops.
pub(crate) const STOP_DEADLINE: Duration = Duration::from_secs(5);

/// Changes when the stack stops, which drops the sender.
pub(crate) type Stopping = watch::Receiver<()>;
