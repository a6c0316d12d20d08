//! Queues and messages.

use aws_sdk_sqs::{
    error::ProvideErrorMetadata,
    types::{
        Message, MessageAttributeValue, MessageSystemAttributeName, QueueAttributeName,
        SendMessageBatchRequestEntry,
    },
};
use sam_template::{Redrive, ResolvedTemplate};

use crate::support::{EVENT_TIMEOUT, Emulation, code, queue};

async fn with_queues() -> Emulation {
    let redrive = Redrive {
        dead_letter_queue: "dead".to_owned(),
        max_receive_count: 2,
    };
    let jobs = sam_template::QueueSpec {
        redrive: Some(redrive),
        ..queue("jobs")
    };

    Emulation::with(&ResolvedTemplate {
        queues: vec![jobs, queue("dead")],
        ..ResolvedTemplate::default()
    })
    .await
}

impl Emulation {
    pub(crate) async fn send(&self, body: &str, delay_seconds: i32) {
        let message = self
            .sqs("unrestricted")
            .send_message()
            .queue_url(self.queue_url("jobs"));
        message
            .message_body(body)
            .delay_seconds(delay_seconds)
            .send()
            .await
            .unwrap();
    }

    pub(crate) async fn receive(&self, queue: &str, wait_seconds: i32) -> Vec<Message> {
        let receive = self
            .sqs("unrestricted")
            .receive_message()
            .queue_url(self.queue_url(queue));
        let receive = receive
            .message_system_attribute_names(MessageSystemAttributeName::All)
            .max_number_of_messages(10)
            .wait_time_seconds(wait_seconds);
        let received = tokio::time::timeout(EVENT_TIMEOUT, receive.send())
            .await
            .unwrap()
            .unwrap();

        received.messages.unwrap_or_default()
    }

    /// Returns how many messages were received, and neither deleted nor visible again.
    async fn in_flight(&self, queue: &str) -> String {
        let attributes = self
            .sqs("unrestricted")
            .get_queue_attributes()
            .queue_url(self.queue_url(queue));
        let attributes = attributes.attribute_names(QueueAttributeName::All).send();
        let name = QueueAttributeName::ApproximateNumberOfMessagesNotVisible;
        attributes.await.unwrap().attributes.unwrap()[&name].clone()
    }

    /// Changes the visibility of a message of `jobs`. Returns the error code.
    pub(crate) async fn hide(&self, receipt: &str, seconds: i32) -> Result<(), String> {
        let change = self
            .sqs("unrestricted")
            .change_message_visibility()
            .queue_url(self.queue_url("jobs"))
            .receipt_handle(receipt)
            .visibility_timeout(seconds);
        change.send().await.map(|_| ()).map_err(code)
    }

    async fn delete(&self, message: &Message) {
        let delete = self
            .sqs("unrestricted")
            .delete_message()
            .queue_url(self.queue_url("jobs"))
            .receipt_handle(message.receipt_handle().unwrap());
        delete.send().await.unwrap();
    }
}

pub(crate) fn bodies(messages: &[Message]) -> Vec<&str> {
    messages.iter().filter_map(Message::body).collect()
}

fn receive_count(message: &Message) -> &str {
    &message.attributes().unwrap()[&MessageSystemAttributeName::ApproximateReceiveCount]
}

#[tokio::test]
async fn received_message_is_hidden_for_its_visibility_timeout() {
    let emulation = with_queues().await;
    emulation.send("a", 0).await;
    let first = emulation.receive("jobs", 0).await;
    assert_eq!(receive_count(&first[0]), "1");

    emulation.clock.advance(29);
    assert!(emulation.receive("jobs", 0).await.is_empty());
    assert_eq!(emulation.in_flight("jobs").await, "1");

    emulation.clock.advance(1);
    let second = emulation.receive("jobs", 0).await;
    assert_eq!(receive_count(&second[0]), "2");
    assert_eq!(second[0].message_id(), first[0].message_id());

    // Only the latest receipt handle is valid.
    emulation.delete(&first[0]).await;
    assert_eq!(emulation.in_flight("jobs").await, "1");
    emulation.delete(&second[0]).await;
    assert_eq!(emulation.in_flight("jobs").await, "0");
}

#[tokio::test]
async fn visibility_of_in_flight_message_can_be_changed() {
    let emulation = with_queues().await;
    emulation.send("a", 0).await;
    let received = emulation.receive("jobs", 0).await;
    let receipt = received[0].receipt_handle().unwrap();

    emulation.hide(receipt, 60).await.unwrap();
    emulation.clock.advance(59);
    assert!(emulation.receive("jobs", 0).await.is_empty());
    emulation.hide(receipt, 0).await.unwrap();

    let error = emulation.hide(receipt, 10).await.unwrap_err();
    assert_eq!(error, "AWS.SimpleQueueService.MessageNotInflight");
    assert_eq!(emulation.receive("jobs", 0).await.len(), 1);
}

#[tokio::test]
async fn visibility_of_other_messages_cannot_be_changed() {
    let emulation = with_queues().await;
    emulation.send("a", 0).await;
    let first = emulation.receive("jobs", 0).await;
    emulation.clock.advance(30);
    let second = emulation.receive("jobs", 0).await;
    let outdated = first[0].receipt_handle().unwrap();
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
    let emulation = with_queues().await;
    let message = emulation
        .sqs("unrestricted")
        .send_message()
        .queue_url(emulation.queue_url("jobs"))
        .message_body("grouped")
        .message_group_id("acme");
    message.send().await.unwrap();
    emulation.send("ungrouped", 0).await;
    for _ in 0..2 {
        emulation.receive("jobs", 0).await;
        emulation.clock.advance(30);
    }
    emulation.receive("jobs", 0).await;

    let dead = emulation.receive("dead", 0).await;

    assert_eq!(bodies(&dead), ["grouped", "ungrouped"]);
    let attribute = |message: &Message, name| message.attributes().unwrap().get(&name).cloned();
    let group = |message| attribute(message, MessageSystemAttributeName::MessageGroupId);
    assert_eq!(group(&dead[0]).as_deref(), Some("acme"));
    assert_eq!(group(&dead[1]), None);
    let source = attribute(
        &dead[0],
        MessageSystemAttributeName::DeadLetterQueueSourceArn,
    );
    assert_eq!(
        source.as_deref(),
        Some("arn:aws:sqs:us-east-1:000000000000:jobs")
    );
}

#[tokio::test]
async fn long_poll_ends_with_message_timeout_or_shutdown() {
    let emulation = with_queues().await;
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

    let poll = emulation
        .sqs("unrestricted")
        .receive_message()
        .queue_url(emulation.queue_url("dead"))
        .wait_time_seconds(19);
    let (received, ()) = futures::join!(poll.send(), async {
        emulation.clock.wait_for_sleep(19).await;
        tokio::time::timeout(EVENT_TIMEOUT, emulation.emulators.stop())
            .await
            .unwrap();
    });
    assert!(received.unwrap().messages().is_empty());
}

#[tokio::test]
async fn invalid_batch_entry_fails_alone() {
    let emulation = with_queues().await;
    let entry = |id: &str, body: &str| {
        SendMessageBatchRequestEntry::builder()
            .id(id)
            .message_body(body)
            .build()
            .unwrap()
    };

    let batch = emulation
        .sqs("unrestricted")
        .send_message_batch()
        .queue_url(emulation.queue_url("jobs"));
    let sent = batch
        .clone()
        .entries(entry("good", "hello"))
        .entries(entry("bad", "\u{1}"))
        .send()
        .await
        .unwrap();
    assert_eq!(sent.successful()[0].id(), "good");
    assert_eq!(sent.failed()[0].id(), "bad");
    assert_eq!(sent.failed()[0].code(), "InvalidMessageContents");

    let received = emulation.receive("jobs", 0).await;
    assert_eq!(bodies(&received), ["hello"]);

    let entries: Vec<_> = (0..11)
        .map(|number| entry(&number.to_string(), "x"))
        .collect();
    let error = batch.clone().set_entries(Some(entries)).send().await;
    let error = error.unwrap_err().into_service_error();
    assert!(error.is_too_many_entries_in_batch_request(), "{error:?}");

    let doubled = batch.entries(entry("a", "x")).entries(entry("a", "y"));
    let error = doubled.send().await.unwrap_err().into_service_error();
    assert!(error.is_batch_entry_ids_not_distinct(), "{error:?}");
}

#[tokio::test]
async fn missing_queue_is_a_typed_error() {
    let emulation = with_queues().await;
    let receive = emulation
        .sqs("unrestricted")
        .receive_message()
        .queue_url(emulation.queue_url("nowhere"));
    let error = receive.send().await.unwrap_err().into_service_error();
    assert!(error.is_queue_does_not_exist(), "{error:?}");
}

#[tokio::test]
async fn what_is_not_emulated_is_rejected() {
    let emulation = with_queues().await;
    let sqs = emulation.sqs("unrestricted");

    let list = sqs.list_queues().send().await.unwrap_err();
    assert_eq!(list.code(), Some("InvalidAction"));

    let attributes = sqs
        .get_queue_attributes()
        .queue_url(emulation.queue_url("jobs"))
        .attribute_names(QueueAttributeName::VisibilityTimeout);
    let error = attributes.send().await.unwrap_err();
    assert_eq!(error.code(), Some("InvalidAttributeName"));

    let kind = MessageAttributeValue::builder().data_type("String");
    let message = sqs
        .send_message()
        .queue_url(emulation.queue_url("jobs"))
        .message_body("a")
        .message_attributes("kind", kind.string_value("greeting").build().unwrap());
    let error = message.send().await.unwrap_err();
    assert_eq!(error.code(), Some("InvalidParameterValue"));
}
