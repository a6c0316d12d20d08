//! Seeded random faults.

use std::collections::{BTreeSet, HashMap};

use futures::future::join_all;

use crate::{
    queues::bodies,
    support::{Emulation, transact, transactional_put},
};

#[tokio::test]
async fn only_overlapping_transactions_conflict() {
    let emulation = Emulation::start().await;
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
    let emulation = Emulation::start().await;
    let keys = |round: u32| ["a", "b", "c"].map(|name| format!("{round}/{name}"));
    for key in (0..30).flat_map(keys) {
        emulation.put_object(&key, "x").await.unwrap();
    }
    emulation.emulators.chaos().enable(1);

    let mut gone = Vec::new();
    let mut left = Vec::new();
    for round in 0..30 {
        let Ok(output) = emulation.delete_objects(&keys(round)).await else {
            continue;
        };
        assert_eq!(output.deleted().len() + output.errors().len(), 3);
        let deleted = output.deleted.into_iter().flatten();
        gone.extend(deleted.filter_map(|object| object.key));
        let errors = output.errors.into_iter().flatten();
        left.extend(errors.filter_map(|error| error.key));
    }

    emulation.emulators.chaos().disable();
    assert!(!left.is_empty());
    for key in left {
        assert_eq!(emulation.get_object(&key).await.unwrap(), b"x");
    }
    for key in gone {
        let object = emulation.get_object(&key).await;
        assert_eq!(object, Err("NoSuchKey".to_owned()));
    }
}

#[tokio::test]
async fn failed_batch_entries_are_not_sent() {
    let emulation = Emulation::start().await;
    emulation.emulators.chaos().enable(1);

    let mut sent = BTreeSet::new();
    let mut failed = BTreeSet::new();
    for round in 0..30 {
        // The id of an entry is its body too.
        let names = [0, 1, 2].map(|index| format!("{round}-{index}"));
        let entries = names.each_ref().map(|name| (name.as_str(), name.as_str()));
        let Ok(output) = emulation.send_batch(&entries).await else {
            continue;
        };
        sent.extend(output.successful.into_iter().map(|entry| entry.id));
        assert!(output.failed.iter().all(|entry| !entry.sender_fault));
        failed.extend(output.failed.into_iter().map(|entry| entry.id));
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
    let emulation = Emulation::start().await;
    for number in 0..30 {
        emulation.send(&number.to_string(), 0).await;
    }
    emulation.emulators.chaos().enable(1);

    let receive = emulation.sqs("unrestricted").receive_message();
    let receive = receive.queue_url(emulation.queue_url("jobs"));
    let receive = receive.max_number_of_messages(2);
    let mut received: Vec<u32> = Vec::new();
    let mut ids = HashMap::new();
    while ids.len() < 30 {
        let Ok(output) = receive.clone().send().await else {
            continue;
        };
        for message in output.messages() {
            let number = message.body().unwrap().parse().unwrap();
            received.push(number);
            let id = message.message_id().unwrap().to_owned();
            let first = ids.entry(number).or_insert_with(|| id.clone());
            assert_eq!(*first, id, "a duplicate has the ID of the first delivery");
        }
    }

    assert!(received.len() > 30, "some are duplicates");
    received.dedup();
    assert!(!received.is_sorted(), "{received:?}");
}

#[tokio::test]
async fn duplicate_message_can_be_deleted_before_its_second_delivery() {
    let emulation = Emulation::start().await;
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
            let delete = client.delete_message().queue_url(&url);
            let delete = delete.receipt_handle(message.receipt_handle().unwrap());
            while delete.clone().send().await.is_err() {}
        }
    }

    emulation.emulators.chaos().disable();
    assert!(emulation.receive("jobs", 0).await.is_empty());
}
