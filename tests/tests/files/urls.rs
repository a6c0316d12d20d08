//! `GET /files/:id`, `POST /files/urls` and `GET /files/by-ref`: files by ids and by reference.

use serde_json::{Value, json};
use tests::{
    Client, File, PHOTO, Stack, TestSpace, UNKNOWN_ID, assert_fields, field_error, field_names,
    seconds, stack_test, text,
};

use super::list::{one, upload_ten};
use crate::uploads::presign::PendingFile;

/// Maximum number of ids of a request.
const MOST_IDS: usize = 100;

#[stack_test]
async fn get_returns_uploaded_file(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    let id = &file.id;

    let lower_case = format!("/files/{}", id.to_lowercase());
    for client in [&acme.client, &acme.role("viewer").await, &stack.account()] {
        assert_eq!(client.get_ok(file.path()).await, file);
        assert_eq!(client.get_ok(&lower_case).await, file);
    }

    let name = format!("image-{id}.jpg");
    let path = format!("{}/{name}", acme.handle);
    let expected = json!({
        "name": name, "original_name": "photo.jpg", "extension": "jpg", "mime_type": "image/jpeg", "size": PHOTO.len(),
        "storage_path": path, "url": format!("{}/{path}", stack.local.cdn_url()), "type": "upload",
        "resource_type": "image", "status": "active", "space_id": acme.id, "folder_id": null, "folder_path": null,
        "ref": null, "tags": [], "title": null, "alt": null, "metadata": {}, "storage_meta": {}, "thumbnails": [],
        "access_control": {
            "requires_auth": false, "public_read": true, "source": "space", "inherited_from": acme.id,
            "setting": null,
        },
        "uploaded_by": {"type": "api_key", "id": acme.key_id},
        "checksum_sha256": "3aff0931539fcf6e63fcc330ed24429646c572a8d7940b443b4062b14359f157",
    });

    assert_fields(&file, expected);
}

async fn urls(client: &Client, ids: Value) -> Value {
    let response = client.post("/files/urls", json!({ "file_ids": ids })).await;
    response.expect_status(200).json()
}

/// Returns the expected views of files.
fn expected_urls(files: &[&Value]) -> Value {
    let view = |file: &&Value| json!({"id": file["id"], "url": file["url"]});
    files.iter().map(view).collect()
}

#[stack_test]
async fn urls_keep_request_order_and_omit_foreign_files(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let a = acme.upload(PHOTO).await;
    let b = acme.upload(PHOTO).await;
    let c = acme.upload(PHOTO).await;
    let foreign = other.upload(PHOTO).await;
    let ids = json!([
        c.id,
        UNKNOWN_ID,
        a.id,
        "not an id",
        a.id,
        foreign.id,
        c.id.to_lowercase(),
        acme.id,
        b.id,
        UNKNOWN_ID,
    ]);
    let own_files = json!({
        "data": expected_urls(&[&c, &a, &b]), "not_found": [UNKNOWN_ID, "not an id", foreign.id, acme.id],
    });
    let member = stack.user().await;
    stack.add_member(&member, acme, "viewer").await;

    for client in [&acme.client, &acme.role("viewer").await, &member.client] {
        assert_eq!(urls(client, ids.clone()).await, own_files);
    }

    // An account has several spaces.
    let both = json!({"data": expected_urls(&[&c, &a, &foreign, &b]), "not_found": [UNKNOWN_ID, "not an id", acme.id]});
    assert_eq!(urls(&stack.account(), ids).await, both);

    let ids = json!([a.id, UNKNOWN_ID]);
    let outsider = stack.user().await;
    let nothing = urls(&outsider.client, ids.clone()).await;
    assert_eq!(nothing, json!({"data": [], "not_found": ids}));

    for file in own_files["data"].as_array().expect("a list") {
        let delivered = stack.anonymous.fetch(&text(&file["url"])).await;
        delivered.expect_body(PHOTO);
    }
}

#[stack_test]
async fn urls_accepts_at_most_hundred_ids(stack: &Stack, acme: &TestSpace) {
    let mut files = Vec::new();
    while files.len() < MOST_IDS {
        files.extend(upload_ten(acme, &[("ref", "all")]).await);
    }
    assert!(files.contains(&acme.get_ok(&by_ref("all")).await));
    // Not in the order of ids: 37 and 100 are coprime.
    let files = (0..MOST_IDS).map(|index| &files[index * 37 % MOST_IDS]);
    let files: Vec<&Value> = files.collect();
    let mut ids: Vec<&Value> = files.iter().map(|file| &file["id"]).collect();

    for client in [&acme.client, &stack.account()] {
        let found = urls(client, json!(ids)).await;
        let expected = json!({"data": expected_urls(&files), "not_found": []});
        assert_eq!(found, expected);
    }

    let one_more = json!(UNKNOWN_ID);
    ids.push(&one_more);
    let body = json!({ "file_ids": ids });
    let errors = acme.post_err(422, "/files/urls", body).await;
    let too_many = field_error("file_ids", "must not have more than 100 items");
    assert_eq!(errors, too_many);
}

#[stack_test]
async fn empty_id_list_returns_422(acme: &TestSpace) {
    for (ids, field, end) in [
        (json!(null), "file_ids", "is required"),
        (json!([]), "file_ids", "is required"),
        (json!(UNKNOWN_ID), "file_ids", "must be an array"),
        (json!({"0": UNKNOWN_ID}), "file_ids", "must be an array"),
        (json!([5]), "file_ids.0", "must be a string"),
        (json!([UNKNOWN_ID, null]), "file_ids.1", "must be a string"),
    ] {
        let body = json!({ "file_ids": ids });
        let errors = acme.post_err(422, "/files/urls", body).await;
        assert_eq!(errors, field_error(field, end), "{ids}");
    }

    let body = json!({"file_ids": [5, UNKNOWN_ID, []]});
    let errors = acme.post_err(422, "/files/urls", body).await;
    assert_eq!(field_names(&errors), ["file_ids.0", "file_ids.2"]);
}

/// Returns the path of the file with a reference.
fn by_ref(reference: &str) -> String {
    format!("/files/by-ref?{}", one("ref", reference))
}

/// Uploads a text with a reference.
async fn referred(acme: &TestSpace, reference: &str) -> File {
    let text = acme.upload("some text").named("a.txt", "text/plain");
    text.with_ref(reference).await
}

/// Uploads four texts with the same reference, oldest first.
async fn four_files(stack: &Stack, acme: &TestSpace) -> Vec<File> {
    let mut files = Vec::new();
    for _ in 0..4 {
        stack.clock.advance(seconds(1));
        files.push(referred(acme, "order 7").await);
    }
    files
}

#[stack_test]
async fn by_ref_returns_newest_file_of_space(stack: &Stack, acme: &TestSpace, other: &TestSpace) {
    acme.get_err(404, &by_ref("order 7")).await;
    let files = four_files(stack, acme).await;
    let newest = &files[3];
    stack.clock.advance(seconds(1));
    let upper_case = referred(acme, "Order 7").await;
    let longer = referred(acme, "order 70").await;
    let foreign = referred(other, "order 7").await;
    let viewer = acme.role("viewer").await;

    for (client, reference, expected) in [
        (&viewer, "order 7", newest),
        (&viewer, "Order 7", &upper_case),
        (&viewer, " order 70 ", &longer),
        (&other.client, "order 7", &foreign),
    ] {
        let found = client.get_ok(&by_ref(reference)).await;
        assert_eq!(found, *expected, "{reference}");
    }

    let in_acme = format!("{}&space_id={}", by_ref("order 7"), acme.id);
    assert_eq!(stack.account().get_ok(&in_acme).await, *newest);
    assert_eq!(other.get_err(404, &in_acme).await, json!({}));
}

#[stack_test]
async fn by_ref_follows_updates_and_deletions(stack: &Stack, acme: &TestSpace) {
    let files = four_files(stack, acme).await;
    let [first, second, third, fourth] = &files[..] else {
        panic!("four files")
    };
    let newest = async || acme.get_ok(&by_ref("order 7")).await;
    let update = async |file: &File, body: Value| acme.put_ok(file.path(), body).await;

    // An update of an older file does not make it the newest one.
    let older = update(first, json!({"tags": ["a"], "ref": "order 7"})).await;
    assert_eq!(newest().await, *fourth);

    let renamed = update(fourth, json!({"ref": "order 8"})).await;
    assert_eq!(newest().await, *third);
    assert_eq!(acme.get_ok(&by_ref("order 8")).await, renamed);

    update(third, json!({"ref": null})).await;
    assert_eq!(newest().await, *second);
    acme.delete_ok(second.path()).await;
    assert_eq!(newest().await, older);

    // Files are compared by creation, whenever they got the reference.
    let restored = update(third, json!({"ref": "order 7"})).await;
    assert_eq!(newest().await, restored);

    acme.delete_ok(first.path()).await;
    acme.delete_ok(third.path()).await;
    assert_eq!(acme.get_err(404, &by_ref("order 7")).await, json!({}));
    stack.run_purges().await;
}

#[stack_test]
async fn by_ref_accepts_every_valid_reference(acme: &TestSpace) {
    let longest = "😀".repeat(255);
    let references = ["100 % + 1", "é", "..", "REF#", "a/b?c=d&e#f", "{\"id\": 1}"];
    for reference in references.into_iter().chain([&*longest]) {
        let file = referred(acme, reference).await;
        assert_eq!(file["ref"], reference);
        assert_eq!(acme.get_ok(&by_ref(reference)).await, file, "{reference}");
    }

    let required = field_error("ref", "is required");
    for query in ["", "?ref=", "?ref=%20", "?reference=x", "?REF=x"] {
        let errors = acme.get_err(422, &format!("/files/by-ref{query}")).await;
        assert_eq!(errors, required, "{query}");
    }

    for unknown in [UNKNOWN_ID, "x"] {
        let path = format!("{}&space_id={unknown}", by_ref("é"));
        assert_eq!(acme.get_err(404, &path).await, json!({}), "{unknown}");
    }
}

#[stack_test]
async fn by_ref_returns_the_newest_active_file(stack: &Stack, acme: &TestSpace) {
    let active = referred(acme, "order").await;
    stack.clock.advance(seconds(1));
    let pending_file = PendingFile::create(acme, json!({"ref": "order"})).await;
    pending_file.put(stack, PHOTO).await;
    assert_eq!(acme.get_ok(&by_ref("order")).await, active);

    let newer = pending_file.confirm(acme).await.expect_ok();
    assert_eq!(acme.get_ok(&by_ref("order")).await, newer);
    stack.run_confirm_checks().await;
}
