//! Queues and messages.

use aws_sdk_sqs::{
    error::SdkError,
    operation::send_message_batch::{SendMessageBatchError, SendMessageBatchOutput},
    types::{
        Message, MessageAttributeValue, MessageSystemAttributeName, QueueAttributeName,
        SendMessageBatchRequestEntry,
    },
};
use sam_template::Redrive;

use crate::support::{EVENT_TIMEOUT, Emulation, code, template};

/// Maximum number of messages of one receive.
const RECEIVED_AT_ONCE: i32 = 10;

/// Starts emulators with a queue `jobs` that moves messages to `dead` after two receives.
async fn with_redrive() -> Emulation {
    let mut template = template();
    template.queues[0].redrive = Some(Redrive {
        dead_letter_queue: "dead".to_owned(),
        max_receive_count: 2,
    });
    Emulation::with(template).await
}

impl Emulation {
    /// Sends a message to `jobs`, with a delay in seconds.
    pub(crate) async fn send(&self, body: &str, delay_seconds: i32) {
        let send = self.sqs("unrestricted").send_message();
        let message = send.queue_url(self.queue_url("jobs")).message_body(body);
        let delayed = message.delay_seconds(delay_seconds);
        delayed.send().await.unwrap();
    }

    /// Sends a message of a message group to `jobs`.
    pub(crate) async fn send_in_group(&self, body: &str, group: Option<&str>) {
        let send = self.sqs("unrestricted").send_message();
        let message = send.queue_url(self.queue_url("jobs")).message_body(body);
        let grouped = message.set_message_group_id(group.map(str::to_owned));
        grouped.send().await.unwrap();
    }

    /// Sends a batch of pairs of an id and a body to `jobs`.
    pub(crate) async fn send_batch(
        &self,
        entries: &[(&str, &str)],
    ) -> Result<SendMessageBatchOutput, SendMessageBatchError> {
        let entries = entries.iter().map(|(id, body)| {
            let entry = SendMessageBatchRequestEntry::builder().id(*id);
            entry.message_body(*body).build().unwrap()
        });
        let batch = self.sqs("unrestricted").send_message_batch();
        let batch = batch.queue_url(self.queue_url("jobs"));
        let sent = batch.set_entries(Some(entries.collect())).send().await;
        sent.map_err(SdkError::into_service_error)
    }

    /// Receives all messages that are visible, or become visible within this time.
    pub(crate) async fn receive(&self, queue: &str, wait_seconds: i32) -> Vec<Message> {
        self.receive_up_to(RECEIVED_AT_ONCE, queue, wait_seconds)
            .await
    }

    pub(crate) async fn receive_up_to(
        &self,
        max: i32,
        queue: &str,
        wait_seconds: i32,
    ) -> Vec<Message> {
        let receive = self.sqs("unrestricted").receive_message();
        let receive = receive
            .queue_url(self.queue_url(queue))
            .message_system_attribute_names(MessageSystemAttributeName::All)
            .max_number_of_messages(max)
            .wait_time_seconds(wait_seconds);
        let received = tokio::time::timeout(EVENT_TIMEOUT, receive.send()).await;
        received.unwrap().unwrap().messages.unwrap_or_default()
    }

    /// Returns how many messages of `jobs` were received, and neither deleted nor visible again.
    async fn in_flight(&self) -> String {
        let get = self.sqs("unrestricted").get_queue_attributes();
        let get = get.queue_url(self.queue_url("jobs"));
        let output = get.attribute_names(QueueAttributeName::All).send().await;
        let name = QueueAttributeName::ApproximateNumberOfMessagesNotVisible;
        output.unwrap().attributes.unwrap()[&name].clone()
    }

    /// Changes the visibility of a message of `jobs`. Returns the error code.
    pub(crate) async fn hide(&self, receipt: &str, seconds: i32) -> Result<(), String> {
        let change = self.sqs("unrestricted").change_message_visibility();
        let change = change.queue_url(self.queue_url("jobs"));
        let change = change.receipt_handle(receipt).visibility_timeout(seconds);
        change.send().await.map(drop).map_err(code)
    }

    pub(crate) async fn delete(&self, message: &Message) {
        let delete = self.sqs("unrestricted").delete_message();
        let delete = delete.queue_url(self.queue_url("jobs"));
        let delete = delete.receipt_handle(message.receipt_handle().unwrap());
        delete.send().await.unwrap();
    }
}

pub(crate) fn bodies(messages: &[Message]) -> Vec<&str> {
    messages.iter().filter_map(Message::body).collect()
}

fn attribute<'a>(message: &'a Message, name: &MessageSystemAttributeName) -> Option<&'a str> {
    message.attributes()?.get(name).map(String::as_str)
}

#[tokio::test]
async fn received_message_is_hidden_for_its_visibility_timeout() {
    let emulation = with_redrive().await;
    let receive_count = MessageSystemAttributeName::ApproximateReceiveCount;
    emulation.send("a", 0).await;
    let first = emulation.receive("jobs", 0).await;
    assert_eq!(attribute(&first[0], &receive_count), Some("1"));

    emulation.clock.advance(29);
    assert!(emulation.receive("jobs", 0).await.is_empty());
    assert_eq!(emulation.in_flight().await, "1");

    emulation.clock.advance(1);
    let second = emulation.receive("jobs", 0).await;
    assert_eq!(attribute(&second[0], &receive_count), Some("2"));
    assert_eq!(second[0].message_id(), first[0].message_id());

    // Only the latest receipt handle is valid.
    emulation.delete(&first[0]).await;
    assert_eq!(emulation.in_flight().await, "1");
    emulation.delete(&second[0]).await;
    assert_eq!(emulation.in_flight().await, "0");
}

#[tokio::test]
async fn visibility_of_in_flight_message_only_can_be_changed() {
    let emulation = Emulation::start().await;
    emulation.send("a", 0).await;
    let first = emulation.receive("jobs", 0).await;
    let outdated = first[0].receipt_handle().unwrap();
    emulation.hide(outdated, 60).await.unwrap();
    emulation.clock.advance(59);
    assert!(emulation.receive("jobs", 0).await.is_empty());

    emulation.hide(outdated, 0).await.unwrap();
    let error = emulation.hide(outdated, 10).await.unwrap_err();
    assert_eq!(error, "AWS.SimpleQueueService.MessageNotInflight");

    let second = emulation.receive("jobs", 0).await;
    let receipt = second[0].receipt_handle().unwrap();
    for (receipt, seconds, expected) in [
        (outdated, 10, "InvalidParameterValue"),
        (receipt, -1, "InvalidParameterValue"),
        (receipt, 43_201, "InvalidParameterValue"),
        ("a", 10, "ReceiptHandleIsInvalid"),
    ] {
        let error = emulation.hide(receipt, seconds).await.unwrap_err();
        assert_eq!(error, expected, "{receipt} {seconds}");
    }

    emulation.delete(&second[0]).await;
    let error = emulation.hide(receipt, 10).await.unwrap_err();
    assert_eq!(error, "InvalidParameterValue");
}

#[tokio::test]
async fn message_moves_to_the_dead_letter_queue_with_its_group() {
    let emulation = with_redrive().await;
    emulation.send_in_group("grouped", Some("acme")).await;
    emulation.send("ungrouped", 0).await;
    for _ in 0..2 {
        emulation.receive("jobs", 0).await;
        emulation.clock.advance(30);
    }
    emulation.receive("jobs", 0).await;

    let dead = emulation.receive("dead", 0).await;

    assert_eq!(bodies(&dead), ["grouped", "ungrouped"]);
    let group = |message| attribute(message, &MessageSystemAttributeName::MessageGroupId);
    assert_eq!([&dead[0], &dead[1]].map(group), [Some("acme"), None]);
    let source = MessageSystemAttributeName::DeadLetterQueueSourceArn;
    let jobs = "arn:aws:sqs:us-east-1:000000000000:jobs";
    assert_eq!(attribute(&dead[0], &source), Some(jobs));
}

#[tokio::test]
async fn long_poll_ends_with_message_timeout_or_shutdown() {
    let emulation = Emulation::start().await;
    let (received, ()) = futures::join!(emulation.receive("jobs", 20), async {
        emulation.clock.wait_for_sleep(20).await;
        emulation.send("now", 0).await;
    });
    assert_eq!(bodies(&received), ["now"]);

    emulation.send("later", 5).await;
    let (received, ()) = futures::join!(emulation.receive("jobs", 20), async {
        emulation.clock.wait_for_sleep(5).await;
        emulation.clock.advance(5);
    });
    assert_eq!(bodies(&received), ["later"]);

    let (received, ()) = futures::join!(emulation.receive("dead", 7), async {
        emulation.clock.wait_for_sleep(7).await;
        emulation.clock.advance(7);
    });
    assert!(received.is_empty());

    let poll = emulation.sqs("unrestricted").receive_message();
    let poll = poll.queue_url(emulation.queue_url("dead"));
    let (received, ()) = futures::join!(poll.wait_time_seconds(19).send(), async {
        emulation.clock.wait_for_sleep(19).await;
        let stopped = tokio::time::timeout(EVENT_TIMEOUT, emulation.emulators.stop());
        stopped.await.unwrap();
    });
    assert!(received.unwrap().messages().is_empty());
}

#[tokio::test]
async fn invalid_batch_entry_fails_alone() {
    let emulation = Emulation::start().await;
    let entries = [("good", "hello"), ("bad", "\u{1}")];
    let sent = emulation.send_batch(&entries).await.unwrap();
    assert_eq!(sent.successful()[0].id(), "good");
    assert_eq!(sent.failed()[0].id(), "bad");
    assert_eq!(sent.failed()[0].code(), "InvalidMessageContents");
    let received = emulation.receive("jobs", 0).await;
    assert_eq!(bodies(&received), ["hello"]);

    let ids: Vec<String> = (0..11).map(|number| number.to_string()).collect();
    let eleven: Vec<_> = ids.iter().map(|id| (id.as_str(), "x")).collect();
    let error = emulation.send_batch(&eleven).await.unwrap_err();
    assert!(error.is_too_many_entries_in_batch_request(), "{error:?}");

    let twice = [("a", "x"), ("a", "y")];
    let error = emulation.send_batch(&twice).await.unwrap_err();
    assert!(error.is_batch_entry_ids_not_distinct(), "{error:?}");
}

#[tokio::test]
async fn missing_queue_and_what_is_not_emulated_are_rejected() {
    let emulation = Emulation::start().await;
    let sqs = emulation.sqs("unrestricted");
    let receive = sqs.receive_message();
    let receive = receive.queue_url(emulation.queue_url("nowhere"));
    let error = receive.send().await.unwrap_err().into_service_error();
    assert!(error.is_queue_does_not_exist(), "{error:?}");

    let error = sqs.list_queues().send().await.unwrap_err();
    assert_eq!(code(error), "InvalidAction");

    let get = sqs.get_queue_attributes();
    let get = get.queue_url(emulation.queue_url("jobs"));
    let get = get.attribute_names(QueueAttributeName::VisibilityTimeout);
    let error = get.send().await.unwrap_err();
    assert_eq!(code(error), "InvalidAttributeName");

    let kind = MessageAttributeValue::builder().data_type("String");
    let kind = kind.string_value("greeting").build().unwrap();
    let send = sqs.send_message().queue_url(emulation.queue_url("jobs"));
    let send = send.message_body("a").message_attributes("kind", kind);
    let error = send.send().await.unwrap_err();
    assert_eq!(code(error), "InvalidParameterValue");
}
