//! `PUT /files/:id` and `PUT /files`: changeable and read-only fields.

use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, file_path, seconds, stack_test, text};

/// Read-only fields of a record.
const READ_ONLY: &[&str] = &[
    "name",
    "extension",
    "mime_type",
    "size",
    "storage_path",
    "url",
    "resource_type",
    "status",
    "space_id",
    "upload_config_id",
    "checksum_sha256",
    "uploaded_by",
    "access_control",
    "created_at",
];

/// Returns an object with some fields replaced.
pub(super) fn with(record: &Value, fields: &Value) -> Value {
    let mut record = record.clone();
    for (name, value) in fields.as_object().expect("an object") {
        record[name] = value.clone();
    }
    record
}

/// Returns request bodies in order, and the fields that each changes.
fn changes(record: &Value, folder: &str) -> Vec<(Value, Value)> {
    let accepted =
        |field: &str, value: Value, stored: Value| (json!({field: value}), json!({field: stored}));
    let protected = json!({
        "requires_auth": true, "public_read": false,
        "source": "direct", "inherited_from": record["id"], "setting": null,
    });
    let inside = json!({"folder_id": folder, "folder_path": "Photos/"});
    let outside = json!({"folder_id": null, "folder_path": null});
    let ignored = json!({"updated_at": "never", "storage_meta": {"width": 1}, "thumbnails": 5, "colour": "red"});

    vec![
        accepted(
            "original_name",
            json!(" C:\\new/Summer.JPEG "),
            json!("Summer.JPEG"),
        ),
        accepted(
            "original_name",
            json!("gpj\u{202E}.\u{7}jpg"),
            json!("gpj.jpg"),
        ),
        accepted(
            "original_name",
            json!("é".repeat(300)),
            json!("é".repeat(255)),
        ),
        accepted("ref", json!(" order 7 "), json!("order 7")),
        accepted("ref", json!("é".repeat(255)), json!("é".repeat(255))),
        accepted("ref", json!("  "), json!(null)),
        accepted("ref", json!("x"), json!("x")),
        accepted("ref", json!(null), json!(null)),
        accepted("tags", json!([" a ", "b"]), json!(["a", "b"])),
        accepted("tags", json!(null), json!([])),
        accepted("tags", json!(["é".repeat(100)]), json!(["é".repeat(100)])),
        accepted("tags", json!([]), json!([])),
        (
            json!({"type": "private"}),
            json!({"type": "private", "access_control": protected}),
        ),
        accepted("type", json!("authenticated"), json!("authenticated")),
        (
            json!({"type": "upload"}),
            json!({"type": "upload", "access_control": record["access_control"]}),
        ),
        (json!({"folder_id": folder.to_lowercase()}), inside.clone()),
        (json!({"folder_id": "root"}), outside.clone()),
        (
            json!({"folder_id": folder, "folder_path": null}),
            inside.clone(),
        ),
        (json!({"folder_id": null}), outside.clone()),
        (json!({"folder_id": folder}), inside.clone()),
        (json!({"folder_path": null}), outside.clone()),
        (json!({"folder_id": folder}), inside),
        (json!({"folder_path": ""}), outside),
        (
            json!({"original_name": "a.jpg", "ref": "r"}),
            json!({"original_name": "a.jpg", "ref": "r"}),
        ),
        (json!({}), json!({})),
        (ignored, json!({})),
    ]
}

#[stack_test]
async fn update_changes_single_fields_and_keeps_url(stack: &Stack, acme: &TestSpace) {
    let photos = acme.folder("Photos").await.id;
    let mut expected = acme.upload(PHOTO).await.record;
    let path = file_path(&expected);
    let url = text(&expected["url"]);

    for (body, changed) in changes(&expected, &photos) {
        stack.clock.advance(seconds(1));
        let updated = acme.put_ok(&path, body.clone()).await;
        let is_changed = changed != json!({});
        assert!(
            !is_changed || updated["updated_at"].as_str() > expected["updated_at"].as_str(),
            "{body}"
        );
        expected = with(&expected, &changed);
        expected["updated_at"] = updated["updated_at"].clone();
        assert_eq!(updated, expected, "{body}");
        assert_eq!(acme.get_ok(&path).await, expected, "{body}");
        assert!(acme.fetch(&url).await.body == PHOTO, "{body}");
        stack
            .anonymous
            .get(&url)
            .await
            .expect_status(if expected["type"] == "upload" {
                200
            } else {
                403
            });
    }

    let saved = stack.anonymous.fetch(&format!("{url}?download")).await;

    assert_eq!(
        saved.header("content-disposition"),
        "attachment; filename=\"a.jpg\"",
        "it is saved under its new name"
    );
}

#[stack_test]
async fn duplicate_tag_is_stored_once(acme: &TestSpace) {
    let path = file_path(&acme.upload(PHOTO).await.record);
    let update =
        async |tags: Value| acme.put_ok(&path, json!({"tags": tags})).await["tags"].clone();

    assert_eq!(update(json!(["a", "a", " a"])).await, json!(["a"]));

    let mut tags: Vec<String> =
        serde_json::from_value(update(json!(["b", "a", "A", "b"])).await).expect("texts");
    tags.sort();
    assert_eq!(tags, ["A", "a", "b"]);

    let twenty: Vec<String> = (10..30).map(|number| format!("tag {number}")).collect();
    assert_eq!(
        update(json!(twenty)).await.as_array().map(Vec::len),
        Some(20)
    );

    let list = acme.fetch("/files?tag=tag%2029").await.json();

    assert_eq!(list["data"].as_array().map(Vec::len), Some(1));
}

/// An update of one field with an invalid value.
struct InvalidUpdate {
    field: &'static str,
    value: Value,
    /// Field that the error names.
    error_field: &'static str,
    /// The message is `The … field` and this end.
    message_end: &'static str,
}

fn invalid_updates() -> Vec<InvalidUpdate> {
    let update = |field, value, error_field, message_end| InvalidUpdate {
        field,
        value,
        error_field,
        message_end,
    };
    let of_field = |field, value, message_end| update(field, value, field, message_end);
    let of_tag = |tag, value, message_end| update("tags", value, tag, message_end);
    let too_many_tags: Vec<String> = (0..21).map(|number| number.to_string()).collect();
    let long_ref = "x".repeat(256);
    let long_tag = "x".repeat(101);

    vec![
        of_field("original_name", json!(null), "is required"),
        of_field("original_name", json!(" "), "is required"),
        of_field("original_name", json!(5), "must be a string"),
        of_field("folder_id", json!(5), "must be a string"),
        update(
            "folder_path",
            json!("a/b"),
            "folder_id",
            "is required when folder path is present",
        ),
        of_field(
            "ref",
            json!(long_ref),
            "must not be greater than 255 characters",
        ),
        of_field("ref", json!("a\nb"), "must not contain control characters"),
        of_field("ref", json!(["x"]), "must be a string"),
        of_field("tags", json!("a"), "must be an array"),
        of_field(
            "tags",
            json!(too_many_tags),
            "must not have more than 20 items",
        ),
        of_tag("tags.1", json!(["a", ""]), "is required"),
        of_tag("tags.0", json!([5]), "must be a string"),
        of_tag(
            "tags.0",
            json!([long_tag]),
            "must not be greater than 100 characters",
        ),
        of_tag(
            "tags.0",
            json!(["a\u{0}"]),
            "must not contain control characters",
        ),
        of_field("type", json!(5), "must be a string"),
        of_field("type", json!(null), "is required"),
    ]
}

#[stack_test]
async fn invalid_update_returns_422_and_changes_nothing(stack: &Stack, acme: &TestSpace) {
    let path = acme.upload(PHOTO).await.path().to_owned();
    let before = stack.dump().await;

    for invalid in invalid_updates() {
        let body = json!({invalid.field: invalid.value});
        let errors = acme.put_err(422, &path, body.clone()).await;

        let name = invalid.error_field.replace('_', " ");
        let message = format!("The {name} field {}.", invalid.message_end);
        assert_eq!(errors, json!({invalid.error_field: [message]}), "{body}");
    }

    let unknown_type = json!({"type": "public"});
    assert_eq!(
        acme.put_err(422, &path, unknown_type).await,
        json!({"type": ["The selected type is invalid."]})
    );
    stack
        .dump()
        .await
        .assert_unchanged(&before, "invalid updates");
}

#[stack_test]
async fn invalid_update_reports_all_errors_together(stack: &Stack, acme: &TestSpace) {
    let path = acme.upload(PHOTO).await.path().to_owned();
    let before = stack.dump().await;
    let several =
        json!({"original_name": "", "ref": 5, "tags": [5, ""], "type": "x", "folder_path": "a"});

    let errors = acme.put_err(422, &path, several).await;

    let mut reported: Vec<&String> = errors.as_object().expect("an object").keys().collect();
    reported.sort();
    assert_eq!(
        reported,
        [
            "folder_id",
            "original_name",
            "ref",
            "tags.0",
            "tags.1",
            "type"
        ]
    );
    stack
        .dump()
        .await
        .assert_unchanged(&before, "an invalid update");
}

#[stack_test]
async fn read_only_fields_are_accepted_only_unchanged(stack: &Stack, acme: &TestSpace) {
    let record = acme.upload(PHOTO).await;
    let path = file_path(&record);

    for &field in READ_ONLY {
        let updated = acme.put_ok(&path, json!({field: record[field]})).await;
        assert_eq!(
            with(&updated, &json!({"updated_at": record["updated_at"]})),
            record,
            "{field}"
        );
    }

    let folder = acme.folder("photos").await;
    let mut elsewhere = acme.upload(PHOTO).into(&folder).await.record.clone();
    elsewhere["folder_path"] = json!(null);
    let before = stack.dump().await;
    for &field in READ_ONLY {
        let message = format!("The {} field must not be changed.", field.replace('_', " "));
        for other in [
            json!(null),
            json!("another"),
            json!(7),
            json!({"requires_auth": true}),
            json!([]),
        ] {
            let errors = acme.put_err(422, &path, json!({field: other})).await;
            assert_eq!(errors, json!({field: [message]}), "{field} {other}");
        }
    }

    let errors = acme.put_err(422, &file_path(&elsewhere), elsewhere).await;
    assert_eq!(
        errors["folder_path"],
        json!(["The folder path field must not be changed."])
    );

    let several =
        json!({"size": 1, "mime_type": "image/png", "storage_path": "a", "original_name": "b.jpg"});
    let errors = acme.put_err(422, &path, several).await;

    assert_eq!(
        errors.as_object().map(serde_json::Map::len),
        Some(3),
        "{errors}"
    );
    stack
        .dump()
        .await
        .assert_unchanged(&before, "changes of read-only fields");
}
