//! `DELETE /files/:id` and `DELETE /files`: the file is inaccessible at once, and all its data is
//! deleted in time.

use futures::future::join_all;
use serde_json::{Value, json};
use tests::{Client, Dump, PHOTO, Response, Stack, TestSpace, file_path, form, stack_test, text};

use crate::{spaces::delete::stored_data, support::pages::list_ids, uploads::presign::PendingFile};

/// Concurrent deletions.
const CALLERS: usize = 6;

/// Sends `DELETE /files` with a JSON body.
pub(super) async fn delete_by_body(client: &Client, body: Value) -> Response {
    client
        .send(client.request("DELETE", "/files").json(&body))
        .await
}

/// Asserts that no item or object refers to a file.
#[track_caller]
fn assert_forgotten(dump: &Dump, id: &str) {
    for (key, item) in &dump.items {
        let entry = format!("{key:?} {item}");
        assert!(!entry.contains(id), "{entry}");
    }
    for key in dump.objects.keys() {
        assert!(!key.contains(id), "{key}");
    }
}

/// Asserts that no endpoint returns a file.
async fn assert_gone(stack: &Stack, acme: &TestSpace, file: &Value) {
    assert_not_listed(acme, file).await;
    for client in [&acme.client, &stack.account()] {
        assert_unknown(client, file).await;
    }

    let id = text(&file["id"]);
    acme.client
        .get("/files/by-ref?ref=order")
        .await
        .expect_error(404);
    let urls = acme
        .client
        .post("/files/urls", json!({"file_ids": [id]}))
        .await
        .expect_status(200)
        .json();
    assert_eq!(urls, json!({"data": [], "not_found": [id]}));

    let url = text(&file["url"]);
    for client in [&stack.anonymous, &acme.client] {
        client.get(&url).await.expect_error(404);
        client.head(&url).await.expect_status(404);
        client
            .get_with(&url, &[("if-none-match", "*")])
            .await
            .expect_error(404);
    }
}

/// Asserts that no list contains a file.
async fn assert_not_listed(acme: &TestSpace, file: &Value) {
    let id = text(&file["id"]);
    let folder_id = file["folder_id"].as_str().unwrap_or("root");
    let in_folder = format!("folder_id={folder_id}");

    for filters in [
        "",
        "search=photo",
        "tag=a",
        "type=upload",
        "status=active",
        "resource_type=image",
        &in_folder,
    ] {
        let ids = list_ids(&acme.client, filters).await;
        assert!(!ids.contains(&id), "{filters}");
    }
}

/// Asserts that every request with the id of a file returns 404.
async fn assert_unknown(client: &Client, file: &Value) {
    let id = text(&file["id"]);
    let path = file_path(file);
    let access = format!("{path}/access-control");
    let change = json!({"ref": "x"});
    let change_by_body = json!({"id": id, "ref": "x"});
    let public = json!({"access_control": {"requires_auth": false}});

    client.get(&path).await.expect_error(404);
    client.put(&path, change).await.expect_error(404);
    client.put("/files", change_by_body).await.expect_error(404);
    client
        .post(&format!("{path}/signed-url"), json!({}))
        .await
        .expect_error(404);

    client.put(&access, public).await.expect_error(404);
    client.delete(&access).await.expect_error(404);

    client.delete(&path).await.expect_error(404);
    client
        .delete(&format!("/files?id={id}"))
        .await
        .expect_error(404);
    delete_by_body(client, json!({"id": id}))
        .await
        .expect_error(404);
}

/// Uploads the photo with tags and a reference.
async fn upload_tagged(acme: &TestSpace, folder_id: &str) -> Value {
    let photo = acme.upload(PHOTO).with_config("tagged");
    photo.with_ref("order").into_id(folder_id).await.record
}

#[stack_test]
async fn deleted_file_disappears_at_once_and_is_purged(stack: &Stack) {
    let acme = stack.space("Acme").await;
    acme.upload_config("tagged")
        .with_settings(json!({"metadata": {"tags": ["a", "b"]}}))
        .await;

    let photos = acme.folder("Photos").await.id;
    for folder_id in ["root", &photos] {
        let file = upload_tagged(&acme, folder_id).await;
        let url = text(&file["url"]);
        let etag = stack
            .anonymous
            .get(&url)
            .await
            .expect_status(200)
            .header("etag")
            .to_owned();
        let response = acme
            .client
            .delete(&file_path(&file))
            .await
            .expect_status(204);
        assert!(response.body.is_empty());
        stack
            .anonymous
            .get_with(&url, &[("if-none-match", &etag)])
            .await
            .expect_error(404);
        assert_gone(stack, &acme, &file).await;
        stack.run_purges().await;
        assert_forgotten(&stack.dump().await, &text(&file["id"]));
    }

    acme.client
        .delete(&format!("/folders/{photos}"))
        .await
        .expect_status(204);
    stack.run_purges().await;
}

#[stack_test]
async fn upload_and_deletion_restore_table_and_storage(stack: &Stack) {
    let acme = stack.space("Acme").await;
    acme.upload_config("tagged")
        .with_settings(json!({"metadata": {"tags": ["a", "b"]}}))
        .await;
    upload_tagged(&acme, "root").await;

    let before = stored_data(stack).await;
    let file = upload_tagged(&acme, "root").await;
    let twenty: Vec<String> = (0..20).map(|number| format!("tag {number}")).collect();
    let changed = json!({"original_name": "é".repeat(255), "ref": "another", "tags": twenty, "type": "private"});

    acme.client
        .put(&file_path(&file), changed)
        .await
        .expect_ok();

    let access = json!({"access_control": {"requires_auth": true}});
    acme.client
        .put(&format!("{}/access-control", file_path(&file)), access)
        .await
        .expect_ok();
    acme.client
        .delete(&file_path(&file))
        .await
        .expect_status(204);
    stack.run_purges().await;
    stored_data(stack)
        .await
        .assert_unchanged(&before, "a file that came and went");
    assert_eq!(list_ids(&acme.client, "tag=a").await.len(), 1);
}

#[stack_test]
async fn user_deletes_own_files_and_admin_any_file(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let other = stack.space("Other").await;
    let viewer = acme.role("viewer").await;
    let user = acme.role("user").await;
    let colleague = acme.role("user").await;
    let admin = acme.role("admin").await;

    for (uploader, deleter, status) in [
        (&user, &user, 204),
        (&user, &admin, 204),
        (&user, &acme.client, 204),
        (&user, &stack.account(), 204),
        (&acme.client, &admin, 204),
        (&stack.account(), &admin, 204),
        (&user, &colleague, 403),
        (&user, &viewer, 403),
        (&user, &other.client, 404),
        (&acme.client, &user, 403),
        (&stack.account(), &user, 403),
        (&acme.client, &viewer, 403),
    ] {
        for by_body in [false, true] {
            let file = uploader
                .upload(form(&acme.handle, "a.txt", "text/plain", "some text"))
                .await
                .expect_created();
            let response = if by_body {
                delete_by_body(deleter, json!({"id": file["id"]})).await
            } else {
                deleter.delete(&file_path(&file)).await
            };
            let after = acme.client.get(&file_path(&file)).await;
            if status == 204 {
                response.expect_status(204);
                after.expect_error(404);
            } else {
                assert_eq!(response.expect_error(status), json!({}));
                assert_eq!(after.expect_ok(), file);
                stack
                    .anonymous
                    .get(&text(&file["url"]))
                    .await
                    .expect_status(200);
            }
        }
    }

    stack.run_purges().await;
}

#[stack_test]
async fn deleting_pending_file_removes_staged_object(stack: &Stack) {
    let acme = stack.space("Acme").await;
    for is_sent in [true, false] {
        let pending_file = PendingFile::create(&acme, json!({"ref": "order"})).await;
        if is_sent {
            pending_file.send(stack, PHOTO).await.expect_status(200);
            assert!(
                stack
                    .dump()
                    .await
                    .objects
                    .contains_key(pending_file.object_key())
            );
        }
        acme.client
            .delete(&pending_file.address())
            .await
            .expect_status(204);
        acme.client
            .get(&pending_file.address())
            .await
            .expect_error(404);
        assert_eq!(list_ids(&acme.client, "").await, [""; 0]);
        pending_file.confirm(&acme.client).await.expect_error(404);
        stack.run_purges().await;
        assert_forgotten(&stack.dump().await, pending_file.id());
        // The confirm-check finds nothing.
        stack.run_confirm_checks().await;
        assert_forgotten(&stack.dump().await, pending_file.id());
    }
}

#[stack_test]
async fn stored_name_can_be_reused_after_deletion(stack: &Stack) {
    let acme = stack.space("Acme").await;
    acme.upload_config("own")
        .with_settings(json!({"storage": {"generate_filename": false, "unique_filename": false}}))
        .await;

    let upload = async |bytes: &'static str| {
        let notes = acme.upload(bytes).named("notes.txt", "text/plain");
        notes.with_config("own").send().await
    };
    let first = upload("first").await.expect_created();

    upload("second").await.expect_error(409);
    acme.client
        .delete(&file_path(&first))
        .await
        .expect_status(204);

    let second = upload("second").await.expect_created();
    assert_eq!(
        (&second["storage_path"], &second["url"]),
        (&first["storage_path"], &first["url"])
    );
    assert_ne!(second["id"], first["id"]);
    assert!(
        stack
            .anonymous
            .get(&text(&second["url"]))
            .await
            .expect_status(200)
            .body
            == "second"
    );
    stack.run_purges().await;
    assert!(
        stack
            .anonymous
            .get(&text(&second["url"]))
            .await
            .expect_status(200)
            .body
            == "second"
    );
    assert_forgotten(&stack.dump().await, &text(&first["id"]));
    acme.client
        .delete(&file_path(&first))
        .await
        .expect_error(404);
    assert_eq!(
        acme.client.get(&file_path(&second)).await.expect_ok(),
        second
    );
    assert_eq!(stack.dump().await.files_with_bytes().len(), 1);
}

#[stack_test]
async fn one_of_concurrent_deletions_succeeds(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let neighbour = acme.upload(PHOTO).await;

    for _ in 0..10 {
        let file = acme.upload(PHOTO).await;
        let path = file_path(&file);
        let responses = join_all((0..CALLERS).map(|_| acme.client.delete(&path))).await;
        assert_eq!(
            responses
                .iter()
                .filter(|response| response.status == 204)
                .count(),
            1
        );
        for response in responses
            .into_iter()
            .filter(|response| response.status != 204)
        {
            response.expect_error(404);
        }
    }

    stack.run_purges().await;
    assert_eq!(list_ids(&acme.client, "").await, [text(&neighbour["id"])]);

    let dump = stack.dump().await;
    assert_eq!((dump.files_with_bytes().len(), dump.objects.len()), (1, 1));
}
