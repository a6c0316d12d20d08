//! `POST /files/batch`.

use futures::future;
use serde_json::{Value, json};
use tests::{
    Client, PHOTO, Stack, StackOptions, TestSpace, UNKNOWN_ID, WebhookReceiver, assert_fields,
    column, field_names, merged, rows, seconds, stack_test, text,
};

use super::{delete::delete_by_body, list::upload_ten};
use crate::{support::pages::list_ids, uploads::presign::PendingFile};

/// Sends a batch, and returns the status of each id in order, 0 for success.
pub(crate) async fn batch(client: &Client, body: Value) -> Vec<u64> {
    let ids = body["ids"].clone();
    let response = client.post("/files/batch", body).await;
    let results = response.expect_status(200).json()["data"].take();
    assert_eq!(json!(column(&results, "id")), ids);
    let errors = column(&results, "error").into_iter();
    let statuses = errors.map(|error| error["status"].as_u64().unwrap_or_default());
    statuses.collect()
}

pub(super) fn deletion(ids: &[&str]) -> Value {
    json!({"ids": ids, "operation": "delete"})
}

#[stack_test]
async fn each_file_is_deleted_or_reported(stack: &Stack, acme: &TestSpace, other: &TestSpace) {
    let [first, second] = [acme.upload(PHOTO).await, acme.upload(PHOTO).await];
    let foreign = other.upload(PHOTO).await;
    let pending = PendingFile::create(acme, json!({})).await;
    let ids = [
        &first.id,
        UNKNOWN_ID,
        &foreign.id,
        "no id",
        &second.id,
        pending.id(),
    ];

    assert_eq!(batch(acme, deletion(&ids)).await, [0, 404, 404, 404, 0, 0]);
    assert_eq!(batch(acme, deletion(&ids)).await, [404; 6]);
    assert_eq!(list_ids(acme, "").await, Vec::<String>::new());
    stack.anonymous.get_err(404, first.url()).await;
    stack.anonymous.fetch(foreign.url()).await;

    // An account key has a role in each space.
    let member = stack.user().await;
    stack.add_member(&member, acme, "viewer").await;
    stack.add_member(&member, other, "admin").await;
    let third = acme.upload(PHOTO).await;
    let ids = [third.id.as_str(), &foreign.id];
    assert_eq!(batch(&member.client, deletion(&ids)).await, [403, 0]);
    stack.run_purges().await;
}

#[stack_test]
async fn user_deletes_and_changes_its_own_files(stack: &Stack, acme: &TestSpace) {
    let user = acme.role("user").await;
    let theirs = acme.upload(PHOTO).await;
    let own = acme.upload(PHOTO).by(&user).await.id;

    let closed = acme.folder("Closed").await;
    acme.set_access(closed.path(), Some(true)).await;
    let into_closed =
        json!({"ids": [own, theirs.id], "operation": "update", "folder_id": closed.id});
    assert_eq!(batch(&user, into_closed).await, [0, 403]);
    let out = json!({"ids": [own], "operation": "update", "folder_id": "root"});
    assert_eq!(batch(&user, out).await, [403]);
    assert_eq!(batch(&user, deletion(&[&own, &theirs.id])).await, [0, 403]);
    let body = deletion(&[&theirs.id]);
    let viewer = acme.role("viewer").await;
    viewer.post_err(403, "/files/batch", body).await;
    stack.run_purges().await;
}

#[stack_test]
async fn update_changes_given_fields_only(acme: &TestSpace) {
    let folder = acme.folder("Photos").await;
    let files = [acme.upload(PHOTO).await, acme.upload(PHOTO).await];
    let metadata = json!({"author": "Ada"});
    let tagged = json!({"tags": ["a", "b"], "title": "One", "metadata": metadata});
    acme.put_ok(files[0].path(), tagged).await;
    let update = json!({"ids": [files[0].id, files[1].id], "operation": "update"});

    // Changes, and fields of both files after them.
    for (changes, first, second) in rows::<(Value, Value, Value)>(json!([
        [{"type": "upload", "add_tags": []}, {"tags": ["a", "b"], "metadata": metadata}, {"tags": []}],
        [
            {"add_tags": ["b", "c", "c"], "remove_tags": ["a", "x"]},
            {"tags": ["b", "c"], "title": "One"},
            {"tags": ["b", "c"]},
        ],
        [
            {"folder_id": folder.id, "type": "private", "metadata": {"author": "Bo"}},
            {"folder_id": folder.id, "type": "private", "metadata": {"author": "Bo"}, "tags": ["b", "c"], "title": "One"},
            {"folder_path": "Photos/", "type": "private"},
        ],
        [
            {"folder_id": null, "metadata": null, "remove_tags": ["b", "c"]},
            {"folder_id": null, "metadata": {}, "tags": []},
            {"type": "private"},
        ],
    ])) {
        let body = merged(update.clone(), changes.clone());
        assert_eq!(batch(acme, body).await, [0, 0], "{changes}");
        for (file, expected) in files.iter().zip([first, second]) {
            assert_fields(&acme.get_ok(file.path()).await, expected);
        }
    }
}

#[stack_test]
async fn a_file_that_cannot_be_changed_does_not_affect_others(acme: &TestSpace) {
    let twenty: Vec<String> = (0..20).map(|number| format!("tag {number}")).collect();
    let files = [acme.upload(PHOTO).await, acme.upload(PHOTO).await];
    acme.put_ok(files[0].path(), json!({"tags": twenty})).await;

    let ids = [&files[0].id, &files[1].id];
    let body = json!({"ids": ids, "operation": "update", "add_tags": ["more"]});
    let results = acme.post_ok("/files/batch", body).await;
    let error = json!({
        "status": 422, "message": "The given data was invalid.",
        "errors": {"add_tags": ["The add tags field must not have more than 20 items."]},
        "retry_after": null,
    });
    let expected = json!([{"id": ids[0], "error": error}, {"id": ids[1], "error": null}]);
    assert_eq!(results, expected);
    assert_eq!(acme.get_ok(files[1].path()).await["tags"], json!(["more"]));
}

#[stack_test]
async fn files_move_into_existing_folders_of_their_space_only(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let files = [acme.upload(PHOTO).await, other.upload(PHOTO).await];
    let ids = [&files[0].id, &files[1].id];
    let foreign = other.folder("Photos").await;
    let deleted = acme.folder("Deleted").await;
    acme.delete_ok(deleted.path()).await;
    let account = stack.account();

    for (folder, of_account, of_acme) in [
        (UNKNOWN_ID, [422, 422], [422, 404]),
        (&deleted.id, [422, 422], [422, 404]),
        (&foreign.id, [422, 0], [422, 404]),
        ("root", [0, 0], [0, 404]),
    ] {
        let body = json!({"ids": ids, "operation": "update", "folder_id": folder});
        assert_eq!(batch(&account, body.clone()).await, of_account, "{folder}");
        assert_eq!(batch(acme, body).await, of_acme, "{folder}");
    }
}

#[stack_test]
async fn files_that_are_not_begun_in_time_can_be_sent_again(stack: &Stack, acme: &TestSpace) {
    let folder = acme.folder("Photos").await;
    let mut ids = Vec::new();
    for _ in 0..4 {
        ids.push(acme.upload(PHOTO).await.id.clone());
    }
    // Files are moved one by one.
    let move_of =
        |ids: &[String]| json!({"ids": ids, "operation": "update", "folder_id": folder.id});
    let first = stack.calls_of(batch(acme, move_of(&ids[..1]))).await;
    let calls_of_first = u32::try_from(first.calls.len()).expect("few calls");

    let mut hold = stack.local.faults().hold("files", calls_of_first);
    let moving = acme.post("/files/batch", move_of(&ids[1..]));
    let delay = async {
        hold.reached().await;
        stack.clock.advance(seconds(13));
        hold.release();
    };
    let (moved, ()) = future::join(moving, delay).await;

    let late = json!({
        "status": 503, "message": "The request had no time left for this file. Send it again.",
        "errors": {}, "retry_after": 1,
    });
    let results = moved.expect_ok();
    assert_eq!(column(&results, "error"), [json!(null), json!(null), late]);
    assert_eq!(batch(acme, move_of(&ids)).await, [0; 4]);
}

#[stack_test(options = StackOptions::without_rate_limits(), undrained)]
async fn hundred_files_are_deleted_with_their_events(stack: &Stack, acme: &TestSpace) {
    let receiver = WebhookReceiver::start().await;
    let settings =
        json!({"notifications": {"webhook_url": receiver.url(), "events": ["file.deleted"]}});
    acme.upload_config("loud").with_settings(settings).await;
    let mut ids = Vec::new();
    while ids.len() < 100 {
        let uploaded = upload_ten(acme, &[("upload_config", "loud")]).await;
        ids.extend(uploaded.iter().map(|file| text(&file["id"])));
    }
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();

    // A single deletion at the same time wins or loses.
    let (statuses, single) = tokio::join!(
        batch(acme, deletion(&ids)),
        delete_by_body(acme, json!({"id": ids[50]}))
    );
    let deleted = statuses.iter().filter(|status| **status == 0).count();
    let single = usize::from(single.status == 204);
    assert_eq!(deleted + single, 100, "{statuses:?}");
    let usage = acme.get_ok(&format!("{}/usage", acme.path())).await;
    assert_eq!((&usage["files"], &usage["bytes"]), (&json!(0), &json!(0)));

    let log = format!(
        "{}/webhook-deliveries?event=file.deleted&limit=100",
        acme.path()
    );
    assert_eq!(column(&acme.get_ok(&log).await, "id").len(), 100);
    stack.run_post_upload().await;
}

#[stack_test]
async fn invalid_batches_return_422_and_change_nothing(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    let before = stack.dump().await;

    let many: Vec<String> = (0..101).map(|number| format!("{number:026}")).collect();
    let twice = [file.id.clone(), file.id.to_lowercase()];
    let of_file = json!({"ids": [file.id], "operation": "update"});
    for (fields, invalid) in rows::<(Value, String)>(json!([
        [{"ids": [], "operation": "delete"}, "ids"],
        [{"ids": many, "operation": "delete"}, "ids"],
        [{"ids": twice, "operation": "delete"}, "ids.1"],
        [{"ids": [5], "operation": "delete"}, "ids.0"],
        [{"operation": "restored"}, "operation"],
        [{"operation": "delete", "add_tags": ["a"], "type": null}, "add_tags type"],
        [{}, "operation"],
        [{"add_tags": null, "tags": ["a"], "title": "One"}, "operation"],
        [{"type": "public"}, "type"],
        [{"type": null}, "type"],
        [{"add_tags": ["a", "b"], "remove_tags": ["c", " b"]}, "remove_tags.1"],
        [{"metadata": {"A": "1"}}, "metadata.A"],
        [{"folder_id": "no id"}, "folder_id"],
    ])) {
        let body = merged(of_file.clone(), fields);
        let errors = acme.post_err(422, "/files/batch", &body).await;
        assert_eq!(field_names(&errors).join(" "), invalid, "{body}");
    }
    let errors = acme.post_err(422, "/files/batch", json!({})).await;
    assert_eq!(field_names(&errors), ["ids", "operation"]);

    stack.assert_unchanged(&before, "invalid batches").await;
}
