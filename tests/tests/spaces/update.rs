//! `PUT /spaces/:id`.

use serde_json::{Value, json};
use tests::{
    CDN_DOMAIN, PHOTO, Stack, StackOptions, TestSpace, UNKNOWN_ID, form, seconds, stack_test,
};

/// Updates a space, and returns its record.
async fn update(acme: &TestSpace, fields: &Value) -> Value {
    acme.put_ok(&acme.path(), fields.clone()).await
}

#[stack_test]
async fn update_changes_single_fields(stack: &Stack, acme: &TestSpace) {
    let path = acme.path();
    let mut expected = acme.get_ok(&path).await;

    for (field, sent, stored) in [
        ("name", json!(" Acme & Söhne "), json!("Acme & Söhne")),
        (
            "description",
            json!("Photos\nand more"),
            json!("Photos\nand more"),
        ),
        (
            "webhook_url",
            json!("https://example.com/hook?x=1"),
            json!("https://example.com/hook?x=1"),
        ),
        (
            "custom_domain",
            json!("Assets.Example.COM"),
            json!("assets.example.com"),
        ),
        ("enabled", json!(false), json!(false)),
        ("enabled", json!(true), json!(true)),
        (
            "active_upload_config_id",
            expected["active_upload_config_id"].clone(),
            expected["active_upload_config_id"].clone(),
        ),
        ("description", json!(null), json!(null)),
        ("webhook_url", json!("  "), json!(null)),
        ("custom_domain", json!(null), json!(null)),
    ] {
        stack.clock.advance(seconds(1));
        let mut body = json!({"name": expected["name"]});
        body[field] = sent;
        let updated = update(acme, &body).await;
        assert!(
            updated["updated_at"].as_str() > expected["updated_at"].as_str(),
            "{field}"
        );
        expected["updated_at"] = updated["updated_at"].clone();
        expected[field] = stored;
        assert_eq!(updated, expected, "{body}");
        assert_eq!(acme.get_ok(&path).await, expected, "{body}");
    }
}

#[stack_test]
async fn changing_the_folder_mode_returns_422(acme: &TestSpace) {
    let path = acme.path();

    let errors = acme
        .put_err(
            422,
            &path,
            json!({"name": "Renamed", "folder_mode": "fixed"}),
        )
        .await;

    assert_eq!(
        errors,
        json!({"folder_mode": ["The folder mode field must not be changed."]})
    );
    assert_eq!(acme.get_ok(&path).await["name"], "Acme");
}

#[stack_test]
async fn immutable_fields_are_kept(acme: &TestSpace) {
    let mut before = acme.get_ok(&acme.path()).await;
    let body = json!({
        "name": "Acme", "id": UNKNOWN_ID, "handle": "abcdef", "folder_mode": "dynamic",
        "created_at": "2020-01-01T00:00:00Z", "access_control": {"requires_auth": true},
        "security": {"watermark": {"opacity": 1}}, "version": 7, "deleted_at": 1, "unknown": [],
    });
    let after = update(acme, &body).await;

    before["updated_at"] = after["updated_at"].clone();
    assert_eq!(after, before);
}

/// Returns invalid requests and their errors.
fn invalid_updates(foreign_config: Value) -> Vec<(Value, Value)> {
    let config = |value: Value| json!({"name": "Acme", "active_upload_config_id": value});
    let unknown =
        json!({"active_upload_config_id": ["The selected active upload config id is invalid."]});

    vec![
        (
            json!({"description": "x"}),
            json!({"name": ["The name field is required."]}),
        ),
        (
            json!({"name": null}),
            json!({"name": ["The name field is required."]}),
        ),
        (
            json!({"name": " \t"}),
            json!({"name": ["The name field is required."]}),
        ),
        (
            json!({"name": "other"}),
            json!({"name": ["The name has already been taken."]}),
        ),
        (
            json!({"name": "x".repeat(256)}),
            json!({"name": ["The name field must not be greater than 255 characters."]}),
        ),
        (config(foreign_config), unknown.clone()),
        (config(json!(UNKNOWN_ID)), unknown.clone()),
        (config(json!("starter")), unknown.clone()),
        (
            config(json!(null)),
            json!({"active_upload_config_id": ["The active upload config id field is required."]}),
        ),
        (
            json!({"name": "Acme", "enabled": null}),
            json!({"enabled": ["The enabled field must be true or false."]}),
        ),
        (
            json!({
                "name": 5, "description": "x".repeat(1_001), "webhook_url": "http://example.com",
                "custom_domain": "https://example.com", "enabled": "yes", "active_upload_config_id": 7,
            }),
            json!({
                "name": ["The name field must be a string."],
                "description": ["The description field must not be greater than 1000 characters."],
                "webhook_url": ["The webhook url field must be an https URL."],
                "custom_domain": ["The custom domain field must be a public host name, such as assets.example.com."],
                "enabled": ["The enabled field must be true or false."],
                "active_upload_config_id": ["The active upload config id field must be a string."],
            }),
        ),
    ]
}

#[stack_test]
async fn invalid_update_reports_all_errors_and_changes_nothing(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let path = acme.path();
    let before = stack.dump().await;
    let foreign = other.get_ok(&other.path()).await["active_upload_config_id"].clone();

    for (body, errors) in invalid_updates(foreign) {
        assert_eq!(
            acme.put_err(422, &path, body.clone()).await,
            errors,
            "{body}"
        );
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "rejected updates");
}

#[stack_test]
async fn rename_may_change_case_and_frees_old_name(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    for name in ["Acme", "ACME", "acme"] {
        assert_eq!(update(acme, &json!({"name": name})).await["name"], name);
    }

    let taken = json!({"name": ["The name has already been taken."]});
    let rename = json!({"name": "aCmE"});
    assert_eq!(
        other.put_err(422, &other.path(), rename.clone()).await,
        taken
    );

    update(acme, &json!({"name": "Roadrunner"})).await;
    update(other, &rename).await;
    assert_eq!(
        stack
            .account()
            .post_err(422, "/spaces", json!({"name": "ACME"}))
            .await,
        taken
    );

    stack
        .account()
        .create("/spaces", json!({"name": "Other"}))
        .await;
}

#[stack_test]
async fn webhook_url_must_be_public_https(acme: &TestSpace) {
    let path = acme.path();
    let body = |url: &str| json!({"name": "Acme", "webhook_url": url});

    for url in [
        "https://example.com",
        "https://hooks.example.com:8443/a?b=c",
        "https://1.1.1.1/",
    ] {
        assert_eq!(update(acme, &body(url)).await["webhook_url"], url);
    }

    for (url, reason) in [
        ("ftp://example.com", "must be a valid URL"),
        ("example.com", "must be a valid URL"),
        ("https://", "must be a valid URL"),
        ("http://example.com", "must be an https URL"),
        (
            "https://user@example.com",
            "must be a URL without a user name and password",
        ),
    ] {
        let errors = acme.put_err(422, &path, body(url)).await;
        let message = format!("The webhook url field {reason}.");
        assert_eq!(errors, json!({"webhook_url": [message]}), "{url}");
    }

    for url in [
        "https://127.0.0.1/",
        "https://2130706433/",
        "https://10.1.2.3/",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://localhost/",
        "https://metadata.google.internal/",
    ] {
        let errors = acme.put_err(422, &path, body(url)).await;
        assert_eq!(
            errors,
            json!({"webhook_url": ["The webhook url field must be the URL of a public host."]}),
            "{url}"
        );
    }

    assert_eq!(acme.get_ok(&path).await["webhook_url"], "https://1.1.1.1/");
}

#[stack_test]
async fn custom_domain_is_used_in_file_urls(stack: &Stack, acme: &TestSpace) {
    let before = acme.upload(PHOTO).await;
    let file = format!("/files/{}", before["id"].as_str().expect("an id"));

    update(
        acme,
        &json!({"name": "Acme", "custom_domain": "assets.example.com"}),
    )
    .await;

    let url = |file: &Value| {
        format!(
            "https://assets.example.com/{}",
            file["storage_path"].as_str().expect("a path")
        )
    };

    let record = acme.get_ok(&file).await;
    assert_eq!(record["url"], url(&record));

    let after = acme.upload(PHOTO).await;
    assert_eq!(after["url"], url(&after));

    let storage_path = after["storage_path"].as_str().expect("a path");
    let by_host = async |host: &str| {
        let request = stack
            .anonymous
            .request("GET", &format!("{}/{storage_path}", stack.local.cdn_url()));
        stack.anonymous.send(request.header("host", host)).await
    };
    by_host("Assets.example.com:443").await.expect_status(200);
    for unknown in ["other.example.com", "assets.example.com.example.org"] {
        by_host(unknown).await.expect_error(403);
    }

    update(acme, &json!({"name": "Acme", "custom_domain": null})).await;
    assert_eq!(acme.get_ok(&file).await, before);
}

#[stack_test]
async fn custom_domain_must_be_a_domain_of_the_cdn(stack: &Stack, acme: &TestSpace) {
    let not_served = json!({"name": "Acme", "custom_domain": "cdn.example.org"});
    let message = "The custom domain field must be a domain of the CDN; the operator of the deployment adds domains to \
                   `CdnDomainNames`.";

    let path = acme.path();
    for response in [
        acme.put(&path, not_served.clone()).await,
        stack.account().post("/spaces", not_served).await,
    ] {
        let errors = response.expect_error(422);
        assert_eq!(errors["custom_domain"], json!([message]));
    }
}

#[tokio::test]
async fn custom_domain_that_the_cdn_has_no_more_can_be_kept() {
    let options = |seed, domains| StackOptions {
        seed,
        ..StackOptions::default().with_parameters(&[("CdnDomainNames", domains)])
    };
    let stack = Stack::start_with(options(1, CDN_DOMAIN)).await;
    let acme = stack.space("Acme").await;
    let settings = json!({"name": "Acme", "custom_domain": CDN_DOMAIN});
    update(&acme, &settings).await;
    let directory = stack.directory();
    stack.stop().await;

    let stack = Box::pin(Stack::start_in(directory, options(2, ""))).await;
    let stack = stack.unwrap_or_else(|error| panic!("{error}"));
    let path = acme.path();
    stack.account().put_ok(&path, settings).await;
    stack.stop().await;
}

#[stack_test]
async fn disabled_space_rejects_uploads_and_delivery_and_stays_manageable(
    stack: &Stack,
    acme: &TestSpace,
) {
    let file = acme.upload(PHOTO).await;
    let id = file["id"].as_str().expect("an id");
    let url = file["url"].as_str().expect("a URL");
    let upload = || form(&acme.handle, "photo.jpg", "image/jpeg", PHOTO);

    update(acme, &json!({"name": "Acme", "enabled": false})).await;
    for client in [&acme.client, &stack.account()] {
        assert_eq!(
            client.upload_form(upload()).await.expect_error(403),
            json!({})
        );
        client.get_err(404, url).await;
        client.get_ok(&acme.path()).await;
        client.get_ok(&format!("/files/{id}")).await;
        client.fetch(&acme.keys_path()).await;
    }

    stack.anonymous.get_err(404, url).await;

    update(acme, &json!({"name": "Acme", "enabled": true})).await;
    assert!(stack.anonymous.fetch(url).await.body == PHOTO);

    acme.upload_form(upload()).await.expect_created();
}
