//! Fair queues: the order in which messages of several groups are received.

use aws_sdk_sqs::types::Message;

use crate::{queues::bodies, support::Emulation};

impl Emulation {
    /// Sends messages to their groups. The first letter of a body is its group, `-` none.
    async fn send_all(&self, bodies: &[&str]) {
        for body in bodies {
            let group = &body[..1];
            let group = (group != "-").then_some(group);
            self.send_in_group(body, group).await;
        }
    }

    async fn receive_one(&self) -> Message {
        self.receive_up_to(1, "jobs", 0).await.remove(0)
    }

    /// Receives messages one by one.
    async fn receive_in_order(&self, count: usize) -> Vec<Message> {
        let mut messages = Vec::new();
        for _ in 0..count {
            messages.push(self.receive_one().await);
        }
        messages
    }

    /// Receives and deletes a message after it took a second.
    async fn process_one(&self) -> Message {
        let message = self.receive_one().await;
        self.clock.advance(1);
        self.delete(&message).await;
        message
    }
}

#[tokio::test]
async fn group_that_uses_the_processing_time_is_received_after_the_others() {
    let emulation = Emulation::start().await;
    emulation.send_all(&["a1", "a2", "a3"]).await;
    let first = emulation.process_one().await;
    emulation.send_all(&["b1", "-1", "b2"]).await;

    let received = emulation.receive_in_order(5).await;

    assert_eq!(first.body(), Some("a1"));
    assert_eq!(bodies(&received), ["b1", "-1", "b2", "a2", "a3"]);
}

#[tokio::test]
async fn group_with_thirty_messages_in_flight_is_received_after_the_others() {
    let emulation = Emulation::start().await;
    emulation.send_all(&["a"; 32]).await;
    emulation.send_all(&["b"]).await;

    let received = emulation.receive_in_order(33).await;

    let expected = format!("{}b{}", "a".repeat(30), "a".repeat(2));
    assert_eq!(bodies(&received).concat(), expected);
}

#[tokio::test]
async fn noisy_group_with_the_fewest_messages_in_flight_is_received_first() {
    let emulation = Emulation::start().await;
    let messages = ["a1", "a2", "b1", "a3", "a4", "b2", "b3"];
    emulation.send_all(&messages).await;
    emulation.receive_in_order(3).await;
    emulation.clock.advance(1);

    let received = emulation.receive_in_order(2).await;

    assert_eq!(bodies(&received), ["b2", "a3"]);
}

#[tokio::test]
async fn group_without_visible_messages_is_quiet_again() {
    let emulation = Emulation::start().await;
    emulation.send_all(&["a1", "a2"]).await;
    emulation.receive_one().await;
    emulation.clock.advance(1);
    emulation.receive_one().await;
    emulation.send_all(&["a3", "b1"]).await;

    let received = emulation.receive_in_order(2).await;

    assert_eq!(bodies(&received), ["a3", "b1"]);
}

#[tokio::test]
async fn group_is_quiet_again_after_five_minutes_without_messages_in_flight() {
    for (pause_seconds, expected) in [(299, ["b1", "a2"]), (300, ["a2", "b1"])] {
        let emulation = Emulation::start().await;
        emulation.send_all(&["a1", "a2"]).await;
        emulation.process_one().await;
        emulation.clock.advance(pause_seconds);
        emulation.send_all(&["b1"]).await;

        let received = emulation.receive_in_order(2).await;

        assert_eq!(bodies(&received), expected, "{pause_seconds}");
    }
}
