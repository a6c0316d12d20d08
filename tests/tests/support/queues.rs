//! Access to the queues of a stack by their names, without the types of their jobs.

use aws_sdk_sqs::{
    Client,
    config::{BehaviorVersion, Credentials, Region},
    types::{Message, QueueAttributeName},
};
use emulators::{ACCOUNT_ID, REGION};
use tests::Stack;

/// Maximum number of messages of one receive.
const BATCH: i32 = 10;

/// A client of all queues.
pub(crate) struct Queues {
    client: Client,
    endpoint: String,
}

impl Queues {
    /// Creates a client with the endpoint of a function, and all permissions.
    pub(crate) fn of(stack: &Stack, function: &str) -> Queues {
        let context = stack.local.unrestricted_context(function);
        let variables = context.expect("a function").variables;
        let endpoint = variables["AWS_ENDPOINT_URL_SQS"].clone();
        let credentials = Credentials::new(
            &variables["AWS_ACCESS_KEY_ID"],
            &variables["AWS_SECRET_ACCESS_KEY"],
            None,
            None,
            "test",
        );
        let config = aws_sdk_sqs::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new(REGION))
            .credentials_provider(credentials)
            .endpoint_url(&endpoint)
            .http_client(aws_smithy_http_client::Builder::new().build_http())
            .build();

        Queues {
            client: Client::from_conf(config),
            endpoint,
        }
    }

    /// Returns the URL of the queue with a logical id.
    fn url(&self, queue: &str) -> String {
        format!("{}/{ACCOUNT_ID}/larder-{queue}", self.endpoint)
    }

    pub(crate) async fn send(&self, queue: &str, body: &str) {
        self.client
            .send_message()
            .queue_url(self.url(queue))
            .message_body(body)
            .send()
            .await
            .expect("sent");
    }

    /// Receives up to ten messages, and returns their bodies.
    pub(crate) async fn receive(&self, queue: &str) -> Vec<String> {
        let received = self
            .client
            .receive_message()
            .queue_url(self.url(queue))
            .max_number_of_messages(BATCH)
            .send()
            .await
            .expect("received");
        let messages = received.messages.unwrap_or_default().into_iter();
        messages
            .filter_map(|message: Message| message.body)
            .collect()
    }

    /// Counts the visible messages of a queue.
    pub(crate) async fn count(&self, queue: &str) -> u64 {
        let name = QueueAttributeName::ApproximateNumberOfMessages;
        let attributes = self
            .client
            .get_queue_attributes()
            .queue_url(self.url(queue))
            .attribute_names(name.clone())
            .send()
            .await
            .expect("an answer")
            .attributes
            .expect("attributes");
        attributes[&name].parse().expect("a number")
    }
}
