//! `ReceiveMessage` with long polling.

use serde_json::{Value, json};

use super::{
    emulator::SqsEmulator,
    error::SqsError,
    message_operation::CallContext,
    operations::QueueRequest,
    queue_store::QueueStore,
    receive::{ReceiveOutput, ReceiveRequest},
};
use crate::anomaly::Anomaly;

impl SqsEmulator {
    /// Receives messages, and waits for the first one for up to the wait time.
    pub(super) async fn receive(
        &self,
        request: QueueRequest<ReceiveRequest>,
        principal: &str,
        anomaly: Option<Anomaly>,
    ) -> Result<Value, SqsError> {
        let queue = request.queue();
        let receive = request.parameters;
        let wait_seconds = self.store.wait_seconds(&queue, &receive)?;
        let deadline_ms = self.clock.now_ms() + wait_seconds * 1000;
        let arrivals = self.arrivals(&queue);
        let mut shutdown = self.shutdown.clone();

        loop {
            // Registered before the receive, so that an arrival in between is noticed.
            let arrival = arrivals.notified();
            tokio::pin!(arrival);
            arrival.as_mut().enable();

            let output = self
                .receive_visible(&queue, &receive, principal, anomaly)
                .await?;
            if let Some(dead_letter_queue) = &output.dead_letter_queue {
                self.arrivals(dead_letter_queue).notify_waiters();
            }
            if !output.messages.is_empty() {
                if anomaly == Some(Anomaly::DuplicateDelivery) {
                    arrivals.notify_waiters();
                }
                return Ok(json!({ "Messages": output.messages }));
            }
            if self.clock.now_ms() >= deadline_ms {
                return Ok(json!({}));
            }

            let wake_ms = output
                .next_visible_ms
                .unwrap_or(deadline_ms)
                .min(deadline_ms);
            tokio::select! {
                () = arrival => {}
                () = self.clock.sleep_until(wake_ms) => {}
                _ = shutdown.changed() => return Ok(json!({})),
            }
        }
    }

    async fn receive_visible(
        &self,
        queue: &str,
        receive: &ReceiveRequest,
        principal: &str,
        anomaly: Option<Anomaly>,
    ) -> Result<ReceiveOutput, SqsError> {
        let queue = queue.to_owned();
        let receive = receive.clone();
        let principal = principal.to_owned();
        let receive_once = move |store: &QueueStore, now_ms| {
            let context = CallContext { now_ms, principal };
            store.receive(&queue, &receive, &context, anomaly)
        };

        self.blocking(receive_once).await
    }
}
