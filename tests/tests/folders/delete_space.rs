//! Deletion of spaces that contain folders.

use serde_json::json;
use tests::{Stack, TestSpace, folder_path, seconds, stack_test};

use crate::{
    spaces::delete::{stored_data, with_retired},
    uploads::presign::PendingFile,
};

use super::delete::{assert_deleted, file_address, upload_to};

#[stack_test]
async fn delete_space_with_folder_returns_409(stack: &Stack, acme: &TestSpace) {
    let space = format!("/spaces?id={}", acme.id);
    let outer = acme.folder("Outer").await;
    let inner = acme.folder("Inner").inside(&outer).await;

    for folder in [&inner, &outer] {
        for force in ["", "&force=false"] {
            let response = acme.delete(&format!("{space}{force}")).await;
            assert_eq!(
                response.expect_error(409),
                json!({"id": ["The id field must be the id of an empty space."]})
            );
        }
        // The space remains usable.
        acme.delete_ok(&folder_path(
            &acme.folder("More").inside(&outer).await.record,
        ))
        .await;
        assert_deleted(acme, folder).await;
    }

    acme.delete_ok(&space).await;
    stack.run_purges().await;
}

#[stack_test]
async fn forced_space_deletion_purges_folders(stack: &Stack) {
    let before = stored_data(stack).await;
    let acme = stack.space("Acme").await;
    let client = &acme.client;
    let outer = acme.folder("Outer").await;
    let mut inner = acme.folder("Inner").inside(&outer).await;
    for number in 0..40 {
        stack.clock.advance(seconds(1));
        let folder = acme.folder(&number.to_string()).inside(&outer).await;
        if number % 4 == 0 {
            client
                .put_ok(&folder_path(&folder), json!({"parent_id": inner["id"]}))
                .await;
        }
        if number % 10 == 0 {
            inner = folder;
        }
    }
    let protected = json!({"access_control": {"requires_auth": true}});
    let file = upload_to(&acme, &inner).await;
    client
        .put_ok(
            &format!("{}/access-control", folder_path(&inner)),
            protected.clone(),
        )
        .await;
    client
        .put_ok(
            &format!("{}/security", folder_path(&outer)),
            json!({"security": {}}),
        )
        .await;
    client
        .put_ok(
            &format!("{}/access-control", file_address(&file["id"])),
            protected,
        )
        .await;
    PendingFile::create(
        &acme,
        json!({"folder_id": inner["id"], "folder_path": "a/b"}),
    )
    .await;

    client
        .delete(&format!("/spaces?id={}&force=true", acme.id))
        .await
        .expect_status(202);
    for (client, status) in [(client, 401), (&stack.account(), 404)] {
        client.get(&folder_path(&outer)).await.expect_error(status);
        client
            .get(&format!("/folders?space_id={}", acme.id))
            .await
            .expect_error(status);
    }
    stack.run_purges().await;
    stack.run_confirm_checks().await;
    stored_data(stack)
        .await
        .assert_unchanged(&with_retired(before, &acme.handle), "a space with folders");
}
