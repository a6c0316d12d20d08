//! Updates of files that send the full record, or the id in the body.

use serde_json::{Value, json};
use tests::{Client, PHOTO, Stack, TestSpace, UNKNOWN_ID, file_path, form, seconds, stack_test};

use crate::uploads::presign::PendingFile;

use super::update::with;

/// Asserts that an update with the full record changes nothing, and one with a changed field that
/// field alone.
async fn assert_full_updates(client: &Client, record: &Value) {
    let path = file_path(record);
    let same_time = json!({"updated_at": record["updated_at"]});

    let same = client.put_ok(&path, record.clone()).await;
    assert_eq!(with(&same, &same_time), *record);
    let repeated = client.put_ok("/files", same.clone()).await;
    assert_eq!(with(&repeated, &same_time), *record);

    let rename = with(&same, &json!({"original_name": "b.jpg"}));
    let renamed = client.put_ok(&path, rename).await;
    let changed = json!({"original_name": "b.jpg", "updated_at": renamed["updated_at"]});
    assert_eq!(renamed, with(record, &changed));

    let former_name = json!({"original_name": record["original_name"]});
    client.put_ok(&path, former_name).await;
}

#[stack_test]
async fn update_accepts_full_record(stack: &Stack, acme: &TestSpace) {
    let user = acme.role("user").await;
    let photos = acme.folder("Photos").await.id;
    let inside = form(&acme.handle, "a.jpg", "image/jpeg", PHOTO).text("folder_id", photos.clone());
    let inside = user.upload_form(inside).await.expect_created();
    assert_eq!(inside["folder_path"], "Photos/");

    let private = json!({"type": "private", "ref": "x", "tags": ["a", "b"]});
    let private_path = acme.upload(PHOTO).await.path().to_owned();
    let private = acme.put_ok(&private_path, private).await;
    let pending_file = PendingFile::create(acme, json!({"folder_id": photos})).await;
    let pending = acme.get_ok(&pending_file.address()).await;

    for (client, record) in [
        (&user, &inside),
        (&acme.client, &inside),
        (&acme.client, &private),
        (&acme.client, &pending),
    ] {
        stack.clock.advance(seconds(1));
        assert_full_updates(client, record).await;
    }

    let close = with(&inside, &json!({"type": "private"}));
    let protected = acme.put_ok(&file_path(&inside), close).await;
    assert_eq!(protected["type"], "private");
    assert_eq!(protected["access_control"]["source"], "direct");

    let folders = acme.get_ok("/folders").await;
    assert_eq!(
        folders.as_array().map(Vec::len),
        Some(1),
        "no folder is created: {folders}"
    );
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn update_accepts_id_in_body(acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    let id = &file.id;

    for (id, reference) in [
        (id.clone(), "one"),
        (id.to_lowercase(), "two"),
        (format!(" {id} "), "three"),
    ] {
        let body = json!({"id": id, "ref": reference});
        let updated = acme.put_ok("/files", body).await;

        assert_eq!(updated["id"], file["id"]);
        assert_eq!(updated["ref"], reference);
        assert_eq!(acme.get_ok(&file_path(&file)).await, updated);
    }
}

#[stack_test]
async fn update_without_valid_id_returns_422_and_changes_nothing(stack: &Stack, acme: &TestSpace) {
    acme.upload(PHOTO).await;
    let before = stack.dump().await;

    for without_id in [
        json!({"ref": "x"}),
        json!({"id": null, "ref": "x"}),
        json!({"id": " "}),
    ] {
        assert_eq!(
            acme.put_err(422, "/files", without_id).await,
            json!({"id": ["The id field is required."]})
        );
    }

    let numbers = json!({"id": 5, "ref": 5});
    let message = |field: &str| json!([format!("The {field} field must be a string.")]);
    assert_eq!(
        acme.put_err(422, "/files", numbers).await,
        json!({"id": message("id"), "ref": message("ref")})
    );
    stack
        .dump()
        .await
        .assert_unchanged(&before, "updates without an id");
}

#[stack_test]
async fn update_of_unknown_or_foreign_file_returns_404_and_changes_nothing(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let file = acme.upload(PHOTO).await;
    let before = stack.dump().await;

    for (client, id) in [
        (&acme.client, UNKNOWN_ID),
        (&acme.client, "x"),
        (&acme.client, &acme.id),
        (&other.client, &file.id),
    ] {
        let by_body = json!({"id": id, "ref": "x"});
        let response = client.put("/files", by_body).await;
        assert_eq!(response.expect_error(404), json!({}), "{id}");
    }
    for (client, id) in [
        (&acme.client, UNKNOWN_ID),
        (&acme.client, "x"),
        (&acme.client, "%20"),
        (&other.client, &file.id),
    ] {
        let path = format!("/files/{id}");
        let response = client.put(&path, json!({"ref": "x"})).await;
        assert_eq!(response.expect_error(404), json!({}), "{id}");
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "updates of nothing");
}
