//! Queues and messages.

use aws_sdk_sqs::{
    error::ProvideErrorMetadata,
    types::{
        Message, MessageAttributeValue, MessageSystemAttributeName, QueueAttributeName,
        SendMessageBatchRequestEntry,
    },
};
use sam_template::{Redrive, ResolvedTemplate};

use crate::support::{EVENT_TIMEOUT, Emulation, queue};

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
            .message_attribute_names("All")
            .max_number_of_messages(10)
            .wait_time_seconds(wait_seconds);
        let received = tokio::time::timeout(EVENT_TIMEOUT, receive.send())
            .await
            .unwrap()
            .unwrap();

        received.messages.unwrap_or_default()
    }

    async fn depth(&self, queue: &str, attribute: QueueAttributeName) -> String {
        let attributes = self
            .sqs("unrestricted")
            .get_queue_attributes()
            .queue_url(self.queue_url(queue));
        let attributes = attributes
            .attribute_names(QueueAttributeName::All)
            .send()
            .await
            .unwrap();
        attributes.attributes.unwrap().remove(&attribute).unwrap()
    }
}

pub(crate) fn bodies(messages: &[Message]) -> Vec<&str> {
    messages.iter().filter_map(Message::body).collect()
}

#[tokio::test]
async fn received_message_is_hidden_for_its_visibility_timeout() {
    let emulation = with_queues().await;
    emulation.send("a", 0).await;
    let first = emulation.receive("jobs", 0).await;
    assert_eq!(
        first[0].attributes().unwrap()[&MessageSystemAttributeName::ApproximateReceiveCount],
        "1"
    );

    emulation.clock.advance(29);
    assert!(emulation.receive("jobs", 0).await.is_empty());
    assert_eq!(
        emulation
            .depth(
                "jobs",
                QueueAttributeName::ApproximateNumberOfMessagesNotVisible
            )
            .await,
        "1"
    );

    emulation.clock.advance(1);
    let second = emulation.receive("jobs", 0).await;
    assert_eq!(
        second[0].attributes().unwrap()[&MessageSystemAttributeName::ApproximateReceiveCount],
        "2"
    );
    assert_eq!(second[0].message_id(), first[0].message_id());

    // Only the latest receipt handle is valid.
    let sqs = emulation.sqs("unrestricted");
    let delete = |message: &Message| {
        let receipt = message.receipt_handle().unwrap();
        sqs.delete_message()
            .queue_url(emulation.queue_url("jobs"))
            .receipt_handle(receipt)
            .send()
    };

    delete(&first[0]).await.unwrap();
    assert_eq!(
        emulation
            .depth(
                "jobs",
                QueueAttributeName::ApproximateNumberOfMessagesNotVisible
            )
            .await,
        "1"
    );

    delete(&second[0]).await.unwrap();
    assert_eq!(
        emulation
            .depth(
                "jobs",
                QueueAttributeName::ApproximateNumberOfMessagesNotVisible
            )
            .await,
        "0"
    );
}

#[tokio::test]
async fn visibility_of_in_flight_message_can_be_changed() {
    let emulation = with_queues().await;
    emulation.send("a", 0).await;

    let received = emulation.receive("jobs", 0).await;
    let sqs = emulation.sqs("unrestricted");
    let change = |seconds| {
        let change = sqs
            .change_message_visibility()
            .queue_url(emulation.queue_url("jobs"));
        change
            .receipt_handle(received[0].receipt_handle().unwrap())
            .visibility_timeout(seconds)
            .send()
    };

    change(60).await.unwrap();
    emulation.clock.advance(59);
    assert!(emulation.receive("jobs", 0).await.is_empty());
    change(0).await.unwrap();

    let error = change(10).await.unwrap_err().into_service_error();
    assert!(error.is_message_not_inflight(), "{error:?}");
    assert_eq!(emulation.receive("jobs", 0).await.len(), 1);
}

#[tokio::test]
async fn visibility_of_other_messages_cannot_be_changed() {
    let emulation = with_queues().await;
    let change = async |receipt: &str, seconds: i32| {
        let change = emulation
            .sqs("unrestricted")
            .change_message_visibility()
            .queue_url(emulation.queue_url("jobs"))
            .receipt_handle(receipt)
            .visibility_timeout(seconds);
        let error = change.send().await.unwrap_err().into_service_error();
        error.code().unwrap_or_default().to_owned()
    };
    emulation.send("a", 0).await;
    let first = emulation.receive("jobs", 0).await;
    emulation.clock.advance(30);
    let second = emulation.receive("jobs", 0).await;
    let outdated = first[0].receipt_handle().unwrap();
    let receipt = second[0].receipt_handle().unwrap();

    assert_eq!(change(outdated, 10).await, "InvalidParameterValue");
    assert_eq!(change(receipt, -1).await, "InvalidParameterValue");
    assert_eq!(change(receipt, 43_201).await, "InvalidParameterValue");
    assert_eq!(change("a", 10).await, "ReceiptHandleIsInvalid");

    let delete = emulation
        .sqs("unrestricted")
        .delete_message()
        .queue_url(emulation.queue_url("jobs"))
        .receipt_handle(receipt);
    delete.send().await.unwrap();
    assert_eq!(change(receipt, 10).await, "InvalidParameterValue");
}

#[tokio::test]
async fn message_moves_to_dead_letter_queue_and_back() {
    let emulation = with_queues().await;
    emulation.send("poison", 0).await;

    for _ in 0..2 {
        assert_eq!(bodies(&emulation.receive("jobs", 0).await), ["poison"]);
        emulation.clock.advance(30);
    }

    assert!(emulation.receive("jobs", 0).await.is_empty());

    let dead = emulation.receive("dead", 0).await;
    let source =
        &dead[0].attributes().unwrap()[&MessageSystemAttributeName::DeadLetterQueueSourceArn];
    assert_eq!(bodies(&dead), ["poison"]);
    assert_eq!(source, "arn:aws:sqs:us-east-1:000000000000:jobs");

    emulation.clock.advance(30);
    let arn = emulation.depth("dead", QueueAttributeName::QueueArn).await;
    emulation
        .sqs("unrestricted")
        .start_message_move_task()
        .source_arn(arn)
        .send()
        .await
        .unwrap();

    assert_eq!(bodies(&emulation.receive("jobs", 0).await), ["poison"]);
}

#[tokio::test]
async fn message_keeps_its_group_in_the_dead_letter_queue() {
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
    let group = |message: &Message| {
        let attributes = message.attributes().unwrap();
        attributes
            .get(&MessageSystemAttributeName::MessageGroupId)
            .cloned()
    };
    assert_eq!(group(&dead[0]).as_deref(), Some("acme"));
    assert_eq!(group(&dead[1]), None);
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
    let kind = MessageAttributeValue::builder()
        .data_type("String")
        .string_value("greeting")
        .build()
        .unwrap();
    let entry = |id: &str, body: &str| {
        let entry = SendMessageBatchRequestEntry::builder()
            .id(id)
            .message_body(body);
        entry
            .message_attributes("kind", kind.clone())
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
    assert_eq!(received[0].message_attributes().unwrap()["kind"], kind);
    assert_eq!(
        received[0].md5_of_message_attributes(),
        sent.successful()[0].md5_of_message_attributes()
    );

    let entries: Vec<_> = (0..11)
        .map(|number| entry(&number.to_string(), "x"))
        .collect();
    let error = batch
        .clone()
        .set_entries(Some(entries))
        .send()
        .await
        .unwrap_err()
        .into_service_error();
    assert!(error.is_too_many_entries_in_batch_request(), "{error:?}");

    let doubled = batch
        .entries(entry("a", "x"))
        .entries(entry("a", "y"))
        .send()
        .await
        .unwrap_err();
    assert!(
        doubled
            .into_service_error()
            .is_batch_entry_ids_not_distinct()
    );
}

#[tokio::test]
async fn missing_queue_is_a_typed_error() {
    let emulation = with_queues().await;
    let sqs = emulation.sqs("unrestricted");
    let missing = sqs
        .get_queue_url()
        .queue_name("nowhere")
        .send()
        .await
        .unwrap_err()
        .into_service_error();

    assert!(missing.is_queue_does_not_exist(), "{missing:?}");

    let there = sqs.get_queue_url().queue_name("jobs").send().await.unwrap();
    assert_eq!(
        there.queue_url(),
        Some(emulation.queue_url("jobs").as_str())
    );
}
