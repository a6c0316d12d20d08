//! Persistence and integrity of the data directory.

use std::{fs, path::Path};

use sam_template::ResolvedTemplate;

use crate::{
    queues::bodies,
    support::{
        Emulation, TestClock, bucket, exists, get_object, put, put_object, queue, records, start,
    },
};

fn stack() -> ResolvedTemplate {
    ResolvedTemplate {
        queues: vec![queue("jobs")],
        buckets: vec![bucket()],
        ..records()
    }
}

async fn start_error(directory: &Path) -> String {
    let started = start(directory, &TestClock::new()).await;
    started.err().unwrap().to_string()
}

#[tokio::test]
async fn acknowledged_writes_survive_a_killed_process() {
    let emulation = Emulation::with(&stack()).await;
    assert!(put(&emulation.dynamodb("unrestricted"), "kept").await);

    emulation.send("kept", 0).await;
    let client = emulation.s3("unrestricted");
    put_object(&client, "kept", "bytes").await.unwrap();
    assert_eq!(emulation.receive("jobs", 0).await.len(), 1);

    // A copy of the files of running emulators is equivalent to those of a killed process.
    let left_behind = tempfile::tempdir().unwrap();
    copy(emulation.directory.path(), left_behind.path());

    let revived = Emulation::start_in(left_behind).await;
    revived.emulators.provision(&stack()).await.unwrap();
    assert!(exists(&revived.dynamodb("unrestricted"), "kept").await);

    // The process had received the message, which is visible at once.
    assert_eq!(bodies(&revived.receive("jobs", 0).await), ["kept"]);
    let object = get_object(&revived.s3("unrestricted"), "kept").await;
    assert_eq!(object.unwrap(), b"bytes");
}

#[tokio::test]
async fn restart_keeps_changed_visibility() {
    let emulation = Emulation::with(&stack()).await;
    emulation.send("hidden", 0).await;
    let received = emulation.receive("jobs", 0).await;
    let receipt = received[0].receipt_handle().unwrap();
    emulation.hide(receipt, 900).await.unwrap();
    emulation.send("received", 0).await;
    emulation.receive("jobs", 0).await;

    let emulation = emulation.restart().await;
    emulation.emulators.provision(&stack()).await.unwrap();
    assert_eq!(bodies(&emulation.receive("jobs", 0).await), ["received"]);
    emulation.clock.advance(901);
    let again = emulation.receive("jobs", 0).await;
    assert!(bodies(&again).contains(&"hidden"));
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
async fn directory_in_use_is_rejected() {
    let emulation = Emulation::start().await;
    let error = start_error(emulation.directory.path()).await;
    assert!(
        error.contains(&*emulation.directory.path().to_string_lossy()),
        "{error}"
    );
    assert!(error.contains("in use"), "{error}");
    emulation.restart().await;
}

#[tokio::test]
async fn damaged_database_is_rejected_and_left_unchanged() {
    for file in ["dynamodb.sqlite", "sqs.sqlite", "s3/objects.sqlite"] {
        let emulation = Emulation::with(&stack()).await;
        let path = emulation.directory.path().join(file);
        emulation.emulators.stop().await;

        let whole = fs::read(&path).unwrap();
        let mut overwritten = whole.clone();
        overwritten[4096..8192].fill(0xAA);

        // Truncated, not a database, overwritten, empty, missing.
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

            let error = start_error(emulation.directory.path()).await;
            assert!(
                error.contains(file) && error.contains("is damaged"),
                "{error}"
            );
            assert_eq!(fs::read(&path).ok().as_deref(), damage);
        }

        fs::write(&path, whole).unwrap();
        start(emulation.directory.path(), &TestClock::new())
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn damaged_secrets_file_is_rejected_and_left_unchanged() {
    let emulation = Emulation::with(&stack()).await;
    let path = emulation.directory.path().join("secrets.json");
    emulation.emulators.stop().await;

    for damage in [Some(&br#"[{"value":"sesame""#[..]), Some(b""), None] {
        match damage {
            Some(bytes) => fs::write(&path, bytes).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }

        let error = start_error(emulation.directory.path()).await;
        assert!(
            error.contains("secrets.json") && error.contains("is damaged"),
            "{error}"
        );
        assert!(!error.contains("sesame"), "{error}");
        assert_eq!(fs::read(&path).ok().as_deref(), damage);
    }
}

#[tokio::test]
async fn directory_with_other_format_is_rejected() {
    let emulation = Emulation::start().await;
    emulation.emulators.stop().await;
    fs::write(emulation.directory.path().join("format"), "0").unwrap();
    let error = start_error(emulation.directory.path()).await;
    assert!(error.contains("has format 0"), "{error}");
}
