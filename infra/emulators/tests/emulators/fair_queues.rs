//! Fair queues: the order in which messages of several groups are received.

use sam_template::ResolvedTemplate;

use crate::support::{Emulation, queue};

/// A message that was received.
struct Received {
    body: String,
    receipt: String,
}

async fn with_jobs() -> Emulation {
    Emulation::with(&ResolvedTemplate {
        queues: vec![queue("jobs")],
        ..ResolvedTemplate::default()
    })
    .await
}

impl Emulation {
    /// Sends messages to their groups. The first letter of a body is its group, `-` none.
    async fn send_all(&self, bodies: &[&str]) {
        for body in bodies {
            let group = body.chars().next().filter(|group| *group != '-');
            let message = self
                .sqs("unrestricted")
                .send_message()
                .queue_url(self.queue_url("jobs"))
                .message_body(*body)
                .set_message_group_id(group.map(String::from));
            message.send().await.unwrap();
        }
    }

    async fn receive_one(&self) -> Received {
        let receive = self
            .sqs("unrestricted")
            .receive_message()
            .queue_url(self.queue_url("jobs"));
        let received = receive.send().await.unwrap();
        let message = &received.messages()[0];
        Received {
            body: message.body().unwrap().to_owned(),
            receipt: message.receipt_handle().unwrap().to_owned(),
        }
    }

    /// Receives messages one by one, and returns their bodies.
    async fn receive_in_order(&self, count: usize) -> Vec<String> {
        let mut bodies = Vec::new();
        for _ in 0..count {
            bodies.push(self.receive_one().await.body);
        }
        bodies
    }

    async fn delete_received(&self, received: &Received) {
        let delete = self
            .sqs("unrestricted")
            .delete_message()
            .queue_url(self.queue_url("jobs"));
        delete
            .receipt_handle(&received.receipt)
            .send()
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn group_that_uses_the_processing_time_is_received_after_the_others() {
    let emulation = with_jobs().await;
    emulation.send_all(&["a1", "a2", "a3"]).await;
    let first = emulation.receive_one().await;
    emulation.clock.advance(1);
    emulation.delete_received(&first).await;
    emulation.send_all(&["b1", "-1", "b2"]).await;

    let received = emulation.receive_in_order(5).await;

    assert_eq!(first.body, "a1");
    assert_eq!(received, ["b1", "-1", "b2", "a2", "a3"]);
}

#[tokio::test]
async fn group_with_thirty_messages_in_flight_is_received_after_the_others() {
    let emulation = with_jobs().await;
    emulation.send_all(&["a"; 32]).await;
    emulation.send_all(&["b"]).await;

    let received = emulation.receive_in_order(33).await.concat();

    assert_eq!(received, format!("{}b{}", "a".repeat(30), "a".repeat(2)));
}

#[tokio::test]
async fn noisy_group_with_the_fewest_messages_in_flight_is_received_first() {
    let emulation = with_jobs().await;
    emulation
        .send_all(&["a1", "a2", "b1", "a3", "a4", "b2", "b3"])
        .await;
    emulation.receive_in_order(3).await;
    emulation.clock.advance(1);

    let received = emulation.receive_in_order(2).await;

    assert_eq!(received, ["b2", "a3"]);
}

#[tokio::test]
async fn group_without_visible_messages_is_quiet_again() {
    let emulation = with_jobs().await;
    emulation.send_all(&["a1", "a2"]).await;
    emulation.receive_one().await;
    emulation.clock.advance(1);
    emulation.receive_one().await;
    emulation.send_all(&["a3", "b1"]).await;

    assert_eq!(emulation.receive_in_order(2).await, ["a3", "b1"]);
}

#[tokio::test]
async fn group_is_quiet_again_after_five_minutes_without_messages_in_flight() {
    for (pause_seconds, expected) in [(299, ["b1", "a2"]), (300, ["a2", "b1"])] {
        let emulation = with_jobs().await;
        emulation.send_all(&["a1", "a2"]).await;
        let first = emulation.receive_one().await;
        emulation.clock.advance(1);
        emulation.delete_received(&first).await;
        emulation.clock.advance(pause_seconds);
        emulation.send_all(&["b1"]).await;

        assert_eq!(
            emulation.receive_in_order(2).await,
            expected,
            "{pause_seconds}"
        );
    }
}
