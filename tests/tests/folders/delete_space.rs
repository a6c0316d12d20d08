//! Deletion of spaces that contain folders.

use serde_json::json;
use tests::{PHOTO, Stack, TestSpace, seconds, stack_test};

use super::delete::assert_deleted;
use crate::{
    spaces::delete::{stored_data, with_retired},
    uploads::presign::PendingFile,
};

#[stack_test]
async fn delete_space_with_folder_returns_409(stack: &Stack, acme: &TestSpace) {
    let space = format!("/spaces?id={}", acme.id);
    let outer = acme.folder("Outer").await;
    let inner = acme.folder("Inner").inside(&outer).await;
    let not_empty = json!({"id": ["The id field must be the id of an empty space."]});

    for folder in [&inner, &outer] {
        for force in ["", "&force=false"] {
            let errors = acme.delete_err(409, &format!("{space}{force}")).await;
            assert_eq!(errors, not_empty);
        }
        // The space remains usable.
        let more = acme.folder("More").inside(&outer).await;
        acme.delete_ok(more.path()).await;
        assert_deleted(acme, folder).await;
    }

    acme.delete_ok(&space).await;
    stack.run_purges().await;
}

#[stack_test]
async fn forced_space_deletion_purges_folders(stack: &Stack) {
    let before = stored_data(stack).await;
    let acme = stack.space("Acme").await;
    let outer = acme.folder("Outer").await;
    let mut inner = acme.folder("Inner").inside(&outer).await;
    for number in 0..40 {
        stack.clock.advance(seconds(1));
        let folder = acme.folder(&number.to_string()).inside(&outer).await;
        if number % 4 == 0 {
            let body = json!({"parent_id": inner.id});
            acme.put_ok(folder.path(), body).await;
        }
        if number % 10 == 0 {
            inner = folder;
        }
    }
    let file = acme.upload(PHOTO).into(&inner).await;
    acme.set_access(inner.path(), Some(true)).await;
    acme.set_access(file.path(), Some(true)).await;
    acme.set_security(outer.path(), json!({})).await;
    let pending = json!({"folder_id": inner.id, "folder_path": "a/b"});
    PendingFile::create(&acme, pending).await;

    let path = format!("/spaces?id={}&force=true", acme.id);
    acme.delete(&path).await.expect_status(202);

    for (client, status) in [(&acme.client, 401), (&stack.account(), 404)] {
        client.get_err(status, outer.path()).await;
        let list = format!("/folders?space_id={}", acme.id);
        client.get_err(status, &list).await;
    }
    stack.run_purges().await;
    stack.run_confirm_checks().await;
    let after = stored_data(stack).await;
    after.assert_unchanged(&with_retired(before, &acme.handle), "a space with folders");
}
