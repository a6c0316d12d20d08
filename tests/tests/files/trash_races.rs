//! Restorations from the trash that race each other, a final deletion and the deletion of a folder.

use futures::future::join_all;
use serde_json::json;
use tests::{PHOTO, Stack, StackOptions, TestSpace, stack_test};

use super::trash::{assert_usage, keep_for_days};

#[stack_test(options = StackOptions::without_rate_limits())]
async fn one_of_concurrent_restorations_succeeds(stack: &Stack, acme: &TestSpace) {
    keep_for_days(acme, 1).await;
    for _ in 0..10 {
        let file = acme.upload(PHOTO).await;
        acme.delete_ok(file.path()).await;
        let path = format!("{}/restore", file.path());
        let restorations = (0..4).map(|_| acme.post(&path, json!({})));
        let restored = join_all(restorations).await.into_iter();
        let statuses: Vec<u16> = restored.map(|response| response.status).collect();
        let count = |wanted: u16| statuses.iter().filter(|status| **status == wanted).count();
        assert_eq!([count(200), count(409)], [1, 3], "{statuses:?}");

        // A restoration and a final deletion: the file is there, or it is not.
        acme.delete_ok(file.path()).await;
        let permanent = format!("{}?permanent=true", file.path());
        let (restored, deleted) =
            tokio::join!(acme.post(&path, json!({})), acme.delete(&permanent));
        let outcome = [restored.status, deleted.status];
        let is_deleted = acme.get(file.path()).await.status == 404;
        assert!(
            matches!(
                (outcome, is_deleted),
                ([200 | 404 | 409, 204], true) | ([200, 503], false)
            ),
            "{outcome:?}"
        );
        if !is_deleted {
            acme.delete_ok(&permanent).await;
        }
    }
    stack.run_purges().await;
    assert_usage(stack, acme, 0, 0).await;
    assert!(stack.dump().await.objects.is_empty());
}

#[stack_test]
async fn restoration_races_the_deletion_of_its_folder(stack: &Stack, acme: &TestSpace) {
    keep_for_days(acme, 1).await;
    for _ in 0..10 {
        let folder = acme.folder("Photos").await;
        let file = acme.upload(PHOTO).into(&folder).await;
        acme.delete_ok(file.path()).await;
        let path = format!("{}/restore", file.path());
        let (restored, deleted) =
            tokio::join!(acme.post(&path, json!({})), acme.delete(folder.path()));

        let is_gone = deleted.expect_status_of(&[204, 409, 503]).status == 204;
        if restored.expect_status_of(&[200, 503]).status == 200 {
            let folder_id = acme.get_ok(file.path()).await["folder_id"].take();
            assert_eq!(folder_id.is_null(), is_gone, "{folder_id}");
            stack.anonymous.fetch(file.url()).await.expect_body(PHOTO);
        }
        acme.delete_ok(&format!("{}?permanent=true", file.path()))
            .await;
        if !is_gone {
            acme.delete_ok(folder.path()).await;
        }
    }
    stack.run_purges().await;
}
