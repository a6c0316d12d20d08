//! Persistence and integrity of the data directory.

use std::{fs, path::Path};

use crate::{
    queues::bodies,
    support::{Emulation, TestClock, start, template},
};

/// Copies the files of running emulators, which are those that a killed process leaves behind.
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
async fn received_messages_are_visible_after_a_restart_unless_they_were_hidden() {
    for is_killed in [false, true] {
        let emulation = Emulation::start().await;
        emulation.send("hidden", 0).await;
        let received = emulation.receive("jobs", 0).await;
        let receipt = received[0].receipt_handle().unwrap();
        emulation.hide(receipt, 900).await.unwrap();
        emulation.send("received", 0).await;
        assert_eq!(emulation.receive("jobs", 0).await.len(), 1);

        let restarted = if is_killed {
            let left_behind = tempfile::tempdir().unwrap();
            copy(emulation.directory.path(), left_behind.path());
            Emulation::start_in(left_behind, template()).await
        } else {
            emulation.restart().await
        };

        assert_eq!(bodies(&restarted.receive("jobs", 0).await), ["received"]);
        restarted.clock.advance(901);
        let again = restarted.receive("jobs", 0).await;
        assert!(bodies(&again).contains(&"hidden"));
    }
}

/// Damages a file in each way, `None` by removing it. Asserts that the start fails, names the file
/// but nothing of its content, and leaves it unchanged.
async fn assert_damage_is_rejected(root: &Path, file: &str, damages: &[Option<&[u8]>]) {
    let path = root.join(file);
    for damage in damages {
        match damage {
            Some(bytes) => fs::write(&path, bytes).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }

        let started = start(root, &TestClock::new()).await;

        let error = started.err().unwrap().to_string();
        let is_named = error.contains(file) && error.contains("is damaged");
        assert!(is_named && !error.contains("sesame"), "{error}");
        assert_eq!(fs::read(&path).ok().as_deref(), *damage);
    }
}

#[tokio::test]
async fn damaged_file_is_rejected_and_left_unchanged() {
    let emulation = Emulation::start().await;
    let root = emulation.directory.path();
    emulation.emulators.stop().await;

    for file in ["dynamodb.sqlite", "sqs.sqlite", "s3/objects.sqlite"] {
        let whole = fs::read(root.join(file)).unwrap();
        let truncated = &whole[..whole.len() / 2];
        let mut overwritten = whole.clone();
        overwritten[4096..8192].fill(0xAA);
        let damages = [
            Some(truncated),
            Some(b"no database at all"),
            Some(&overwritten),
            Some(b""),
            None,
        ];

        assert_damage_is_rejected(root, file, &damages).await;

        fs::write(root.join(file), whole).unwrap();
        start(root, &TestClock::new()).await.unwrap().stop().await;
    }

    let unfinished = br#"[{"value":"sesame""#;
    let damages = [Some(&unfinished[..]), Some(b""), None];
    assert_damage_is_rejected(root, "secrets.json", &damages).await;
}

#[tokio::test]
async fn table_with_different_key_is_rejected() {
    let emulation = Emulation::start().await;
    let mut other = template();
    other.tables[0].key.sort = None;

    let error = emulation.emulators.provision(&other).await.unwrap_err();

    let message = error.to_string();
    let expected =
        "the key of table records differs from the one on disk: start with a fresh data directory";
    assert_eq!(message, expected);
}
