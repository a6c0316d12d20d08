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
    acme.get_err(404, "/files/by-ref?ref=order").await;
    let urls = acme
        .post("/files/urls", json!({"file_ids": [id]}))
        .await
        .expect_status(200)
        .json();
    assert_eq!(urls, json!({"data": [], "not_found": [id]}));

    let url = text(&file["url"]);
    for client in [&stack.anonymous, &acme.client] {
        client.get_err(404, &url).await;
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

    client.get_err(404, &path).await;
    client.put_err(404, &path, change).await;
    client.put_err(404, "/files", change_by_body).await;
    client
        .post_err(404, &format!("{path}/signed-url"), json!({}))
        .await;

    client.put_err(404, &access, public).await;
    client.delete_err(404, &access).await;

    client.delete_err(404, &path).await;
    client.delete_err(404, &format!("/files?id={id}")).await;
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
async fn deleted_file_disappears_at_once_and_is_purged(stack: &Stack, acme: &TestSpace) {
    acme.upload_config("tagged")
        .with_settings(json!({"metadata": {"tags": ["a", "b"]}}))
        .await;

    let photos = acme.folder("Photos").await.id;
    for folder_id in ["root", &photos] {
        let file = upload_tagged(acme, folder_id).await;
        let url = text(&file["url"]);
        let etag = stack.anonymous.fetch(&url).await.header("etag").to_owned();
        let response = acme.delete_ok(&file_path(&file)).await;
        assert!(response.body.is_empty());
        stack
            .anonymous
            .get_with(&url, &[("if-none-match", &etag)])
            .await
            .expect_error(404);
        assert_gone(stack, acme, &file).await;
        stack.run_purges().await;
        assert_forgotten(&stack.dump().await, &text(&file["id"]));
    }

    acme.delete_ok(&format!("/folders/{photos}")).await;
    stack.run_purges().await;
}

#[stack_test]
async fn upload_and_deletion_restore_table_and_storage(stack: &Stack, acme: &TestSpace) {
    acme.upload_config("tagged")
        .with_settings(json!({"metadata": {"tags": ["a", "b"]}}))
        .await;
    upload_tagged(acme, "root").await;

    let before = stored_data(stack).await;
    let file = upload_tagged(acme, "root").await;
    let twenty: Vec<String> = (0..20).map(|number| format!("tag {number}")).collect();
    let changed = json!({"original_name": "é".repeat(255), "ref": "another", "tags": twenty, "type": "private"});

    acme.put_ok(&file_path(&file), changed).await;

    let access = json!({"access_control": {"requires_auth": true}});
    acme.put_ok(&format!("{}/access-control", file_path(&file)), access)
        .await;
    acme.delete_ok(&file_path(&file)).await;
    stack.run_purges().await;
    stored_data(stack)
        .await
        .assert_unchanged(&before, "a file that came and went");
    assert_eq!(list_ids(&acme.client, "tag=a").await.len(), 1);
}

#[stack_test]
async fn user_deletes_own_files_and_admin_any_file(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
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
                .upload_form(form(&acme.handle, "a.txt", "text/plain", "some text"))
                .await
                .expect_created();
            let response = if by_body {
                delete_by_body(deleter, json!({"id": file["id"]})).await
            } else {
                deleter.delete(&file_path(&file)).await
            };
            let after = acme.get(&file_path(&file)).await;
            if status == 204 {
                response.expect_status(204);
                after.expect_error(404);
            } else {
                assert_eq!(response.expect_error(status), json!({}));
                assert_eq!(after.expect_ok(), file);
                stack.anonymous.fetch(&text(&file["url"])).await;
            }
        }
    }

    stack.run_purges().await;
}

#[stack_test]
async fn deleting_pending_file_removes_staged_object(stack: &Stack, acme: &TestSpace) {
    for is_sent in [true, false] {
        let pending_file = PendingFile::create(acme, json!({"ref": "order"})).await;
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
        acme.delete_ok(&pending_file.address()).await;
        acme.get_err(404, &pending_file.address()).await;
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
async fn stored_name_can_be_reused_after_deletion(stack: &Stack, acme: &TestSpace) {
    acme.upload_config("own")
        .with_settings(json!({"storage": {"generate_filename": false, "unique_filename": false}}))
        .await;

    let upload = async |bytes: &'static str| {
        let notes = acme.upload(bytes).named("notes.txt", "text/plain");
        notes.with_config("own").send().await
    };
    let first = upload("first").await.expect_created();

    upload("second").await.expect_error(409);
    acme.delete_ok(&file_path(&first)).await;

    let second = upload("second").await.expect_created();
    assert_eq!(
        (&second["storage_path"], &second["url"]),
        (&first["storage_path"], &first["url"])
    );
    assert_ne!(second["id"], first["id"]);
    assert!(stack.anonymous.fetch(&text(&second["url"])).await.body == "second");
    stack.run_purges().await;
    assert!(stack.anonymous.fetch(&text(&second["url"])).await.body == "second");
    assert_forgotten(&stack.dump().await, &text(&first["id"]));
    acme.delete_err(404, &file_path(&first)).await;
    assert_eq!(acme.get_ok(&file_path(&second)).await, second);
    assert_eq!(stack.dump().await.files_with_bytes().len(), 1);
}

#[stack_test]
async fn one_of_concurrent_deletions_succeeds(stack: &Stack, acme: &TestSpace) {
    let neighbour = acme.upload(PHOTO).await;

    for _ in 0..10 {
        let file = acme.upload(PHOTO).await;
        let path = file_path(&file);
        let responses = join_all((0..CALLERS).map(|_| acme.delete(&path))).await;
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
