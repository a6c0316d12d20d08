//! Lambda's recursive loop detection: stops messages that would invoke a function too often.
//!
//! Lambda counts the invocations of a function in one chain of messages by the lineage in their
//! trace headers. A message that would start the 17th invocation is moved to the source queue's
//! dead-letter queue, or dropped if there is none ("Use Lambda recursive loop detection to
//! prevent infinite loops" in the Lambda developer guide).

use aws_sdk_sqs::types::{Message, MessageSystemAttributeName};
use runtime::context::FunctionContext;
use sam_template::RecursiveLoop;

use crate::sqs_client::SqsClient;

/// Maximum number of invocations of a function in one chain of messages.
const INVOCATIONS_MAX: u32 = 16;
/// Prefix of the emulated trace header; the number of messages in the chain follows.
const LINEAGE: &str = "Lineage=";

/// The messages of a batch.
pub(crate) struct SplitMessages {
    /// Messages that invoke the function.
    pub(crate) invoking: Vec<Message>,
    /// Messages of stopped chains.
    pub(crate) stopped: Vec<Message>,
}

/// Stops recursive chains of messages in one queue.
#[derive(Clone)]
pub(crate) struct RecursionGuard {
    sqs: SqsClient,
    function: String,
    recursive_loop: RecursiveLoop,
    dead_letter_queue_url: Option<String>,
}

impl RecursionGuard {
    /// Creates the guard of a function. `context` must be allowed to send to the dead-letter
    /// queue, given by its physical name.
    pub(crate) fn new(
        function: &sam_template::Function,
        dead_letter_queue: Option<&str>,
        context: &FunctionContext,
    ) -> RecursionGuard {
        let sqs = SqsClient::new(context);
        let dead_letter_queue_url = dead_letter_queue.map(|queue| sqs.queue_url(queue));

        RecursionGuard {
            sqs,
            function: function.binary.clone(),
            recursive_loop: function.recursive_loop,
            dead_letter_queue_url,
        }
    }

    /// Splits messages by whether their chain may invoke the function again.
    pub(crate) fn split(&self, messages: Vec<Message>) -> SplitMessages {
        let invokes = |message: &Message| {
            self.recursive_loop == RecursiveLoop::Allow || chain_length(message) <= INVOCATIONS_MAX
        };
        let (invoking, stopped) = messages.into_iter().partition(invokes);
        SplitMessages { invoking, stopped }
    }

    /// Sends messages to the dead-letter queue, if there is one. Returns the messages to delete
    /// from the source queue.
    pub(crate) async fn discard<'a>(&self, messages: &'a [Message]) -> Vec<&'a Message> {
        let mut discarded = Vec::new();
        for message in messages {
            tracing::error!(
                function = self.function,
                message_id = message.message_id(),
                "stopped a recursive loop: a chain of messages invoked the function {INVOCATIONS_MAX} times"
            );
            if let Some(url) = &self.dead_letter_queue_url {
                let send = self
                    .sqs
                    .client
                    .send_message()
                    .queue_url(url)
                    .set_message_body(message.body.clone());
                if let Err(error) = send.send().await {
                    // It becomes visible again, and is stopped again.
                    tracing::warn!(function = self.function, %error, "a message could not be sent to the dead-letter queue");
                    continue;
                }
            }
            discarded.push(message);
        }

        discarded
    }
}

/// Returns the number of messages in a message's chain, itself included.
fn chain_length(message: &Message) -> u32 {
    let attributes = message.attributes.as_ref();
    let header = attributes
        .and_then(|attributes| attributes.get(&MessageSystemAttributeName::AwsTraceHeader));
    let length = header.and_then(|header| header.strip_prefix(LINEAGE)?.parse().ok());
    length.unwrap_or(1)
}
