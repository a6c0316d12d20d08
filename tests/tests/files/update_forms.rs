//! Updates of files that send the full record, or the id in the body.

use serde_json::{Value, json};
use tests::{Client, PHOTO, Stack, TestSpace, UNKNOWN_ID, file_path, seconds, stack_test};

use super::update::with;
use crate::uploads::presign::PendingFile;

/// Asserts that an update with the full record changes nothing, and one with a changed field that
/// field alone.
async fn assert_full_updates(client: &Client, record: &Value) {
    let path = file_path(record);
    let same_time = json!({"updated_at": record["updated_at"]});

    for path in [&path, "/files"] {
        let same = client.put_ok(path, record).await;
        assert_eq!(with(&same, &same_time), *record);
    }

    let rename = json!({"original_name": "b.jpg"});
    let current = client.get_ok(&path).await;
    let renamed = client.put_ok(&path, with(&current, &rename)).await;
    assert_eq!(with(&renamed, &same_time), with(record, &rename));

    let former_name = json!({"original_name": record["original_name"]});
    client.put_ok(&path, former_name).await;
}

#[stack_test]
async fn update_accepts_full_record(stack: &Stack, acme: &TestSpace) {
    let user = acme.role("user").await;
    let photos = acme.folder("Photos").await;
    let inside = acme.upload(PHOTO).into(&photos).by(&user).await;
    assert_eq!(inside["folder_path"], "Photos/");
    let private = acme.upload(PHOTO).await;
    let fields = json!({"type": "private", "ref": "x", "tags": ["a", "b"]});
    let private = acme.put_ok(private.path(), fields).await;
    let pending_file = PendingFile::create(acme, json!({"folder_id": photos.id})).await;
    let pending = acme.get_ok(&pending_file.address()).await;

    for (client, record) in [
        (&user, &inside.record),
        (&acme.client, &inside.record),
        (&acme.client, &private),
        (&acme.client, &pending),
    ] {
        stack.clock.advance(seconds(1));
        assert_full_updates(client, record).await;
    }

    let close = with(&inside, &json!({"type": "private"}));
    let protected = acme.put_ok(inside.path(), close).await;
    assert_eq!(protected["type"], "private");
    assert_eq!(protected["access_control"]["source"], "direct");

    let folders = acme.get_ok("/folders").await;
    assert_eq!(folders.as_array().map(Vec::len), Some(1), "none is created");
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn update_accepts_id_in_body(acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;

    for (id, reference) in [
        (file.id.clone(), "one"),
        (file.id.to_lowercase(), "two"),
        (format!(" {} ", file.id), "three"),
    ] {
        let body = json!({"id": id, "ref": reference});
        let updated = acme.put_ok("/files", body).await;

        assert_eq!(updated["id"], *file.id);
        assert_eq!(updated["ref"], reference);
        assert_eq!(acme.get_ok(file.path()).await, updated);
    }
}

#[stack_test]
async fn update_without_valid_id_returns_422_and_changes_nothing(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let file = acme.upload(PHOTO).await;
    let before = stack.dump().await;
    let required = json!({"id": ["The id field is required."]});

    for without_id in [
        json!({"ref": "x"}),
        json!({"id": null, "ref": "x"}),
        json!({"id": " "}),
    ] {
        assert_eq!(acme.put_err(422, "/files", without_id).await, required);
    }

    let numbers = json!({"id": 5, "ref": 5});
    let numbers = acme.put_err(422, "/files", numbers).await;
    let message = |field: &str| json!([format!("The {field} field must be a string.")]);
    assert_eq!(numbers, json!({"id": message("id"), "ref": message("ref")}));

    for (client, id) in [
        (&acme.client, UNKNOWN_ID),
        (&acme.client, "x"),
        (&acme.client, &acme.id),
        (&other.client, &file.id),
    ] {
        let body = json!({"id": id, "ref": "x"});
        assert_eq!(client.put_err(404, "/files", body).await, json!({}), "{id}");
    }
    stack.assert_unchanged(&before, "updates of nothing").await;
}
