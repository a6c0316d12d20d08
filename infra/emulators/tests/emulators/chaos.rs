//! Seeded random faults.

use std::collections::{BTreeSet, HashMap};

use aws_sdk_s3::types::{Delete, ObjectIdentifier};
use aws_sdk_sqs::types::SendMessageBatchRequestEntry;
use futures::future::join_all;
use sam_template::ResolvedTemplate;

use crate::{
    queues::bodies,
    support::{
        Emulation, get_object, media, put_object, queue, records, transact, transactional_put,
    },
};

fn jobs() -> ResolvedTemplate {
    ResolvedTemplate {
        queues: vec![queue("jobs")],
        ..ResolvedTemplate::default()
    }
}

#[tokio::test]
async fn only_overlapping_transactions_conflict() {
    let emulation = Emulation::with(&records()).await;
    let client = emulation.dynamodb("unrestricted");
    emulation.emulators.chaos().enable(5);

    // Chaos only injects a conflict of the first item. A conflict of the second is an overlap.
    let conflicts = async |first: [String; 2], second: [&str; 2]| {
        let writes = first.iter().map(String::as_str).zip(second);
        let transactions = writes.map(async |(first, second)| {
            transact(&client, &[first, second].map(transactional_put)).await
        });
        let reasons = join_all(transactions).await;
        let overlap = ["None", "TransactionConflict"].map(str::to_owned);
        let is_overlap = |reasons: &&Option<Vec<String>>| reasons.as_deref() == Some(&overlap);
        reasons.iter().filter(is_overlap).count()
    };
    let mut together = 0;
    let mut apart = 0;
    for round in 0..20 {
        let first = ["a", "b"].map(|name| format!("{round} {name}"));
        together += conflicts(first.clone(), ["shared", "shared"]).await;
        apart += conflicts(first, ["one", "two"]).await;
    }

    assert!(together > 0 && apart == 0, "{together} {apart}");
}

#[tokio::test]
async fn failed_deletes_are_returned_as_errors_and_keep_the_objects() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    let keys = |round: u32| ["a", "b", "c"].map(|name| format!("{round}/{name}"));

    for key in (0..30).flat_map(keys) {
        put_object(&client, &key, "x").await.unwrap();
    }

    emulation.emulators.chaos().enable(1);

    let mut gone = Vec::new();
    let mut left = Vec::new();
    for round in 0..30 {
        let objects = keys(round).map(|key| ObjectIdentifier::builder().key(key).build().unwrap());
        let delete = Delete::builder().set_objects(Some(objects.to_vec()));
        let delete = client
            .delete_objects()
            .bucket("media")
            .delete(delete.build().unwrap());
        let Ok(deleted) = delete.send().await else {
            continue;
        };
        assert_eq!(deleted.deleted().len() + deleted.errors().len(), 3);
        gone.extend(
            deleted
                .deleted()
                .iter()
                .filter_map(|object| object.key.clone()),
        );
        left.extend(
            deleted
                .errors()
                .iter()
                .filter_map(|object| object.key.clone()),
        );
    }

    emulation.emulators.chaos().disable();
    assert!(!left.is_empty());

    for key in left {
        assert_eq!(get_object(&client, &key).await.unwrap(), b"x");
    }

    for key in gone {
        assert_eq!(get_object(&client, &key).await, Err("NoSuchKey".to_owned()));
    }
}

#[tokio::test]
async fn failed_batch_entries_are_not_sent() {
    let emulation = Emulation::with(&jobs()).await;
    let client = emulation.sqs("unrestricted");
    let url = emulation.queue_url("jobs");
    emulation.emulators.chaos().enable(1);

    let mut sent = BTreeSet::new();
    let mut failed = BTreeSet::new();

    for round in 0..30 {
        let entry = |index: usize| {
            let entry = SendMessageBatchRequestEntry::builder().id(index.to_string());
            entry
                .message_body(format!("{round} {index}"))
                .build()
                .unwrap()
        };
        let batch = client
            .send_message_batch()
            .queue_url(&url)
            .set_entries(Some((0..3).map(entry).collect()));
        let Ok(batch) = batch.send().await else {
            continue;
        };
        let name = |id: &str| format!("{round} {id}");
        sent.extend(batch.successful().iter().map(|entry| name(entry.id())));
        failed.extend(batch.failed().iter().map(|entry| name(entry.id())));
        assert!(batch.failed().iter().all(|entry| !entry.sender_fault()));
    }

    emulation.emulators.chaos().disable();

    let mut received = BTreeSet::new();
    loop {
        let messages = emulation.receive("jobs", 0).await;
        if messages.is_empty() {
            break;
        }
        received.extend(bodies(&messages).into_iter().map(str::to_owned));
    }

    assert!(!failed.is_empty() && failed.is_disjoint(&received));
    assert!(sent.is_subset(&received));
}

#[tokio::test]
async fn messages_are_duplicated_and_reordered_but_never_lost() {
    let emulation = Emulation::with(&jobs()).await;
    let client = emulation.sqs("unrestricted");
    let url = emulation.queue_url("jobs");

    for number in 0..30 {
        emulation.send(&number.to_string(), 0).await;
    }

    emulation.emulators.chaos().enable(1);

    let mut received: Vec<u32> = Vec::new();
    let mut ids = HashMap::new();

    while received.iter().collect::<BTreeSet<_>>().len() < 30 {
        let Ok(messages) = client
            .receive_message()
            .queue_url(&url)
            .max_number_of_messages(2)
            .send()
            .await
        else {
            continue;
        };
        for message in messages.messages() {
            let number = message.body().unwrap().parse().unwrap();
            received.push(number);
            let id = message.message_id().unwrap().to_owned();
            assert_eq!(
                ids.entry(number).or_insert_with(|| id.clone()),
                &id,
                "a duplicate has the ID of the first delivery"
            );
        }
    }

    assert!(received.len() > 30, "some are duplicates");
    received.dedup();
    assert!(!received.is_sorted(), "{received:?}");
}

#[tokio::test]
async fn duplicate_message_can_be_deleted_before_its_second_delivery() {
    let emulation = Emulation::with(&jobs()).await;
    let client = emulation.sqs("unrestricted");
    let url = emulation.queue_url("jobs");
    emulation.emulators.chaos().enable(1);
    let send = client.send_message().queue_url(&url).message_body("x");
    let receive = client.receive_message().queue_url(&url);
    for _ in 0..20 {
        while send.clone().send().await.is_err() {}
        loop {
            let Ok(received) = receive.clone().send().await else {
                continue;
            };
            let Some(message) = received.messages().first() else {
                break;
            };
            let delete = client
                .delete_message()
                .queue_url(&url)
                .receipt_handle(message.receipt_handle().unwrap());
            while delete.clone().send().await.is_err() {}
        }
    }

    emulation.emulators.chaos().disable();
    assert!(emulation.receive("jobs", 0).await.is_empty());
}
