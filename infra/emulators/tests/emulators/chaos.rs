//! Seeded random faults.

use std::collections::{BTreeSet, HashMap};

use aws_sdk_dynamodb::{
    error::SdkError,
    operation::transact_write_items::TransactWriteItemsError,
    types::{Put, TransactWriteItem},
};
use aws_sdk_s3::types::{Delete, ObjectIdentifier};
use aws_sdk_sqs::types::SendMessageBatchRequestEntry;
use futures::future::join_all;
use sam_template::ResolvedTemplate;

use crate::support::{
    Emulation, code, exists, get_object, media, put_object, queue, records, text,
};

fn jobs() -> ResolvedTemplate {
    ResolvedTemplate {
        queues: vec![queue("jobs")],
        ..ResolvedTemplate::default()
    }
}

/// Returns the results of 100 sequential writes: `done` or the error code.
async fn outcomes(seed: u64) -> Vec<String> {
    let emulation = Emulation::with(&records()).await;
    let client = emulation.dynamodb("unrestricted");
    emulation.emulators.chaos().enable(seed);

    let mut outcomes = Vec::new();
    for _ in 0..100 {
        let put = client
            .put_item()
            .table_name("records")
            .item("pk", text("a"))
            .item("sk", text("-"))
            .send()
            .await;
        outcomes.push(put.map_or_else(code, |_| "done".to_owned()));
    }

    outcomes
}

#[tokio::test]
async fn same_seed_causes_same_faults() {
    let first = outcomes(1).await;
    assert_eq!(outcomes(1).await, first);
    assert_ne!(outcomes(2).await, first);

    let kinds: BTreeSet<&str> = first.iter().map(String::as_str).collect();
    let expected = [
        "ProvisionedThroughputExceededException",
        "ThrottlingException",
        "done",
        "no response",
    ];
    assert_eq!(kinds, BTreeSet::from(expected));
}

#[tokio::test]
async fn retrying_client_succeeds_under_chaos() {
    let emulation = Emulation::with(&records()).await;
    emulation.emulators.chaos().enable(3);

    let client = emulation.retrying_dynamodb();
    let puts = (0..8).map(async |number: u32| {
        let key = text(&number.to_string());
        client
            .put_item()
            .table_name("records")
            .item("pk", key)
            .item("sk", text("-"))
            .send()
            .await
    });

    for put in puts {
        put.await.unwrap();
    }

    emulation.emulators.chaos().disable();

    for number in 0..8 {
        assert!(exists(&client, &number.to_string()).await);
    }
}

#[tokio::test]
async fn only_overlapping_transactions_conflict() {
    let emulation = Emulation::with(&records()).await;
    let client = emulation.dynamodb("unrestricted");
    emulation.emulators.chaos().enable(5);

    let transact = async |keys: [&str; 2]| {
        let put = |key: &str| {
            Put::builder()
                .table_name("records")
                .item("pk", text(key))
                .item("sk", text("-"))
        };
        let members = keys.map(|key| {
            TransactWriteItem::builder()
                .put(put(key).build().unwrap())
                .build()
        });
        let sent = client
            .transact_write_items()
            .set_transact_items(Some(members.to_vec()))
            .send()
            .await;
        match sent.map_err(SdkError::into_service_error) {
            Err(TransactWriteItemsError::TransactionCanceledException(canceled)) => canceled
                .cancellation_reasons()
                .iter()
                .map(|reason| reason.code().unwrap().to_owned())
                .collect(),
            _ => Vec::new(),
        }
    };

    // Chaos only injects a conflict of the first item. A conflict of the second is an overlap.
    let mut together = 0;
    let mut apart = 0;

    for round in 0..20 {
        let first = format!("{round} a");
        let second = format!("{round} b");
        for reasons in join_all([transact([&first, "shared"]), transact([&second, "shared"])]).await
        {
            together += usize::from(reasons == ["None", "TransactionConflict"]);
        }
        for reasons in join_all([transact([&first, "one"]), transact([&second, "two"])]).await {
            apart += usize::from(reasons == ["None", "TransactionConflict"]);
        }
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
        let delete = Delete::builder()
            .set_objects(Some(objects.to_vec()))
            .build()
            .unwrap();
        let Ok(deleted) = client
            .delete_objects()
            .bucket("media")
            .delete(delete)
            .send()
            .await
        else {
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
        sent.extend(
            batch
                .successful()
                .iter()
                .map(|entry| format!("{round} {}", entry.id())),
        );
        failed.extend(
            batch
                .failed()
                .iter()
                .map(|entry| format!("{round} {}", entry.id())),
        );
        assert!(batch.failed().iter().all(|entry| !entry.sender_fault()));
    }

    emulation.emulators.chaos().disable();

    let mut received = BTreeSet::new();
    loop {
        let messages = client
            .receive_message()
            .queue_url(&url)
            .max_number_of_messages(10)
            .send()
            .await
            .unwrap();
        if messages.messages().is_empty() {
            break;
        }
        received.extend(
            messages
                .messages()
                .iter()
                .filter_map(|message| message.body.clone()),
        );
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
        client
            .send_message()
            .queue_url(&url)
            .message_body(number.to_string())
            .send()
            .await
            .unwrap();
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
    for _ in 0..20 {
        // Retries until the call succeeds.
        while client
            .send_message()
            .queue_url(&url)
            .message_body("x")
            .send()
            .await
            .is_err()
        {}
        loop {
            let Ok(received) = client.receive_message().queue_url(&url).send().await else {
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
    assert_eq!(
        client
            .receive_message()
            .queue_url(&url)
            .send()
            .await
            .unwrap()
            .messages()
            .len(),
        0
    );
}
