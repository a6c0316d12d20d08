//! `DELETE /files/:id` and `DELETE /files`: the file is inaccessible at once, and all its data is
//! deleted in time.

use futures::future::join_all;
use serde_json::{Value, json};
use tests::{Client, Dump, File, PHOTO, Response, Stack, TestSpace, stack_test};

use crate::{
    spaces::delete::stored_data,
    support::pages::list_ids,
    uploads::{config_rules::own_names, presign::PendingFile},
};

const CALLERS: usize = 6;

/// Sends `DELETE /files` with a JSON body.
pub(super) async fn delete_by_body(client: &Client, body: Value) -> Response {
    let request = client.request("DELETE", "/files");
    client.send(request.json(&body)).await
}

/// Asserts that no item or object refers to a file.
pub(super) async fn assert_forgotten(stack: &Stack, id: &str) {
    let Dump { items, objects } = stack.dump().await;
    for (key, item) in items {
        let entry = format!("{key:?} {item}");
        assert!(!entry.contains(id), "{entry}");
    }
    assert!(!objects.keys().any(|key| key.contains(id)), "{objects:?}");
}

/// Asserts that no endpoint returns a file.
async fn assert_gone(stack: &Stack, acme: &TestSpace, file: &File) {
    assert_not_listed(acme, file).await;
    for client in [&acme.client, &stack.account()] {
        assert_unknown(client, file).await;
    }

    acme.get_err(404, "/files/by-ref?ref=order").await;
    let body = json!({"file_ids": [file.id]});
    let urls = acme.post("/files/urls", body).await.json();
    assert_eq!(urls, json!({"data": [], "not_found": [file.id]}));

    for client in [&stack.anonymous, &acme.client] {
        client.get_err(404, file.url()).await;
        client.head(file.url()).await.expect_status(404);
        let any = [("if-none-match", "*")];
        client.fetch_as(404, file.url(), &any).await;
    }
}

/// Asserts that no list contains a file.
pub(super) async fn assert_not_listed(acme: &TestSpace, file: &File) {
    let folder_id = file["folder_id"].as_str().unwrap_or("root");
    for filters in [
        "",
        "search=photo",
        "tag=a",
        "type=upload",
        "status=active",
        "resource_type=image",
        &format!("folder_id={folder_id}"),
    ] {
        let ids = list_ids(acme, filters).await;
        assert!(!ids.contains(&file.id), "{filters}");
    }
}

/// Asserts that every request with the id of a file returns 404.
pub(crate) async fn assert_unknown(client: &Client, file: &File) {
    let path = file.path();
    let access = format!("{path}/access-control");
    let public = json!({"access_control": {"requires_auth": false}});
    let by_body = json!({"id": file.id, "ref": "x"});

    client.get_err(404, path).await;
    client.put_err(404, path, json!({"ref": "x"})).await;
    client.put_err(404, "/files", by_body).await;
    let signed_url = format!("{path}/signed-url");
    client.post_err(404, &signed_url, json!({})).await;

    client.put_err(404, &access, public).await;
    client.delete_err(404, &access).await;

    client.delete_err(404, path).await;
    let by_query = format!("/files?id={}", file.id);
    client.delete_err(404, &by_query).await;
    let by_body = delete_by_body(client, json!({"id": file.id})).await;
    by_body.expect_error(404);
}

pub(super) async fn create_config(acme: &TestSpace) {
    let settings = json!({"metadata": {"tags": ["a", "b"]}});
    acme.upload_config("tagged").with_settings(settings).await;
}

/// Uploads the photo with tags and a reference.
pub(super) async fn upload_tagged(acme: &TestSpace, folder_id: &str) -> File {
    let photo = acme.upload(PHOTO).with_config("tagged");
    photo.with_ref("order").into_id(folder_id).await
}

#[stack_test]
async fn deleted_file_disappears_at_once_and_is_purged(stack: &Stack, acme: &TestSpace) {
    create_config(acme).await;
    let photos = acme.folder("Photos").await;

    for folder_id in ["root", &photos.id] {
        let file = upload_tagged(acme, folder_id).await;
        let cached = stack.anonymous.fetch(file.url()).await;
        let unchanged = [("if-none-match", cached.header("etag"))];

        acme.delete_ok(file.path()).await.expect_body("");

        stack.anonymous.fetch_as(404, file.url(), &unchanged).await;
        assert_gone(stack, acme, &file).await;
        stack.run_purges().await;
        assert_forgotten(stack, &file.id).await;
    }

    acme.delete_ok(photos.path()).await;
    stack.run_purges().await;
}

#[stack_test]
async fn upload_and_deletion_restore_table_and_storage(stack: &Stack, acme: &TestSpace) {
    create_config(acme).await;
    upload_tagged(acme, "root").await;
    let before = stored_data(stack).await;

    let file = upload_tagged(acme, "root").await;
    let twenty: Vec<String> = (0..20).map(|number| format!("tag {number}")).collect();
    let changed = json!({"original_name": "é".repeat(255), "ref": "another", "tags": twenty, "type": "private"});
    acme.put_ok(file.path(), changed).await;
    acme.set_access(file.path(), Some(true)).await;
    acme.delete_ok(file.path()).await;
    stack.run_purges().await;

    let after = stored_data(stack).await;
    after.assert_unchanged(&before, "a file that came and went");
    assert_eq!(list_ids(acme, "tag=a").await.len(), 1);
}

#[stack_test]
async fn deleting_pending_file_removes_staged_object(stack: &Stack, acme: &TestSpace) {
    for is_sent in [true, false] {
        let pending_file = PendingFile::create(acme, json!({"ref": "order"})).await;
        if is_sent {
            pending_file.put(stack, PHOTO).await;
            let objects = stack.dump().await.objects;
            assert!(objects.contains_key(pending_file.object_key()));
        }

        acme.delete_ok(&pending_file.address()).await;

        acme.get_err(404, &pending_file.address()).await;
        assert_eq!(list_ids(acme, "").await, [""; 0]);
        pending_file.confirm(acme).await.expect_error(404);
        stack.run_purges().await;
        assert_forgotten(stack, pending_file.id()).await;
        // The confirm-check finds nothing.
        stack.run_confirm_checks().await;
        assert_forgotten(stack, pending_file.id()).await;
    }
}

#[stack_test]
async fn stored_name_can_be_reused_after_deletion(stack: &Stack, acme: &TestSpace) {
    acme.upload_config("own").with_settings(own_names()).await;
    let upload = |bytes: &'static str| {
        let notes = acme.upload(bytes).named("notes.txt", "text/plain");
        notes.with_config("own")
    };

    let first = upload("first").await;
    upload("second").send().await.expect_error(409);
    acme.delete_ok(first.path()).await;

    let second = upload("second").await;
    assert_eq!(second["storage_path"], first["storage_path"]);
    assert_eq!(second.url(), first.url());
    assert_ne!(second.id, first.id);
    for _ in 0..2 {
        let delivered = stack.anonymous.fetch(second.url()).await;
        delivered.expect_body("second");
        stack.run_purges().await;
    }
    assert_forgotten(stack, &first.id).await;
    acme.delete_err(404, first.path()).await;
    assert_eq!(acme.get_ok(second.path()).await, second);
    assert_eq!(stack.dump().await.files_with_bytes().len(), 1);
}

#[stack_test]
async fn one_of_concurrent_deletions_succeeds(stack: &Stack, acme: &TestSpace) {
    let neighbour = acme.upload(PHOTO).await;

    for _ in 0..10 {
        let file = acme.upload(PHOTO).await;
        let responses = join_all((0..CALLERS).map(|_| acme.delete(file.path()))).await;

        let (deleted, rejected): (Vec<_>, Vec<_>) = responses
            .into_iter()
            .partition(|response| response.status == 204);
        assert_eq!(deleted.len(), 1);
        for response in rejected {
            response.expect_error(404);
        }
    }

    stack.run_purges().await;
    assert_eq!(list_ids(acme, "").await, [neighbour.id]);
    let dump = stack.dump().await;
    assert_eq!(dump.files_with_bytes().len(), 1);
    assert_eq!(dump.objects.len(), 1);
}
