//! Upload configs: creation, changes, deletion, names and the active config.

use futures::future::{join, join_all};
use serde_json::{Value, json};
use tests::{PHOTO, TestSpace, assert_fields, merged, stack_test, text};

/// Returns a create request with all fields.
fn full_request(space_id: &str) -> Value {
    json!({
        "space_id": space_id, "name": "product_images-2", "description": "For products", "allow_unsigned": true,
        "delivery_type": "authenticated",
        "unsigned_restrictions": {
            "allowed_referrers": ["Example.com", "*.bücher.example"], "require_https": true, "max_uploads_per_hour": 1000,
        },
        "config": {
            "storage": {"folder": "/products/2026/", "generate_filename": false},
            "validation": {"allowed_formats": "jpg, PNG", "max_file_size": 1000, "min_image_width": 10, "max_image_width": 20},
            "transformations": {
                "upload_quality": 80, "upload_format": "webp", "progressive": true, "strip_metadata": true,
                "eager": [{"width": 100, "height": 100, "crop": "fill", "format": "avif"}, {"width": 50}],
            },
            "metadata": {"tags": ["a", "b"]},
            "notifications": {"webhook_url": "https://example.com/hook", "events": ["file.deleted"]},
        },
    })
}

/// Asserts that a config has the normalized settings of [`full_request`].
#[track_caller]
fn assert_normalized(record: &Value) {
    let config = &record["config"];

    let storage =
        json!({"folder": "products/2026", "generate_filename": false, "unique_filename": true});
    assert_eq!(config["storage"], storage);
    let validation = json!({"allowed_formats": ["jpg", "png"], "min_image_height": null});
    assert_fields(&config["validation"], validation);
    let eager = json!({"width": 50, "height": null, "crop": "fit", "format": null});
    assert_eq!(config["transformations"]["eager"][1], eager);
    let referrers = json!(["example.com", "*.xn--bcher-kva.example"]);
    assert_eq!(
        record["unsigned_restrictions"]["allowed_referrers"],
        referrers
    );
}

#[stack_test]
async fn config_is_created_returned_updated_and_deleted(acme: &TestSpace) {
    let client = &acme.client;

    let created = client
        .create("/upload-configs", full_request(&acme.id))
        .await;
    let id = text(&created["id"]);
    let path = format!("/upload-configs/{}", id.to_lowercase());
    let record = client.get_ok(&path).await;
    assert_normalized(&record);
    // Only the single view has `config`.
    let with_config = merged(created, json!({"config": record["config"]}));
    assert_eq!(with_config, record);

    let change = json!({"upload_config_id": id, "name": "renamed", "description": null, "config": {"metadata": {"tags": []}}});
    let changed = client.post_ok("/upload-configs/update", change).await;
    let expected =
        json!({"name": "renamed", "description": null, "delivery_type": "authenticated"});
    assert_fields(&changed, expected);
    assert_eq!(changed.get("config"), None);
    let storage = json!({"folder": null, "generate_filename": true, "unique_filename": true});
    assert_eq!(client.get_ok(&path).await["config"]["storage"], storage);

    acme.upload_config("product_images-2").await;
    acme.upload(PHOTO).with_config("renamed").await;

    let deletion = json!({"id": id});
    delete(client, deletion.clone()).await.expect_status(204);
    delete(client, deletion).await.expect_error(404);
    client.get_err(404, &path).await;
    let with_deleted = acme.upload(PHOTO).with_config("renamed");
    with_deleted.send().await.expect_error(422);
}

pub(crate) async fn delete(client: &tests::Client, body: Value) -> tests::Response {
    client
        .send(client.request("DELETE", "/upload-configs").json(&body))
        .await
}

#[stack_test]
async fn names_are_unique_in_space_and_active_config_is_kept(acme: &TestSpace, other: &TestSpace) {
    let client = &acme.client;
    let create = |name: &str| {
        let body = json!({"space_id": acme.id, "name": name});
        client.post("/upload-configs", body)
    };
    let second = acme.upload_config("second").await;
    other.upload_config("second").await;

    let taken = json!({"name": ["The name has already been taken."]});
    assert_eq!(create("starter").await.expect_error(422), taken);

    let rename = json!({"id": second.id, "name": "starter"});
    let errors = client.post_err(422, "/upload-configs/update", rename).await;
    assert_eq!(errors, taken);

    let responses = join_all((0..20).map(|_| create("race"))).await;
    let mut statuses: Vec<u16> = responses.iter().map(|response| response.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [&[201][..], &[422; 19]].concat());

    let activate = json!({"name": "Acme", "active_upload_config_id": second.id});
    client.put_ok(&acme.path(), activate).await;
    let conflict = delete(client, json!({"id": second.id})).await;
    assert!(conflict.expect_error(409)["id"].is_array());

    let record = acme.upload(PHOTO).await;
    assert_eq!(record["upload_config_id"], second["id"]);

    let foreign = json!({"name": "Other", "active_upload_config_id": second.id});
    let errors = other.put_err(422, &other.path(), foreign).await;
    assert_eq!(
        errors,
        json!({"active_upload_config_id": ["The selected active upload config id is invalid."]})
    );
}

#[stack_test]
async fn active_config_cannot_be_deleted_concurrently(acme: &TestSpace) {
    let space = acme.path();
    let starter = text(&acme.get_ok(&space).await["active_upload_config_id"]);

    for round in 0..20 {
        let id = acme.upload_config(&format!("config{round}")).await.id;
        let body = |id: &str| json!({"name": "Acme", "active_upload_config_id": id});
        let activate = acme.put(&space, body(&id));
        let deletion = delete(&acme.client, json!({"id": id}));
        let statuses = if round % 2 == 0 {
            let (activated, deleted) = join(activate, deletion).await;
            [activated.status, deleted.status]
        } else {
            let (deleted, activated) = join(deletion, activate).await;
            [activated.status, deleted.status]
        };
        let is_valid = [[200, 409], [422, 204]].contains(&statuses);
        assert!(is_valid, "activated and deleted with {statuses:?}");

        acme.upload(PHOTO).await;
        acme.put_ok(&space, body(&starter)).await;
    }
}
