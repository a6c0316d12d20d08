//! `PUT /files/:id` and `PUT /files`: changeable and read-only fields.

use serde_json::{Value, json};
use tests::{
    Client, PHOTO, Stack, TestSpace, UNKNOWN_ID, field_error, field_names, file_path, merged, rows,
    seconds, stack_test,
};

use crate::uploads::presign::PendingFile;

/// Read-only fields of a record.
const READ_ONLY: &str = "name extension mime_type size storage_path url resource_type status \
    space_id upload_config_id checksum_sha256 uploaded_by access_control created_at";

/// Returns request bodies in order, and the fields that each changes.
fn changes(record: &Value, folder: &str) -> Vec<(Value, Value)> {
    let protected = json!({
        "requires_auth": true, "public_read": false,
        "source": "direct", "inherited_from": record["id"], "setting": null,
    });
    let inside = json!({"folder_id": folder, "folder_path": "Photos/"});
    let outside = json!({"folder_id": null, "folder_path": null});
    let ignored = json!({"updated_at": "never", "storage_meta": {"width": 1}, "thumbnails": 5, "colour": "red"});
    let several = json!({"original_name": "a.jpg", "ref": "r"});
    let twenty: Vec<String> = (0..20).map(|number| format!("tag {number}")).collect();

    let change =
        |field: &str, value: Value, stored: Value| (json!({field: value}), json!({field: stored}));
    let name = |value: &str, stored: &str| change("original_name", json!(value), json!(stored));
    let same = |field, value: Value| change(field, value.clone(), value);
    let single = [
        name(" C:\\new/Summer.JPEG ", "Summer.JPEG"),
        name("gpj\u{202E}.\u{7}jpg", "gpj.jpg"),
        name(&"é".repeat(300), &"é".repeat(255)),
        change("ref", json!(" order 7 "), json!("order 7")),
        same("ref", json!("é".repeat(255))),
        change("ref", json!("  "), json!(null)),
        same("ref", json!("x")),
        same("ref", json!(null)),
        change("tags", json!([" a ", "b"]), json!(["a", "b"])),
        change("tags", json!(["a", "a", " a"]), json!(["a"])),
        change("tags", json!(["b", "a", "A", "b"]), json!(["b", "a", "A"])),
        same("tags", json!(twenty)),
        change("tags", json!(null), json!([])),
        same("tags", json!(["é".repeat(100)])),
        same("tags", json!([])),
    ];
    let moves = [
        (json!({"folder_id": folder.to_lowercase()}), &inside),
        (json!({"folder_id": "root"}), &outside),
        (json!({"folder_id": folder, "folder_path": null}), &inside),
        (json!({"folder_id": null}), &outside),
        (json!({"folder_id": folder}), &inside),
        (json!({"folder_path": null}), &outside),
        (json!({"folder_id": folder}), &inside),
        (json!({"folder_path": ""}), &outside),
    ];
    let moves = moves.map(|(body, changed)| (body, changed.clone()));
    let types = [
        ("private", &protected),
        ("authenticated", &protected),
        ("upload", &record["access_control"]),
    ];
    let types = types.map(|(kind, access)| {
        let changed = json!({"type": kind, "access_control": access});
        (json!({ "type": kind }), changed)
    });
    let unchanged = [json!({}), ignored].map(|body| (body, json!({})));
    let several = (several.clone(), several);
    let fields = single.into_iter().chain(types).chain(moves);
    fields.chain([several]).chain(unchanged).collect()
}

#[stack_test]
async fn update_changes_single_fields_and_keeps_url(stack: &Stack, acme: &TestSpace) {
    let photos = acme.folder("Photos").await.id;
    let file = acme.upload(PHOTO).await;
    let mut expected = file.record.clone();

    for (body, changed) in changes(&expected, &photos) {
        stack.clock.advance(seconds(1));
        let updated = acme.put_ok(file.path(), &body).await;

        let is_changed = changed != json!({});
        let is_newer = updated["updated_at"].as_str() > expected["updated_at"].as_str();
        assert!(is_newer || !is_changed, "{body}");
        expected = merged(expected, changed);
        expected["updated_at"] = updated["updated_at"].clone();
        assert_eq!(updated, expected, "{body}");
        assert_eq!(acme.get_ok(file.path()).await, expected, "{body}");
        acme.fetch(file.url()).await.expect_body(PHOTO);
        let is_public = expected["type"] == "upload";
        let status = if is_public { 200 } else { 403 };
        stack.anonymous.fetch_as(status, file.url(), &[]).await;
    }
}

/// Returns fields with invalid values, and their errors: the field and the end of its message.
fn invalid_updates() -> Vec<(&'static str, Value, &'static str, &'static str)> {
    let required = "is required";
    let string = "must be a string";
    let control = "must not contain control characters";
    let long_ref = "must not be greater than 255 characters";
    let long_tag = "must not be greater than 100 characters";
    let many = "must not have more than 20 items";
    let without_folder = "is required when folder path is present";
    let name = "original_name";
    let twenty_one: Vec<String> = (0..21).map(|number| number.to_string()).collect();

    vec![
        (name, json!(null), name, required),
        (name, json!(" "), name, required),
        (name, json!(5), name, string),
        ("folder_id", json!(5), "folder_id", string),
        ("folder_path", json!("a/b"), "folder_id", without_folder),
        ("ref", json!("x".repeat(256)), "ref", long_ref),
        ("ref", json!("a\nb"), "ref", control),
        ("ref", json!(["x"]), "ref", string),
        ("tags", json!("a"), "tags", "must be an array"),
        ("tags", json!(twenty_one), "tags", many),
        ("tags", json!(["a", ""]), "tags.1", required),
        ("tags", json!([5]), "tags.0", string),
        ("tags", json!(["x".repeat(101)]), "tags.0", long_tag),
        ("tags", json!(["a\u{0}"]), "tags.0", control),
        ("type", json!(5), "type", string),
        ("type", json!(null), "type", required),
        ("type", json!("public"), "type", ""),
    ]
}

#[stack_test]
async fn invalid_update_returns_422_and_changes_nothing(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    let before = stack.dump().await;

    for (field, value, error_field, end) in invalid_updates() {
        let body = json!({field: value});
        let errors = acme.put_err(422, file.path(), &body).await;
        assert_eq!(errors, field_error(error_field, end), "{body}");
    }

    let several =
        json!({"original_name": "", "ref": 5, "tags": [5, ""], "type": "x", "folder_path": "a"});
    let errors = acme.put_err(422, file.path(), several).await;
    let names = "folder_id original_name ref tags.0 tags.1 type";
    assert_eq!(field_names(&errors).join(" "), names);
    stack.assert_unchanged(&before, "invalid updates").await;
}

#[stack_test]
async fn read_only_fields_are_accepted_only_unchanged(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    for field in READ_ONLY.split(' ') {
        let mut updated = acme.put_ok(file.path(), json!({field: file[field]})).await;
        updated["updated_at"] = file["updated_at"].clone();
        assert_eq!(updated, file, "{field}");
    }

    let folder = acme.folder("photos").await;
    let elsewhere = acme.upload(PHOTO).into(&folder).await;
    let before = stack.dump().await;
    for field in READ_ONLY.split(' ') {
        let unchangeable = field_error(field, "must not be changed");
        for other in rows::<Value>(json!([null, "another", 7, {"requires_auth": true}, []])) {
            let errors = acme.put_err(422, file.path(), json!({field: other})).await;
            assert_eq!(errors, unchangeable, "{field} {other}");
        }
    }

    let outside = merged(elsewhere.record.clone(), json!({"folder_path": null}));
    let errors = acme.put_err(422, elsewhere.path(), outside).await;
    assert_eq!(errors, field_error("folder_path", "must not be changed"));

    let several =
        json!({"size": 1, "mime_type": "image/png", "storage_path": "a", "original_name": "b.jpg"});
    let errors = acme.put_err(422, file.path(), several).await;
    assert_eq!(field_names(&errors), ["mime_type", "size", "storage_path"]);
    stack.assert_unchanged(&before, "read-only fields").await;
}

/// Asserts that an update with the full record changes nothing, and one with a changed field that
/// field alone.
async fn assert_full_updates(client: &Client, record: &Value) {
    let path = file_path(record);
    let same_time = json!({"updated_at": record["updated_at"]});

    for path in [&path, "/files"] {
        let same = client.put_ok(path, record).await;
        assert_eq!(merged(same, same_time.clone()), *record);
    }

    let rename = json!({"original_name": "b.jpg"});
    let current = client.get_ok(&path).await;
    let renamed = client.put_ok(&path, merged(current, rename.clone())).await;
    assert_eq!(merged(renamed, same_time), merged(record.clone(), rename));

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

    let close = merged(inside.record.clone(), json!({"type": "private"}));
    let protected = acme.put_ok(inside.path(), close).await;
    assert_eq!(protected["type"], "private");
    assert_eq!(protected["access_control"]["source"], "direct");

    let folders = acme.get_ok("/folders").await;
    assert_eq!(folders.as_array().map(Vec::len), Some(1), "none is created");
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn rejected_move_creates_no_folders(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    let valid = json!({"folder_id": "root", "folder_path": "new/path"});
    let before = stack.dump().await;

    for wrong in rows::<Value>(json!([{"type": "public"}, {"size": 1}, {"tags": [5]}])) {
        let body = merged(valid.clone(), wrong);
        acme.put_err(422, file.path(), body).await;
    }
    let unknown_file = merged(valid, json!({ "id": UNKNOWN_ID }));
    acme.put_err(404, "/files", unknown_file).await;

    stack.assert_unchanged(&before, "rejected moves").await;
}
