//! What a worker knows beside its job.

use std::time::Duration;

use aws_lambda_events::event::sqs::SqsMessage;
use domain::{Sources, Timestamp};
use tokio::time::Instant;

/// The attribute that says when a message was sent, in milliseconds since 1970.
const SENT: &str = "SentTimestamp";
/// The attribute that counts deliveries.
const RECEIVED: &str = "ApproximateReceiveCount";

/// One delivery of a message.
pub struct Delivery {
    /// The message's id: the same at every delivery.
    pub message_id: String,
    /// When the message was sent, by SQS's clock.
    pub sent_at: Timestamp,
    /// Deliveries so far, this one included; SQS counts approximately.
    pub receive_count: u32,
    /// Time and randomness.
    pub sources: Sources,
    /// When the invocation is cut off, by the monotonic clock.
    deadline: Instant,
}

impl Delivery {
    /// The delivery of a message; `None` where the event does not say what SQS always does.
    pub(crate) fn of(message: &SqsMessage, sources: &Sources, deadline: Instant) -> Option<Delivery> {
        Some(Delivery {
            message_id: message.message_id.clone()?,
            sent_at: Timestamp::from_ms(message.attributes.get(SENT)?.parse().ok()?),
            receive_count: message.attributes.get(RECEIVED)?.parse().ok()?,
            sources: sources.clone(),
            deadline,
        })
    }

    /// How long ago the message was sent; nothing, where SQS's clock is ahead of ours.
    pub fn age(&self) -> Duration {
        let age_ms = self.sources.now().ms().saturating_sub(self.sent_at.ms());
        Duration::from_millis(u64::try_from(age_ms).unwrap_or(0))
    }

    /// Returns the time until the invocation is cut off; zero if the platform does not tell.
    pub fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }
}
