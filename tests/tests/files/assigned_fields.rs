//! `PUT /files/:id`: title, alternative text and metadata.

use serde_json::{Value, json};
use tests::{PHOTO, TestSpace, assert_fields, stack_test};

#[stack_test]
async fn assigned_fields_are_replaced_kept_and_cleared(acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    let unassigned = json!({"title": null, "alt": null, "metadata": {}});
    assert_fields(&file, unassigned.clone());

    let assigned = json!({
        "title": "Harbour", "alt": "Two boats\nat a pier", "metadata": {"color": "blue", "sku_1": "A-7"},
    });
    let sizes = json!({"title": "t".repeat(255), "alt": "é".repeat(500), "metadata": {"k".repeat(40): "v".repeat(500)}});
    for (change, expected) in [
        (assigned.clone(), assigned.clone()),
        (json!({"tags": ["x"]}), assigned),
        (
            json!({"metadata": {"color": " red ", "sku_1": null, "size": ""}}),
            json!({"metadata": {"color": "red"}}),
        ),
        (
            json!({"title": null, "alt": "", "metadata": null}),
            unassigned,
        ),
        (sizes.clone(), sizes),
    ] {
        assert_fields(&acme.put_ok(file.path(), &change).await, expected.clone());
        assert_fields(&acme.get_ok(file.path()).await, expected);
    }

    let record = acme.get_ok(file.path()).await;
    let selected = acme
        .get_ok(&format!("{}?fields=title,metadata", file.path()))
        .await;
    assert_eq!(selected.as_object().map(serde_json::Map::len), Some(3));
    acme.put_ok(file.path(), record).await;
}

#[stack_test]
async fn invalid_assigned_fields_are_named(acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    let name = "must have a name of 1 to 40 characters of a-z, 0-9 and _";
    let many: Value = (0..21).map(|key| (format!("k{key}"), json!("v"))).collect();

    for (change, field, message) in [
        (
            json!({"title": "t".repeat(256)}),
            "title",
            "The title field must not be greater than 255 characters.".to_owned(),
        ),
        (
            json!({"alt": "a".repeat(501)}),
            "alt",
            "The alt field must not be greater than 500 characters.".to_owned(),
        ),
        (
            json!({"metadata": ["a"]}),
            "metadata",
            "The metadata field must be an object.".to_owned(),
        ),
        (
            json!({ "metadata": many }),
            "metadata",
            "The metadata field must not have more than 20 items.".to_owned(),
        ),
        (
            json!({"metadata": {"Color": "x"}}),
            "metadata.Color",
            format!("The metadata.Color field {name}."),
        ),
        (
            json!({"metadata": {"k".repeat(41): "x"}}),
            &format!("metadata.{}", "k".repeat(41)),
            format!("The metadata.{} field {name}.", "k".repeat(41)),
        ),
        (
            json!({"metadata": {"a": 5}}),
            "metadata.a",
            "The metadata.a field must be a string.".to_owned(),
        ),
        (
            json!({"metadata": {"a": "v".repeat(501)}}),
            "metadata.a",
            "The metadata.a field must not be greater than 500 characters.".to_owned(),
        ),
    ] {
        let expected = json!({ field: [message] });

        assert_eq!(acme.put_err(422, file.path(), &change).await, expected);
    }
}
