//! SQS's own rules, on a clock that stands still.

use aws_sdk_sqs::types::{
    Message, MessageAttributeValue, MessageSystemAttributeName, QueueAttributeName,
    SendMessageBatchRequestEntry,
};
use template::{Redrive, Stack};

use crate::support::{Cloud, PATIENCE, queue};

async fn with_queues() -> Cloud {
    let redrive = Redrive {
        dead_letter_queue: "dead".to_owned(),
        max_receive_count: 2,
    };
    let jobs = template::Queue {
        redrive: Some(redrive),
        ..queue("jobs")
    };
    Cloud::with(&Stack {
        queues: vec![jobs, queue("dead")],
        ..Stack::default()
    })
    .await
}

impl Cloud {
    async fn send(&self, body: &str, delay_seconds: i32) {
        let message = self
            .sqs("operator")
            .send_message()
            .queue_url(self.queue_url("jobs"));
        message
            .message_body(body)
            .delay_seconds(delay_seconds)
            .send()
            .await
            .unwrap();
    }

    async fn receive(&self, queue: &str, wait_seconds: i32) -> Vec<Message> {
        let receive = self
            .sqs("operator")
            .receive_message()
            .queue_url(self.queue_url(queue));
        let receive = receive
            .message_system_attribute_names(MessageSystemAttributeName::All)
            .message_attribute_names("All")
            .max_number_of_messages(10)
            .wait_time_seconds(wait_seconds);
        let received = tokio::time::timeout(PATIENCE, receive.send())
            .await
            .unwrap()
            .unwrap();
        received.messages.unwrap_or_default()
    }

    async fn depth(&self, queue: &str, attribute: QueueAttributeName) -> String {
        let attributes = self
            .sqs("operator")
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

fn bodies(messages: &[Message]) -> Vec<&str> {
    messages.iter().filter_map(Message::body).collect()
}

#[tokio::test]
async fn a_received_message_is_hidden_for_its_visibility_and_counts_its_receives() {
    let cloud = with_queues().await;
    cloud.send("a", 0).await;
    let first = cloud.receive("jobs", 0).await;
    assert_eq!(
        first[0].attributes().unwrap()[&MessageSystemAttributeName::ApproximateReceiveCount],
        "1"
    );
    cloud.clock.advance(29);
    assert!(cloud.receive("jobs", 0).await.is_empty());
    assert_eq!(
        cloud
            .depth(
                "jobs",
                QueueAttributeName::ApproximateNumberOfMessagesNotVisible
            )
            .await,
        "1"
    );
    cloud.clock.advance(1);
    let second = cloud.receive("jobs", 0).await;
    assert_eq!(
        second[0].attributes().unwrap()[&MessageSystemAttributeName::ApproximateReceiveCount],
        "2"
    );
    assert_eq!(second[0].message_id(), first[0].message_id());

    // Only the latest receipt is good for anything.
    let sqs = cloud.sqs("operator");
    let delete = |message: &Message| {
        let receipt = message.receipt_handle().unwrap();
        sqs.delete_message()
            .queue_url(cloud.queue_url("jobs"))
            .receipt_handle(receipt)
            .send()
    };
    delete(&first[0]).await.unwrap();
    assert_eq!(
        cloud
            .depth(
                "jobs",
                QueueAttributeName::ApproximateNumberOfMessagesNotVisible
            )
            .await,
        "1"
    );
    delete(&second[0]).await.unwrap();
    assert_eq!(
        cloud
            .depth(
                "jobs",
                QueueAttributeName::ApproximateNumberOfMessagesNotVisible
            )
            .await,
        "0"
    );
}

#[tokio::test]
async fn the_visibility_can_be_changed_while_a_message_is_in_flight() {
    let cloud = with_queues().await;
    cloud.send("a", 0).await;
    let received = cloud.receive("jobs", 0).await;
    let sqs = cloud.sqs("operator");
    let change = |seconds| {
        let change = sqs
            .change_message_visibility()
            .queue_url(cloud.queue_url("jobs"));
        change
            .receipt_handle(received[0].receipt_handle().unwrap())
            .visibility_timeout(seconds)
            .send()
    };
    change(60).await.unwrap();
    cloud.clock.advance(59);
    assert!(cloud.receive("jobs", 0).await.is_empty());
    change(0).await.unwrap();
    let refused = change(10).await.unwrap_err().into_service_error();
    assert!(refused.is_message_not_inflight(), "{refused:?}");
    assert_eq!(cloud.receive("jobs", 0).await.len(), 1);
}

#[tokio::test]
async fn a_message_that_was_received_too_often_goes_to_the_dead_letter_queue_and_back() {
    let cloud = with_queues().await;
    cloud.send("poison", 0).await;
    for _ in 0..2 {
        assert_eq!(bodies(&cloud.receive("jobs", 0).await), ["poison"]);
        cloud.clock.advance(30);
    }
    assert!(cloud.receive("jobs", 0).await.is_empty());
    let dead = cloud.receive("dead", 0).await;
    let source =
        &dead[0].attributes().unwrap()[&MessageSystemAttributeName::DeadLetterQueueSourceArn];
    assert_eq!(
        (bodies(&dead), source.as_str()),
        (vec!["poison"], "arn:aws:sqs:us-east-1:000000000000:jobs")
    );

    cloud.clock.advance(30);
    let arn = cloud.depth("dead", QueueAttributeName::QueueArn).await;
    cloud
        .sqs("operator")
        .start_message_move_task()
        .source_arn(arn)
        .send()
        .await
        .unwrap();
    assert_eq!(bodies(&cloud.receive("jobs", 0).await), ["poison"]);
}

#[tokio::test]
async fn a_long_poll_ends_with_a_message_with_its_time_or_with_the_emulators() {
    let cloud = with_queues().await;
    let (received, ()) = futures::join!(cloud.receive("jobs", 20), async {
        cloud.clock.somebody_sleeps(20).await;
        cloud.send("now", 0).await;
    });
    assert_eq!(bodies(&received), ["now"]);

    cloud.send("later", 5).await;
    let (received, ()) = futures::join!(cloud.receive("jobs", 20), async {
        cloud.clock.somebody_sleeps(5).await;
        cloud.clock.advance(5);
    });
    assert_eq!(bodies(&received), ["later"]);

    let (received, ()) = futures::join!(cloud.receive("dead", 7), async {
        cloud.clock.somebody_sleeps(7).await;
        cloud.clock.advance(7);
    });
    assert!(received.is_empty());

    let poll = cloud
        .sqs("operator")
        .receive_message()
        .queue_url(cloud.queue_url("dead"))
        .wait_time_seconds(19);
    let (received, ()) = futures::join!(poll.send(), async {
        cloud.clock.somebody_sleeps(19).await;
        tokio::time::timeout(PATIENCE, cloud.emulators.stop())
            .await
            .unwrap();
    });
    assert!(received.unwrap().messages().is_empty());
}

#[tokio::test]
async fn a_batch_is_delivered_with_its_attributes_and_its_bad_entries_fail_alone() {
    let cloud = with_queues().await;
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
    let batch = cloud
        .sqs("operator")
        .send_message_batch()
        .queue_url(cloud.queue_url("jobs"));
    let sent = batch
        .clone()
        .entries(entry("good", "hello"))
        .entries(entry("bad", "\u{1}"))
        .send()
        .await
        .unwrap();
    assert_eq!(sent.successful()[0].id(), "good");
    assert_eq!(
        (sent.failed()[0].id(), sent.failed()[0].code()),
        ("bad", "InvalidMessageContents")
    );
    let received = cloud.receive("jobs", 0).await;
    assert_eq!(bodies(&received), ["hello"]);
    assert_eq!(received[0].message_attributes().unwrap()["kind"], kind);
    assert_eq!(
        received[0].md5_of_message_attributes(),
        sent.successful()[0].md5_of_message_attributes()
    );

    let entries: Vec<_> = (0..11)
        .map(|number| entry(&number.to_string(), "x"))
        .collect();
    let refused = batch
        .clone()
        .set_entries(Some(entries))
        .send()
        .await
        .unwrap_err()
        .into_service_error();
    assert!(
        refused.is_too_many_entries_in_batch_request(),
        "{refused:?}"
    );
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
async fn a_queue_that_does_not_exist_is_a_typed_error() {
    let cloud = with_queues().await;
    let sqs = cloud.sqs("operator");
    let missing = sqs
        .get_queue_url()
        .queue_name("nowhere")
        .send()
        .await
        .unwrap_err()
        .into_service_error();
    assert!(missing.is_queue_does_not_exist(), "{missing:?}");
    let there = sqs.get_queue_url().queue_name("jobs").send().await.unwrap();
    assert_eq!(there.queue_url(), Some(cloud.queue_url("jobs").as_str()));
}
