//! The data directory outlives the process, and is not tampered with.

use std::{fs, path::Path};

use template::Stack;

use crate::support::{Cloud, TestClock, bucket, exists, put, queue, records, start};

fn stack() -> Stack {
    Stack {
        queues: vec![queue("jobs")],
        buckets: vec![bucket()],
        ..records()
    }
}

#[tokio::test]
async fn what_was_acknowledged_survives_a_killed_process() {
    let cloud = Cloud::with(&stack()).await;
    assert!(put(&cloud.dynamodb("operator"), "kept").await);
    let message = cloud
        .sqs("operator")
        .send_message()
        .queue_url(cloud.queue_url("jobs"))
        .message_body("kept");
    message.send().await.unwrap();
    let object = cloud
        .s3("operator")
        .put_object()
        .bucket("media")
        .key("kept")
        .body(b"kept".to_vec().into());
    object.send().await.unwrap();
    // A copy taken while they run is what a killed process leaves behind.
    let left_behind = tempfile::tempdir().unwrap();
    copy(cloud.directory.path(), left_behind.path());
    let revived = Cloud::start_in(left_behind).await;
    revived.emulators.provision(&stack()).await.unwrap();
    assert!(exists(&revived.dynamodb("operator"), "kept").await);
    let received = revived
        .sqs("operator")
        .receive_message()
        .queue_url(revived.queue_url("jobs"))
        .send()
        .await
        .unwrap();
    assert_eq!(received.messages()[0].body(), Some("kept"));
    let object = revived
        .s3("operator")
        .get_object()
        .bucket("media")
        .key("kept")
        .send()
        .await
        .unwrap();
    assert_eq!(object.body.collect().await.unwrap().to_vec(), b"kept");
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir(&target).unwrap();
            copy(&entry.path(), &target);
        } else if !entry.file_name().to_string_lossy().ends_with("-shm") {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[tokio::test]
async fn a_directory_in_use_cannot_be_opened_again() {
    let cloud = Cloud::start().await;
    let refused = start(cloud.directory.path(), &TestClock::new())
        .await
        .err()
        .unwrap()
        .to_string();
    assert!(
        refused.contains(&*cloud.directory.path().to_string_lossy()),
        "{refused}"
    );
    assert!(refused.contains("in use"), "{refused}");
    cloud.restart().await;
}

#[tokio::test]
async fn a_damaged_or_missing_database_is_named_and_left_alone() {
    for file in ["dynamodb.sqlite", "sqs.sqlite", "s3/objects.sqlite"] {
        let cloud = Cloud::with(&stack()).await;
        let path = cloud.directory.path().join(file);
        cloud.emulators.stop().await;
        let whole = fs::read(&path).unwrap();
        // Cut off, overwritten, emptied, gone.
        let mut overwritten = whole.clone();
        overwritten[4096..8192].fill(0xAA);
        for damage in [
            Some(&whole[..whole.len() / 2]),
            Some(b"no database at all"),
            Some(&overwritten),
            Some(b""),
            None,
        ] {
            match damage {
                Some(bytes) => fs::write(&path, bytes).unwrap(),
                None => fs::remove_file(&path).unwrap(),
            }
            let refused = start(cloud.directory.path(), &TestClock::new())
                .await
                .err()
                .unwrap()
                .to_string();
            assert!(
                refused.contains(file) && refused.contains("is damaged"),
                "{refused}"
            );
            assert_eq!(fs::read(&path).ok().as_deref(), damage);
        }
        fs::write(&path, whole).unwrap();
        start(cloud.directory.path(), &TestClock::new())
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn lost_secrets_are_not_made_anew() {
    let cloud = Cloud::with(&stack()).await;
    let path = cloud.directory.path().join("secrets.json");
    cloud.emulators.stop().await;
    for damage in [Some(&br#"[{"value":"sesame""#[..]), Some(b""), None] {
        match damage {
            Some(bytes) => fs::write(&path, bytes).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let refused = start(cloud.directory.path(), &TestClock::new())
            .await
            .err()
            .unwrap()
            .to_string();
        assert!(
            refused.contains("secrets.json") && refused.contains("is damaged"),
            "{refused}"
        );
        assert!(!refused.contains("sesame"), "{refused}");
        assert_eq!(fs::read(&path).ok().as_deref(), damage);
    }
}

#[tokio::test]
async fn a_directory_of_another_format_is_not_touched() {
    let cloud = Cloud::start().await;
    cloud.emulators.stop().await;
    fs::write(cloud.directory.path().join("format"), "0").unwrap();
    let refused = start(cloud.directory.path(), &TestClock::new())
        .await
        .err()
        .unwrap()
        .to_string();
    assert!(refused.contains(r#"has format "0""#), "{refused}");
}
