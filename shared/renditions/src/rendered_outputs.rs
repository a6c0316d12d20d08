//! Hands the outputs of a rendering from its thread to the task that stores them.
//!
//! Invariant: the thread continues after an output is stored, so that one output at a time is in
//! memory.

use domain::errors::ServiceError;
use space_store::objects::NewRendition;
use tokio::sync::{mpsc, oneshot};

/// End of the thread that renders.
#[derive(Debug)]
pub(crate) struct OutputSender(mpsc::Sender<RenderedOutput>);

/// End of the task that stores the outputs.
#[derive(Debug)]
pub(crate) struct RenderedOutputs(mpsc::Receiver<RenderedOutput>);

/// An output to store.
#[derive(Debug)]
pub(crate) struct RenderedOutput {
    /// The output, or why it cannot be rendered.
    pub(crate) output: Result<NewRendition, ServiceError>,
    /// To send when the output is stored. Its drop ends the rendering.
    pub(crate) confirmation: Confirmation,
}

/// Confirmation that an output is stored.
#[derive(Debug)]
pub(crate) struct Confirmation(oneshot::Sender<()>);

/// Creates the two ends.
pub(crate) fn channel() -> (OutputSender, RenderedOutputs) {
    let (sender, receiver) = mpsc::channel(1);
    (OutputSender(sender), RenderedOutputs(receiver))
}

impl OutputSender {
    /// Sends an output and waits until it is stored. Returns `false` if it is not, so that the
    /// rendering ends. Blocks the thread.
    pub(crate) fn send(&self, output: Result<NewRendition, ServiceError>) -> bool {
        let (stored, is_stored) = oneshot::channel();
        let output = RenderedOutput {
            output,
            confirmation: Confirmation(stored),
        };
        self.0.blocking_send(output).is_ok() && is_stored.blocking_recv().is_ok()
    }
}

impl RenderedOutputs {
    /// Waits for the next output. Returns `None` at the end of the rendering.
    pub(crate) async fn next(&mut self) -> Option<RenderedOutput> {
        self.0.recv().await
    }
}

impl Confirmation {
    /// Lets the thread continue.
    pub(crate) fn send(self) {
        // The thread waits for it, unless the process ends.
        let _ = self.0.send(());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use telemetry::spawn_blocking;
    use tokio::task::JoinHandle;

    use super::*;

    /// Sends three outputs. Counts the ones in `begun`, and returns the number of stored ones.
    fn send_three(sender: OutputSender, begun: &Arc<AtomicUsize>) -> JoinHandle<usize> {
        let begun = Arc::clone(begun);
        spawn_blocking(move || {
            let send = |_: &usize| {
                begun.fetch_add(1, Ordering::SeqCst);
                sender.send(Err(ServiceError::not_found()))
            };
            (0..3).take_while(send).count()
        })
    }

    #[tokio::test]
    async fn next_output_is_begun_after_the_previous_one_is_stored() {
        let (sender, mut outputs) = channel();
        let begun = Arc::new(AtomicUsize::new(0));
        let thread = send_three(sender, &begun);

        for number in 1..=3 {
            let rendered = outputs.next().await.expect("an output");
            assert_eq!(begun.load(Ordering::SeqCst), number);
            rendered.confirmation.send();
        }

        assert!(outputs.next().await.is_none());
        assert_eq!(thread.await.expect("the thread"), 3);
    }

    #[tokio::test]
    async fn rendering_ends_after_an_output_that_is_not_stored() {
        let (sender, mut outputs) = channel();
        let begun = Arc::new(AtomicUsize::new(0));
        let thread = send_three(sender, &begun);

        let first = outputs.next().await.expect("an output");
        first.confirmation.send();
        let second = outputs.next().await.expect("an output");
        drop((second, outputs));

        assert_eq!(thread.await.expect("the thread"), 1);
        assert_eq!(begun.load(Ordering::SeqCst), 2);
    }
}
