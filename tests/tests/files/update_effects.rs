//! `PUT /files/:id`: effects on lists and pending files, concurrent updates, and names and tags of
//! existing files.

use futures::future::{join, join_all};
use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, field_error, file_path, stack_test, text};

use super::list::one;
use crate::{support::pages::list_ids, uploads::presign::PendingFile};

/// Rounds of a race.
const ROUNDS: usize = 20;

/// Asserts which of these lists contain this file alone, and which are empty.
async fn assert_listed(acme: &TestSpace, id: &str, listed: &[String], unlisted: &[String]) {
    for filters in listed {
        assert_eq!(list_ids(acme, filters).await, [id], "{filters}");
    }
    for filters in unlisted {
        assert_eq!(list_ids(acme, filters).await, [""; 0], "{filters}");
    }
}

#[stack_test]
async fn update_is_visible_in_all_lists_at_once(acme: &TestSpace) {
    let photos = acme.folder("Photos").await.id;
    let texts = acme.folder("Texts").await.id;
    let file = acme.upload(PHOTO).await;
    let variants = [
        ("Alpha.jpg", "a", "upload", &photos),
        ("Beta.jpg", "b", "private", &texts),
    ];
    let filters = variants.map(|(name, tag, kind, folder)| {
        [
            format!("search={name}"),
            format!("tag={tag}"),
            format!("type={kind}"),
            format!("folder_id={folder}"),
            format!("tag={tag}&search={}", &name[..2]),
        ]
    });

    for round in 1..7 {
        let (current, other) = (round % 2, (round + 1) % 2);
        let (name, tag, kind, folder) = variants[current];
        let mut tags = vec![tag.to_owned(), round.to_string()];
        tags.extend((2..20).map(|number| format!("t{number}")));
        let body = json!({"original_name": name, "tags": tags, "ref": tag, "type": kind, "folder_id": folder});
        acme.put_ok(file.path(), body).await;

        let always = ["tag=t19", "status=active", "", &format!("tag={round}")];
        let listed = [&filters[current][..], &always.map(str::to_owned)].concat();
        let never = [
            "search=photo",
            "folder_id=root",
            &format!("tag={}", round - 1),
        ];
        let unlisted = [&filters[other][..], &never.map(str::to_owned)].concat();
        assert_listed(acme, &file.id, &listed, &unlisted).await;
        let by_ref = |tag: &str| format!("/files/by-ref?ref={tag}");
        assert_eq!(acme.get_ok(&by_ref(tag)).await["id"], *file.id);
        acme.get_err(404, &by_ref(variants[other].1)).await;
    }
}

/// Presigns a photo and changes all changeable fields, before or after its bytes are sent. Returns
/// the pending file, and the record after the changes.
async fn changed_while_pending(
    stack: &Stack,
    acme: &TestSpace,
    folder: &str,
    sent_first: bool,
) -> (PendingFile, Value) {
    let pending_file = PendingFile::create(acme, json!({"ref": "old"})).await;
    if sent_first {
        pending_file.put(stack, PHOTO).await;
    }

    let body = json!({
        "original_name": "Renamed.jpg", "ref": "new", "tags": ["a", "b"], "type": "private", "folder_id": folder,
    });
    let path = pending_file.address();
    acme.put_ok(&path, body).await;
    let pending = acme.set_access(&path, Some(true)).await;
    assert_eq!(pending["status"], "pending");
    assert_eq!(pending["access_control"]["source"], "direct");
    let storage_path = text(&pending["storage_path"]);
    let url = format!("{}/{storage_path}", stack.local.cdn_url());
    acme.get_err(404, &url).await;

    if !sent_first {
        pending_file.put(stack, PHOTO).await;
    }
    (pending_file, pending)
}

/// Asserts that a file is active, with the sent bytes and all changes that were made while it was
/// pending.
async fn assert_kept(stack: &Stack, acme: &TestSpace, folder: &str, pending: &Value) {
    let active = acme.get_ok(&file_path(pending)).await;
    let mut kept = pending.clone();
    for detected in "status url checksum_sha256 updated_at storage_meta thumbnails".split(' ') {
        kept[detected] = active[detected].clone();
    }
    assert_eq!(active, kept);
    assert_eq!(active["status"], "active");

    let url = text(&active["url"]);
    stack.anonymous.get_err(403, &url).await;
    acme.fetch(&url).await.expect_body(PHOTO);

    let id = text(&pending["id"]);
    let listed =
        format!("folder_id={folder} search=renamed tag=a tag=b type=private status=active");
    let unlisted = "folder_id=root search=photo type=upload status=pending";
    for (lists, is_listed) in [(&*listed, true), (unlisted, false)] {
        for filters in lists.split(' ') {
            let found = list_ids(acme, filters).await;
            assert_eq!(found.contains(&id), is_listed, "{filters}");
        }
    }
}

#[stack_test]
async fn changes_of_pending_file_survive_activation(stack: &Stack, acme: &TestSpace) {
    let photos = acme.folder("Photos").await.id;
    let mut unconfirmed = Vec::new();

    for sent_first in [true, false] {
        let (file, pending) = changed_while_pending(stack, acme, &photos, sent_first).await;
        let active = file.confirm(acme).await.expect_ok();
        assert_eq!(acme.get_ok(&file.address()).await, active);
        assert_kept(stack, acme, &photos, &pending).await;
        let (_, pending) = changed_while_pending(stack, acme, &photos, sent_first).await;
        unconfirmed.push(pending);
    }
    assert_eq!(stack.dump().await.files_with_bytes().len(), 2);

    // The confirm-check activates the files that no client confirms.
    stack.run_confirm_checks().await;
    for pending in &unconfirmed {
        assert_kept(stack, acme, &photos, pending).await;
    }
    assert_eq!(stack.dump().await.files_with_bytes().len(), 4);
}

#[stack_test]
async fn concurrent_update_and_activation_both_take_effect(stack: &Stack, acme: &TestSpace) {
    let photos = acme.folder("Photos").await.id;

    for round in 0..ROUNDS {
        let pending_file = PendingFile::create(acme, json!({})).await;
        pending_file.put(stack, PHOTO).await;
        let path = pending_file.address();
        let body = json!({"original_name": "b.jpg", "tags": ["x"], "folder_id": photos});
        // Other requests before it delay the change by the number of the round.
        let change = async {
            for _ in 0..round % 5 {
                acme.get_ok(&path).await;
            }
            acme.put_ok(&path, body).await
        };
        let (confirmed, changed) = join(pending_file.confirm(acme), change).await;

        assert_eq!(confirmed.expect_ok()["id"], changed["id"]);
        let record = acme.get_ok(&path).await;
        assert_eq!(record["status"], "active", "round {round}");
        assert_eq!(record["original_name"], "b.jpg", "round {round}");
        assert_eq!(record["tags"], json!(["x"]), "round {round}");
        assert_eq!(record["folder_path"], "Photos/", "round {round}");
        let delivered = stack.anonymous.fetch(&text(&record["url"])).await;
        delivered.expect_body(PHOTO);
    }

    assert_eq!(list_ids(acme, "tag=x&search=b").await.len(), ROUNDS);
    assert_eq!(list_ids(acme, "search=photo").await.len(), 0);
    assert_eq!(stack.dump().await.files_with_bytes().len(), ROUNDS);
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn concurrent_updates_keep_each_others_fields(stack: &Stack, acme: &TestSpace) {
    let photos = acme.folder("Photos").await.id;
    let file = acme.upload("some text").named("a.txt", "text/plain").await;
    let access = format!("{}/access-control", file.path());

    for round in 0..ROUNDS {
        let name = format!("{round}.txt");
        let tag = format!("mark {round}");
        let is_inside = round % 2 == 0;
        let folder = if is_inside { &photos } else { "root" };
        let protected = round % 3 == 0;
        let flags = json!({ "requires_auth": protected });
        let changes = [
            acme.put(file.path(), json!({ "original_name": name })),
            acme.put(file.path(), json!({ "tags": [tag] })),
            acme.put(file.path(), json!({ "folder_id": folder })),
            acme.put(&access, json!({ "access_control": flags })),
        ];
        for response in join_all(changes).await {
            response.expect_status(200);
        }

        let record = acme.get_ok(file.path()).await;
        assert_eq!(record["original_name"], *name);
        assert_eq!(record["tags"], json!([tag]), "round {round}");
        let access = &record["access_control"]["requires_auth"];
        assert_eq!(*access, protected, "round {round}");
        let path = is_inside.then_some("Photos/");
        assert_eq!(record["folder_path"].as_str(), path, "round {round}");
        let listed = [
            format!("tag=mark%20{round}"),
            format!("search={name}"),
            format!("folder_id={folder}"),
        ];
        let next = round + 1;
        let unlisted = [format!("tag=mark%20{next}"), format!("search={next}.")];
        assert_listed(acme, &file.id, &listed, &unlisted).await;
        let status = if protected { 403 } else { 200 };
        stack.anonymous.fetch_as(status, file.url(), &[]).await;
    }
}

#[stack_test]
async fn search_prefix_ignores_unicode_form_of_its_end(acme: &TestSpace) {
    let file = acme.upload(PHOTO).named("ΟΔΟΣ.jpg", "image/jpeg").await;
    for search in ["ΟΔΟΣ", "οδος", "οδοσ", "ΟΔ", "ΟΔΟΣ.J"] {
        let path = format!("/files?{}", one("search", search));
        let found = acme.get_ok(&path).await;
        assert_eq!(found, json!([file.record]), "{search}");
    }
}

#[stack_test]
async fn rename_changes_etag(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).named("before.jpg", "image/jpeg").await;
    let url = file.url_with("download");
    let first = stack.anonymous.fetch(&url).await;
    first.expect_header("content-disposition", "attachment; filename=\"before.jpg\"");
    let unchanged = [("if-none-match", first.header("etag"))];
    stack.anonymous.fetch_as(200, file.url(), &unchanged).await;
    stack.anonymous.fetch_as(304, &url, &unchanged).await;

    let renamed = json!({"original_name": "after.jpg"});
    acme.put_ok(file.path(), renamed).await;

    let second = stack.anonymous.fetch_as(200, &url, &unchanged).await;
    second.expect_header("content-disposition", "attachment; filename=\"after.jpg\"");
}

#[stack_test]
async fn rename_to_executable_name_returns_422(acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    let rejection = field_error("original_name", "must not be an executable file");

    for name in ["photo.exe", "photo.php.jpg", "x.sh", "PHOTO.BAT"] {
        let body = json!({ "original_name": name });
        let errors = acme.put_err(422, file.path(), body).await;
        assert_eq!(errors, rejection, "{name}");
    }
    let harmless = json!({"original_name": "photo.exe.jpg"});
    acme.put_ok(file.path(), harmless).await;

    // A name that the config allowed remains valid.
    let settings = json!({"validation": {"allowed_formats": ["sh"]}});
    acme.upload_config("scripts").with_settings(settings).await;
    let script = acme.upload("#!/bin/sh\necho hello\n");
    let script = script.named("run.sh", "text/x-sh").with_config("scripts");
    let script = script.await;
    let renamed = json!({"original_name": "walk.sh"});
    acme.put_ok(script.path(), renamed).await;
}

#[stack_test]
async fn duplicate_config_tag_is_stored_once(acme: &TestSpace) {
    let settings = json!({"metadata": {"tags": ["a", " a", "b", "a"]}});
    let created = acme.upload_config("twice").with_settings(settings).await;
    let config = acme.get_ok(created.path()).await;
    assert_eq!(config["config"]["metadata"]["tags"], json!(["a", "b"]));

    let file = acme.upload(PHOTO).with_config("twice").await;
    assert_eq!(file["tags"], json!(["a", "b"]));
}

#[stack_test]
async fn stale_record_in_update_moves_no_file(acme: &TestSpace) {
    let folder = acme.folder("Before").await;
    let file = acme.upload(PHOTO).into(&folder).await;
    acme.put_ok(folder.path(), json!({"name": "After"})).await;
    let mut record = file.record.clone();
    record["tags"] = json!(["x"]);

    let rejection = field_error("folder_path", "must not be changed");
    assert_eq!(acme.put_err(422, file.path(), &record).await, rejection);
    record["folder_path"] = json!("After/");
    let changed = acme.put_ok(file.path(), record).await;
    assert_eq!(changed["folder_id"], folder.id);
    assert_eq!(changed["tags"], json!(["x"]));

    // With another folder alone: `folder_path` of the record still names the current folder.
    let elsewhere = json!(acme.folder("Elsewhere").await.id);
    let folder = json!(folder.id);
    for (folder_id, expected) in [
        (&elsewhere, &elsewhere),
        (&json!("root"), &Value::Null),
        (&folder, &folder),
        (&Value::Null, &Value::Null),
    ] {
        let mut record = acme.get_ok(file.path()).await;
        record["folder_id"] = folder_id.clone();
        let moved = acme.put_ok(file.path(), record).await;
        assert_eq!(&moved["folder_id"], expected);
    }

    let folders = acme.get_ok("/folders").await;
    assert_eq!(folders.as_array().map(Vec::len), Some(2), "none is created");
}
