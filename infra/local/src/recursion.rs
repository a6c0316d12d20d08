//! Lambda's recursive loop detection: which messages of a queue do not invoke its function any
//! more.
//!
//! Lambda counts the invocations of a function in one chain of messages by the lineage in their
//! trace headers. A message that would begin one more than 16 goes to the source queue's
//! dead-letter queue, or is dropped where there is none ("Use Lambda recursive loop detection to
//! prevent infinite loops" in the Lambda developer guide).

use aws_sdk_sqs::{
    Client,
    types::{Message, MessageSystemAttributeName},
};
use emulators::ACCOUNT_ID;
use runtime::Environment;
use template::RecursiveLoop;

use crate::trigger::client;

/// Most invocations of a function in one chain of messages.
const INVOCATIONS_MAX: u32 = 16;
/// What the emulated trace header begins with, before the number of messages in the chain.
const LINEAGE: &str = "Lineage=";

/// Stops the chains of one queue's messages.
#[derive(Clone)]
pub(crate) struct RecursionGuard {
    client: Client,
    function: String,
    recursive_loop: RecursiveLoop,
    dead_letter_queue_url: Option<String>,
}

impl RecursionGuard {
    /// Guards a function; `environment` may send to the dead-letter queue, given by its physical
    /// name.
    pub(crate) fn new(
        function: &template::Function,
        dead_letter_queue: Option<&str>,
        environment: &Environment,
    ) -> RecursionGuard {
        let (client, endpoint) = client(environment);
        RecursionGuard {
            client,
            function: function.binary.clone(),
            recursive_loop: function.recursive_loop,
            dead_letter_queue_url: dead_letter_queue
                .map(|queue| format!("{endpoint}/{ACCOUNT_ID}/{queue}")),
        }
    }

    /// Splits messages into those that invoke the function and those that do not.
    pub(crate) fn split(&self, messages: Vec<Message>) -> (Vec<Message>, Vec<Message>) {
        let invokes = |message: &Message| {
            self.recursive_loop == RecursiveLoop::Allow || chain_length(message) <= INVOCATIONS_MAX
        };
        messages.into_iter().partition(invokes)
    }

    /// Sends messages to the dead-letter queue, if there is one, and returns those that may be
    /// deleted from their own.
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
                    .client
                    .send_message()
                    .queue_url(url)
                    .set_message_body(message.body.clone());
                if let Err(error) = send.send().await {
                    // It becomes visible again, and is stopped again.
                    tracing::warn!(function = self.function, %error, "the dead-letter queue does not take a message");
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
