//! `/upload-configs`.

use futures::future::join;
use serde_json::{Value, json};
use tests::{PHOTO, Stack, form, stack_test};

#[stack_test]
async fn config_is_created_returned_updated_and_deleted(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let whole = json!({
        "space_id": acme.id, "name": "product_images-2", "description": "For products", "allow_unsigned": true,
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
    });
    let created = acme
        .client
        .post("/upload-configs", whole)
        .await
        .expect_created();
    let id = created["id"].as_str().expect("an id");
    let single = format!("/upload-configs/{}", id.to_lowercase());
    let made = acme.client.get(&single).await.expect_ok();
    let mut without_config = made.clone();
    without_config
        .as_object_mut()
        .expect("an object")
        .remove("config");
    assert_eq!(created, without_config, "only the single view has `config`");
    assert_eq!(
        made["config"]["storage"],
        json!({"folder": "products/2026", "generate_filename": false, "unique_filename": true})
    );
    assert_eq!(
        made["config"]["validation"]["allowed_formats"],
        json!(["jpg", "png"])
    );
    assert_eq!(
        made["config"]["validation"]["min_image_height"],
        Value::Null
    );
    assert_eq!(
        made["config"]["transformations"]["eager"][1],
        json!({"width": 50, "height": null, "crop": "fit", "format": null})
    );
    assert_eq!(
        made["unsigned_restrictions"]["allowed_referrers"],
        json!(["example.com", "*.xn--bcher-kva.example"])
    );

    let change = json!({"upload_config_id": id, "name": "renamed", "description": null, "config": {"metadata": {"tags": []}}});
    let changed = acme
        .client
        .post("/upload-configs/update", change)
        .await
        .expect_ok();
    assert_eq!(
        (&changed["name"], &changed["description"]),
        (&json!("renamed"), &Value::Null)
    );
    assert_eq!(changed["delivery_type"], "authenticated");
    assert!(
        changed.get("config").is_none(),
        "only the single view has `config`"
    );
    assert_eq!(
        acme.client.get(&single).await.expect_ok()["config"]["storage"],
        json!({"folder": null, "generate_filename": true, "unique_filename": true})
    );
    acme.client
        .post(
            "/upload-configs",
            json!({"space_id": acme.id, "name": "product_images-2"}),
        )
        .await
        .expect_created();

    acme.client
        .upload(
            form(&acme.handle, "photo.jpg", "image/jpeg", PHOTO).text("upload_config", "renamed"),
        )
        .await
        .expect_created();
    delete(&acme.client, json!({"id": id}))
        .await
        .expect_status(204);
    delete(&acme.client, json!({"id": id}))
        .await
        .expect_error(404);
    acme.client
        .get(&format!("/upload-configs/{id}"))
        .await
        .expect_error(404);
    let rejected = acme.client.upload(
        form(&acme.handle, "photo.jpg", "image/jpeg", PHOTO).text("upload_config", "renamed"),
    );
    rejected.await.expect_error(422);
}

async fn delete(client: &tests::Client, body: Value) -> tests::Response {
    client
        .send(client.request("DELETE", "/upload-configs").json(&body))
        .await
}

#[stack_test]
async fn restrictions_of_a_config_with_unsigned_uploads_cannot_be_cleared(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let restrictions = json!({"allowed_referrers": ["example.com"], "require_https": true});
    let required = json!({"unsigned_restrictions": ["The unsigned restrictions field is required when allow unsigned is true."]});
    let body = json!({"space_id": acme.id, "name": "web", "allow_unsigned": true, "unsigned_restrictions": null});
    assert_eq!(
        acme.client
            .post("/upload-configs", body)
            .await
            .expect_error(422),
        required
    );
    let body = json!({"space_id": acme.id, "name": "web", "allow_unsigned": true, "unsigned_restrictions": restrictions});
    let id = acme
        .client
        .post("/upload-configs", body)
        .await
        .expect_created()["id"]
        .clone();

    let clear = json!({"id": id, "unsigned_restrictions": null});
    assert_eq!(
        acme.client
            .post("/upload-configs/update", clear)
            .await
            .expect_error(422),
        required
    );

    let close = json!({"id": id, "allow_unsigned": false, "unsigned_restrictions": null});
    let closed = acme
        .client
        .post("/upload-configs/update", close)
        .await
        .expect_ok();
    assert_eq!(closed["unsigned_restrictions"], Value::Null);
}

#[stack_test]
async fn viewer_key_listing_all_upload_configs_returns_403(stack: &Stack) {
    let acme = stack.space("Acme").await;
    acme.role("viewer")
        .await
        .get("/upload-configs/all")
        .await
        .expect_error(403);
    acme.role("user")
        .await
        .get("/upload-configs/all")
        .await
        .expect_status(200);
}

#[stack_test]
async fn invalid_config_reports_all_errors(stack: &Stack) {
    let acme = stack.space("Acme").await;

    let wrong = json!({
        "space_id": acme.id, "name": "a b", "is_signed": true, "allow_unsigned": true, "delivery_type": "public",
        "unsigned_restrictions": {"allowed_referrers": [], "max_uploads_per_hour": 1001},
        "config": {
            "extra": 1,
            "storage": {"folder": "a/../b", "generate_filename": "yes", "odd": 1},
            "validation": {"allowed_formats": ["a b", 1], "max_file_size": 0, "min_image_width": 20, "max_image_width": 10},
            "transformations": {"upload_quality": 101, "upload_format": "bmp", "eager": [{}, {"width": 9000, "crop": "stretch"}]},
            "metadata": {"tags": [""]},
            "notifications": {"webhook_url": "http://example.com", "events": ["file.moved"]},
        },
    });

    let errors = acme
        .client
        .post("/upload-configs", wrong)
        .await
        .expect_error(422);

    for (field, message) in [
        ("name", "The name field format is invalid."),
        (
            "allow_unsigned",
            "The allow unsigned field must be false when is signed is true.",
        ),
        ("delivery_type", "The selected delivery type is invalid."),
        (
            "unsigned_restrictions.allowed_referrers",
            "The unsigned restrictions.allowed referrers field is required.",
        ),
        (
            "unsigned_restrictions.require_https",
            "The unsigned restrictions.require https field is required.",
        ),
        (
            "unsigned_restrictions.max_uploads_per_hour",
            "The unsigned restrictions.max uploads per hour field must not be greater than 1000.",
        ),
        ("config.extra", "The config.extra field is not supported."),
        (
            "config.storage.folder",
            "The config.storage.folder field format is invalid.",
        ),
        (
            "config.storage.generate_filename",
            "The config.storage.generate filename field must be true or false.",
        ),
        (
            "config.storage.odd",
            "The config.storage.odd field is not supported.",
        ),
        (
            "config.validation.allowed_formats.0",
            "The config.validation.allowed formats.0 field format is invalid.",
        ),
        (
            "config.validation.allowed_formats.1",
            "The config.validation.allowed formats.1 field must be a string.",
        ),
        (
            "config.validation.max_file_size",
            "The config.validation.max file size field must be at least 1.",
        ),
        (
            "config.validation.max_image_width",
            "The config.validation.max image width field must be at least 20.",
        ),
        (
            "config.transformations.upload_quality",
            "The config.transformations.upload quality field must not be greater than 100.",
        ),
        (
            "config.transformations.upload_format",
            "The selected config.transformations.upload format is invalid.",
        ),
        (
            "config.transformations.eager.0.width",
            "The config.transformations.eager.0.width field is required when height is not present.",
        ),
        (
            "config.transformations.eager.1.width",
            "The config.transformations.eager.1.width field must not be greater than 8192.",
        ),
        (
            "config.transformations.eager.1.crop",
            "The selected config.transformations.eager.1.crop is invalid.",
        ),
        (
            "config.metadata.tags.0",
            "The config.metadata.tags.0 field is required.",
        ),
        (
            "config.notifications.webhook_url",
            "The config.notifications.webhook url field must be a valid URL.",
        ),
        (
            "config.notifications.events.0",
            "The selected config.notifications.events.0 is invalid.",
        ),
    ] {
        assert_eq!(errors[field], json!([message]), "{field}");
    }

    assert_eq!(
        errors.as_object().map(serde_json::Map::len),
        Some(22),
        "{errors}"
    );

    let none = json!({"space_id": acme.id, "name": "open", "allow_unsigned": true});
    let errors = acme
        .client
        .post("/upload-configs", none)
        .await
        .expect_error(422);

    assert_eq!(
        errors,
        json!({"unsigned_restrictions": ["The unsigned restrictions field is required when allow unsigned is true."]})
    );
}

#[stack_test]
async fn names_are_unique_in_space_and_active_config_is_kept(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let other = stack.space("Other").await;
    let new = |space: &str, name: &str| json!({"space_id": space, "name": name});
    let second = acme
        .client
        .post("/upload-configs", new(&acme.id, "second"))
        .await
        .expect_created();
    other
        .client
        .post("/upload-configs", new(&other.id, "second"))
        .await
        .expect_created();
    let taken = json!({"name": ["The name has already been taken."]});
    assert_eq!(
        acme.client
            .post("/upload-configs", new(&acme.id, "starter"))
            .await
            .expect_error(422),
        taken
    );
    let rename = json!({"id": second["id"], "name": "starter"});
    assert_eq!(
        acme.client
            .post("/upload-configs/update", rename)
            .await
            .expect_error(422),
        taken
    );

    let attempts = (0..20).map(|_| acme.client.post("/upload-configs", new(&acme.id, "race")));
    let responses = futures::future::join_all(attempts).await;
    assert_eq!(
        responses
            .iter()
            .filter(|response| response.status == 201)
            .count(),
        1
    );
    assert_eq!(
        responses
            .iter()
            .filter(|response| response.status == 422)
            .count(),
        19
    );

    let space = format!("/spaces/{}", acme.id);
    let activate = json!({"name": "Acme", "active_upload_config_id": second["id"]});
    acme.client
        .send(acme.client.request("PUT", &space).json(&activate))
        .await
        .expect_ok();
    let conflict = delete(&acme.client, json!({"id": second["id"]}))
        .await
        .expect_error(409);
    assert!(conflict["id"].is_array(), "{conflict}");
    let record = acme.upload(PHOTO).await;
    assert_eq!(record["upload_config_id"], second["id"]);
    let foreign = json!({"name": "Other", "active_upload_config_id": second["id"]});
    let errors = other
        .client
        .send(
            other
                .client
                .request("PUT", &format!("/spaces/{}", other.id))
                .json(&foreign),
        )
        .await
        .expect_error(422);
    assert_eq!(
        errors,
        json!({"active_upload_config_id": ["The selected active upload config id is invalid."]})
    );
}

#[stack_test]
async fn lists_return_configs_without_rules(stack: &Stack) {
    let account = stack.account();
    let mut expected = Vec::new();

    for name in ["One", "Two", "Three"] {
        let space = stack.space(name).await;
        for number in 0..4 {
            stack.clock.advance(tests::seconds(1));
            let body = json!({"space_id": space.id, "name": format!("config{number}")});
            account.post("/upload-configs", body).await.expect_created();
        }
        let listed = account
            .get(&format!("/upload-configs?space_id={}&limit=100", space.id))
            .await
            .expect_status(200)
            .json();
        let names: Vec<&str> = listed["data"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|config| config["name"].as_str().expect("a name"))
            .collect();
        assert_eq!(
            names,
            ["config3", "config2", "config1", "config0", "starter"]
        );
        assert!(listed["data"][0].get("config").is_none());
        expected.push(listed["data"].clone());
        assert_eq!(
            space
                .client
                .get("/upload-configs?limit=100")
                .await
                .expect_status(200)
                .json()["data"],
            listed["data"]
        );
        let own = space
            .client
            .get("/upload-configs/all?limit=100")
            .await
            .expect_status(200)
            .json();
        assert_eq!(own["data"], listed["data"]);
    }

    let first = account
        .get("/upload-configs?limit=100")
        .await
        .expect_status(200)
        .json()["data"]
        .clone();
    expected.insert(0, first);
    expected.reverse();

    let expected: Vec<Value> = expected
        .into_iter()
        .flat_map(|list| list.as_array().expect("a list").clone())
        .collect();

    for limit in [1, 3, 5, 100] {
        let mut pages = Vec::new();
        let mut next = Some(String::new());
        let mut last = Value::Null;
        while let Some(cursor) = next {
            last = account
                .get(&format!(
                    "/upload-configs/all?limit={limit}&cursor={cursor}"
                ))
                .await
                .expect_status(200)
                .json();
            pages.push(last["data"].as_array().expect("a list").clone());
            next = last["next_cursor"].as_str().map(str::to_owned);
        }
        assert_eq!(pages.concat(), expected, "{limit}");
        let mut back = vec![last["data"].as_array().expect("a list").clone()];
        while let Some(cursor) = last["prev_cursor"].as_str() {
            last = account
                .get(&format!(
                    "/upload-configs/all?limit={limit}&cursor={cursor}"
                ))
                .await
                .expect_status(200)
                .json();
            back.push(last["data"].as_array().expect("a list").clone());
        }
        back.reverse();
        assert_eq!(back.concat(), expected, "{limit}");
    }
}

#[stack_test]
async fn active_config_cannot_be_deleted_concurrently(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let space = format!("/spaces/{}", acme.id);
    let starter = acme.client.get(&space).await.expect_ok()["active_upload_config_id"].clone();

    for round in 0..20 {
        let body = json!({"space_id": acme.id, "name": format!("config{round}")});
        let id = acme
            .client
            .post("/upload-configs", body)
            .await
            .expect_created()["id"]
            .clone();
        let activate = acme.client.put(
            &space,
            json!({"name": "Acme", "active_upload_config_id": id}),
        );
        let (activated, deleted) = if round % 2 == 0 {
            join(activate, delete(&acme.client, json!({"id": id}))).await
        } else {
            let (deleted, activated) =
                join(delete(&acme.client, json!({"id": id})), activate).await;
            (activated, deleted)
        };
        match (activated.status, deleted.status) {
            (200, 409) | (422, 204) => {}
            (activated, deleted) => panic!("activated with {activated}, deleted with {deleted}"),
        }
        acme.upload(PHOTO).await;
        acme.client
            .put(
                &space,
                json!({"name": "Acme", "active_upload_config_id": starter}),
            )
            .await
            .expect_ok();
    }
}
