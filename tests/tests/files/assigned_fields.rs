//! `PUT /files/:id`: title, alternative text and metadata.

use serde_json::{Value, json};
use tests::{PHOTO, TestSpace, assert_fields, field_error, field_names, rows, stack_test};

#[stack_test]
async fn assigned_fields_are_replaced_kept_and_cleared(acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    let unassigned = json!({"title": null, "alt": null, "metadata": {}});
    assert_fields(&file, unassigned.clone());

    let assigned = json!({
        "title": "Harbour", "alt": "Two boats\nat a pier", "metadata": {"color": "blue", "sku_1": "A-7"},
    });
    let sizes = json!({"title": "t".repeat(255), "alt": "é".repeat(500), "metadata": {"k".repeat(40): "v".repeat(500)}});
    for (change, expected) in rows::<(Value, Value)>(json!([
        [assigned, assigned],
        [{"tags": ["x"]}, assigned],
        [{"metadata": {"color": " red ", "sku_1": null, "size": ""}}, {"metadata": {"color": "red"}}],
        [{"title": null, "alt": "", "metadata": null}, unassigned],
        [sizes, sizes],
    ])) {
        assert_fields(&acme.put_ok(file.path(), &change).await, expected.clone());
        assert_fields(&acme.get_ok(file.path()).await, expected);
    }

    let record = acme.get_ok(file.path()).await;
    let selected = format!("{}?fields=title,metadata", file.path());
    let selected = acme.get_ok(&selected).await;
    assert_eq!(field_names(&selected), ["id", "metadata", "title"]);
    acme.put_ok(file.path(), record).await;
}

#[stack_test]
async fn invalid_assigned_fields_are_named(acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    let name = "must have a name of 1 to 40 characters of a-z, 0-9 and _";
    let many: Value = (0..21).map(|key| (format!("k{key}"), json!("v"))).collect();
    let long = "k".repeat(41);
    let of_long = format!("metadata.{long}");

    for (change, field, end) in rows::<(Value, String, String)>(json!([
        [{"title": "t".repeat(256)}, "title", "must not be greater than 255 characters"],
        [{"alt": "a".repeat(501)}, "alt", "must not be greater than 500 characters"],
        [{"metadata": ["a"]}, "metadata", "must be an object"],
        [{"metadata": many}, "metadata", "must not have more than 20 items"],
        [{"metadata": {"Color": "x"}}, "metadata.Color", name],
        [{"metadata": {&*long: "x"}}, of_long, name],
        [{"metadata": {"a": 5}}, "metadata.a", "must be a string"],
        [{"metadata": {"a": "v".repeat(501)}}, "metadata.a", "must not be greater than 500 characters"],
    ])) {
        let errors = acme.put_err(422, file.path(), &change).await;
        assert_eq!(errors, field_error(&field, &end));
    }
}
