//! Upload configs: creation, changes, deletion, names, the active config, lists, and validation of
//! requests.

use futures::future::{join, join_all};
use serde_json::{Value, json};
use tests::{
    PHOTO, Stack, TestSpace, UNKNOWN_ID, assert_fields, column, merged, seconds, stack_test, text,
};

use crate::support::pages::{List, all_ids};

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
async fn config_is_deleted_by_the_id_in_the_query(acme: &TestSpace) {
    let client = &acme.client;
    let config = acme.upload_config("spare").await;
    let path = format!("/upload-configs?id={}", config.id);

    let different = client
        .request("DELETE", &path)
        .json(&json!({"id": UNKNOWN_ID}));
    let errors = client.send(different).await.expect_error(422);
    assert_eq!(
        errors["id"],
        json!(["The id field must be the same in the path, the query and the body."])
    );
    let required = json!(["The id field is required when upload config id is not present."]);
    assert_eq!(
        client.delete_err(422, "/upload-configs").await["id"],
        required
    );

    client.delete_ok(&path).await;
    client.delete_err(404, &path).await;
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

/// Returns the ids of a list of configs.
fn ids(configs: &Value) -> Vec<String> {
    column(configs, "id").iter().map(text).collect()
}

/// Creates a space with four more configs, and asserts that all its lists are equal. Returns the
/// ids of its configs.
async fn configs_of_new_space(stack: &Stack, name: &str) -> Vec<String> {
    stack.clock.advance(seconds(1));
    let space = stack.space(name).await;
    for number in 0..4 {
        stack.clock.advance(seconds(1));
        space.upload_config(&format!("config{number}")).await;
    }

    let path = format!("/upload-configs?space_id={}&limit=100", space.id);
    let configs = stack.account().get_ok(&path).await;
    let expected = ["config3", "config2", "config1", "config0", "starter"];
    assert_eq!(column(&configs, "name"), expected);
    assert_eq!(configs[0].get("config"), None);
    for path in ["/upload-configs?limit=100", "/upload-configs/all?limit=100"] {
        assert_eq!(space.get_ok(path).await, configs, "{path}");
    }
    ids(&configs)
}

#[stack_test]
async fn lists_return_configs_without_rules(stack: &Stack) {
    let account = stack.account();
    let default_space = account.get_ok("/upload-configs?limit=100").await;
    let mut expected = ids(&default_space);
    for name in ["One", "Two", "Three"] {
        let configs = configs_of_new_space(stack, name).await;
        expected = [configs, expected].concat();
    }

    for limit in [1, 3, 5, 100] {
        let all = List::new(&account, "/upload-configs/all", "", limit);
        let forward = all.forward().await;
        let last = forward.last().expect("at least one").clone();
        assert_eq!(all_ids(forward), expected, "{limit}");

        let backward = [all.backward(&last).await, vec![last]].concat();
        assert_eq!(all_ids(backward), expected, "{limit}");
    }
}

#[stack_test]
async fn restrictions_of_a_config_with_unsigned_uploads_cannot_be_cleared(acme: &TestSpace) {
    let restrictions = json!({"allowed_referrers": ["example.com"], "require_https": true});
    let message = "The unsigned restrictions field is required when allow unsigned is true.";
    let required = json!({"unsigned_restrictions": [message]});
    for body in [
        json!({"space_id": acme.id, "name": "web", "allow_unsigned": true}),
        json!({"space_id": acme.id, "name": "web", "allow_unsigned": true, "unsigned_restrictions": null}),
    ] {
        assert_eq!(acme.post_err(422, "/upload-configs", body).await, required);
    }

    let unsigned = json!({"allow_unsigned": true, "unsigned_restrictions": restrictions});
    let id = acme.upload_config("web").with(unsigned).await.id;

    let clear = json!({"id": id, "unsigned_restrictions": null});
    let errors = acme.post_err(422, "/upload-configs/update", clear).await;
    assert_eq!(errors, required);

    let close = json!({"allow_unsigned": false, "unsigned_restrictions": null});
    let closed = acme.update_upload_config(&id, close).await;
    assert_eq!(closed["unsigned_restrictions"], Value::Null);
}

/// The errors of [`invalid_request`]: field and end of the message, which is empty for a value that
/// cannot be selected.
const ERRORS: [(&str, &str); 23] = [
    ("name", "must consist of letters, digits, _ and -"),
    ("allow_unsigned", "must be false when `is_signed` is true"),
    ("delivery_type", ""),
    ("unsigned_restrictions.allowed_referrers", "is required"),
    ("unsigned_restrictions.require_https", "is required"),
    (
        "unsigned_restrictions.max_uploads_per_hour",
        "must not be greater than 1000",
    ),
    ("config.extra", "is not supported"),
    (
        "config.storage.folder",
        "must not contain the names . and .., or control characters",
    ),
    ("config.storage.generate_filename", "must be true or false"),
    ("config.storage.odd", "is not supported"),
    (
        "config.validation.allowed_formats.0",
        "must be the extension or MIME type of a known format, such as jpg",
    ),
    (
        "config.validation.allowed_formats.1",
        "must be the extension or MIME type of a known format, such as jpg",
    ),
    ("config.validation.allowed_formats.2", "must be a string"),
    ("config.validation.max_file_size", "must be at least 1"),
    ("config.validation.max_image_width", "must be at least 20"),
    (
        "config.transformations.upload_quality",
        "must not be greater than 100",
    ),
    ("config.transformations.upload_format", ""),
    (
        "config.transformations.eager.0.width",
        "is required when height is not present",
    ),
    (
        "config.transformations.eager.1.width",
        "must not be greater than 8192",
    ),
    ("config.transformations.eager.1.crop", ""),
    ("config.metadata.tags.0", "is required"),
    ("config.notifications.webhook_url", "must be an https URL"),
    ("config.notifications.events.0", ""),
];

fn invalid_request(space_id: &str) -> Value {
    json!({
        "space_id": space_id, "name": "a b", "is_signed": true, "allow_unsigned": true, "delivery_type": "public",
        "unsigned_restrictions": {"allowed_referrers": [], "max_uploads_per_hour": 1001},
        "config": {
            "extra": 1,
            "storage": {"folder": "a/../b", "generate_filename": "yes", "odd": 1},
            "validation": {"allowed_formats": ["a b", "jpgg", 1], "max_file_size": 0, "min_image_width": 20, "max_image_width": 10},
            "transformations": {"upload_quality": 101, "upload_format": "bmp", "eager": [{}, {"width": 9000, "crop": "stretch"}]},
            "metadata": {"tags": [""]},
            "notifications": {"webhook_url": "http://example.com", "events": ["file.moved"]},
        },
    })
}

#[stack_test]
async fn invalid_config_reports_all_errors(acme: &TestSpace) {
    let body = invalid_request(&acme.id);
    let errors = acme.post_err(422, "/upload-configs", body).await;

    let expected = ERRORS.map(|(field, end)| {
        let name = field.replace('_', " ");
        let message = match end {
            "" => format!("The selected {name} is invalid."),
            _ => format!("The {name} field {end}."),
        };
        (field.to_owned(), json!([message]))
    });
    assert_eq!(errors, Value::Object(expected.into_iter().collect()));
}
