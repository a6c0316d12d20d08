//! Work on threads for blocking work.

use tokio::task::{self, JoinHandle};
use tracing::Span;

/// Runs work on a thread for blocking work, within the span of the current task.
pub fn spawn_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> JoinHandle<T> {
    let span = Span::current();
    #[expect(clippy::disallowed_methods, reason = "the span is kept here")]
    task::spawn_blocking(move || span.in_scope(work))
}
