//! Batches of files, with a crash at each of their calls: a repetition completes them.

use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, share_of, stack_test};

use crate::{
    files::batch::batch,
    spaces::delete::stored_data,
    support::{
        kills::{Kill, count},
        seeded::{Place, invariants::assert_file_records},
    },
};

/// Every how many points the default run kills the function.
const SHARE: usize = 3;
/// Number of files of a batch.
const FILES: usize = 3;

/// Uploads files, and returns their ids.
async fn upload(acme: &TestSpace) -> Vec<String> {
    let mut ids = Vec::new();
    for _ in 0..FILES {
        ids.push(acme.upload(PHOTO).await.id);
    }
    ids
}

#[stack_test]
async fn batch_killed_at_any_call_is_completed_by_its_repetition(stack: &Stack, acme: &TestSpace) {
    let folder = acme.folder("Photos").await;
    let deletion = |ids: &[String]| json!({"ids": ids, "operation": "delete"});
    let update = |ids: &[String]| json!({"ids": ids, "operation": "update", "folder_id": folder.id, "add_tags": ["a"]});
    let faults = stack.local.faults();

    for operation in [&deletion as &dyn Fn(&[String]) -> Value, &update] {
        let before = stored_data(stack).await;
        let body = operation(&upload(acme).await);
        let calls = stack.calls_of(batch(acme, body.clone())).await.calls;
        let calls = count(&calls, "files");
        assert!(calls > 3 * 3, "{calls}");
        assert_eq!(
            acme.post("/files/batch", deletion_of(&body)).await.status,
            200
        );

        for kill in share_of(Kill::at_each("files", calls), SHARE) {
            let body = operation(&upload(acme).await);
            kill.plan(stack);
            acme.post("/files/batch", &body).await;
            assert!(faults.broken_calls() > 0, "{kill:?} does not happen");
            faults.reconnect();

            let repeated = batch(acme, body.clone()).await;
            assert!(
                repeated.iter().all(|status| [0, 404].contains(status)),
                "{kill:?}: {repeated:?}"
            );
            assert_file_records(&stack.dump().await, Place { seed: 0, step: 0 });
            for status in batch(acme, deletion_of(&body)).await {
                assert_eq!(status == 404, body["operation"] == "delete", "{kill:?}");
            }
        }
        stack.run_purges().await;
        stored_data(stack)
            .await
            .assert_unchanged(&before, "batches");
    }
}

/// Returns the batch that deletes the files of another one.
fn deletion_of(batch: &Value) -> Value {
    json!({"ids": batch["ids"], "operation": "delete"})
}
