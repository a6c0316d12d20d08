//! `PUT /spaces/:id`.

use serde_json::{Value, json};
use tests::{
    CDN_DOMAIN, PHOTO, Stack, StackOptions, TestSpace, UNKNOWN_ID, merged, rows, seconds,
    stack_test, text,
};

#[stack_test]
async fn update_changes_single_fields(stack: &Stack, acme: &TestSpace) {
    let path = acme.path();
    let mut expected = acme.get_ok(&path).await;
    let config = expected["active_upload_config_id"].clone();
    let changes: Vec<(String, Value, Value)> = rows(json!([
        ["name", " Acme & Söhne ", "Acme & Söhne"],
        ["description", "Photos\nand more", "Photos\nand more"],
        [
            "webhook_url",
            "https://example.com/hook?x=1",
            "https://example.com/hook?x=1"
        ],
        ["custom_domain", "Assets.Example.COM", "assets.example.com"],
        ["enabled", false, false],
        ["enabled", true, true],
        ["active_upload_config_id", config, config],
        ["description", null, null],
        ["webhook_url", "  ", null],
        ["custom_domain", null, null],
    ]));

    for (field, sent, stored) in changes {
        stack.clock.advance(seconds(1));
        let mut body = json!({"name": expected["name"]});
        body[&field] = sent;
        let updated = acme.put_ok(&path, body).await;

        assert!(text(&updated["updated_at"]) > text(&expected["updated_at"]));
        expected["updated_at"] = updated["updated_at"].clone();
        expected[&field] = stored;
        assert_eq!(updated, expected, "{field}");
        assert_eq!(acme.get_ok(&path).await, expected, "{field}");
    }
}

#[stack_test]
async fn immutable_fields_are_kept(acme: &TestSpace) {
    let before = acme.get_ok(&acme.path()).await;
    let after = acme
        .update(json!({
            "id": UNKNOWN_ID, "handle": "abcdef", "folder_mode": "dynamic", "created_at": "2020-01-01T00:00:00Z",
            "access_control": {"requires_auth": true}, "security": {"watermark": {"opacity": 1}}, "version": 7,
            "deleted_at": 1, "unknown": [],
        }))
        .await;

    let updated_at = json!({"updated_at": after["updated_at"]});
    assert_eq!(after, merged(before, updated_at));
}

/// Returns fields of invalid requests that are named `Acme` unless they say otherwise, and the
/// errors.
fn invalid_updates(foreign_config: &Value) -> Vec<(Value, Value)> {
    let unknown = "The selected active upload config id is invalid.";

    rows(json!([
        [{"name": null}, {"name": ["The name field is required."]}],
        [{"name": " \t"}, {"name": ["The name field is required."]}],
        [{"name": "other"}, {"name": ["The name has already been taken."]}],
        [{"name": "x".repeat(256)}, {"name": ["The name field must not be greater than 255 characters."]}],
        [{"active_upload_config_id": foreign_config}, {"active_upload_config_id": [unknown]}],
        [{"active_upload_config_id": UNKNOWN_ID}, {"active_upload_config_id": [unknown]}],
        [{"active_upload_config_id": "starter"}, {"active_upload_config_id": [unknown]}],
        [{"active_upload_config_id": null}, {"active_upload_config_id": ["The active upload config id field is required."]}],
        [{"enabled": null}, {"enabled": ["The enabled field must be true or false."]}],
        [{"folder_mode": "fixed"}, {"folder_mode": ["The folder mode field must not be changed."]}],
        [
            {
                "name": 5, "description": "x".repeat(1_001), "webhook_url": "http://example.com",
                "custom_domain": "https://example.com", "enabled": "yes", "active_upload_config_id": 7,
            },
            {
                "name": ["The name field must be a string."],
                "description": ["The description field must not be greater than 1000 characters."],
                "webhook_url": ["The webhook url field must be an https URL."],
                "custom_domain": ["The custom domain field must be a public host name, such as assets.example.com."],
                "enabled": ["The enabled field must be true or false."],
                "active_upload_config_id": ["The active upload config id field must be a string."],
            },
        ],
    ]))
}

#[stack_test]
async fn invalid_update_reports_all_errors_and_changes_nothing(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let path = acme.path();
    let before = stack.dump().await;
    let foreign = other.get_ok(&other.path()).await;

    for (fields, expected) in invalid_updates(&foreign["active_upload_config_id"]) {
        let body = merged(json!({"name": "Acme", "description": "x"}), fields);
        let errors = acme.put_err(422, &path, &body).await;
        assert_eq!(errors, expected, "{body}");
    }
    let errors = acme.put_err(422, &path, json!({})).await;
    assert_eq!(errors, json!({"name": ["The name field is required."]}));

    stack.assert_unchanged(&before, "rejected updates").await;
}

#[stack_test]
async fn rename_may_change_case_and_frees_old_name(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    for name in ["Acme", "ACME", "acme"] {
        let updated = acme.update(json!({ "name": name })).await;
        assert_eq!(updated["name"], name);
    }

    let account = stack.account();
    let taken = json!({"name": ["The name has already been taken."]});
    let rename = json!({"name": "aCmE"});
    let errors = other.put_err(422, &other.path(), &rename).await;
    assert_eq!(errors, taken);

    acme.update(json!({"name": "Roadrunner"})).await;
    other.update(rename.clone()).await;
    let errors = account.post_err(422, "/spaces", &rename).await;
    assert_eq!(errors, taken);
    account.create("/spaces", json!({"name": "Other"})).await;
}

#[stack_test]
async fn webhook_url_must_be_public_https(acme: &TestSpace) {
    for url in [
        "https://example.com",
        "https://hooks.example.com:8443/a?b=c",
        "https://1.1.1.1/",
    ] {
        let updated = acme.update(json!({ "webhook_url": url })).await;
        assert_eq!(updated["webhook_url"], url);
    }

    let private = "must be the URL of a public host";
    for (url, reason) in [
        ("ftp://example.com", "must be a valid URL"),
        ("example.com", "must be a valid URL"),
        ("https://", "must be a valid URL"),
        ("http://example.com", "must be an https URL"),
        (
            "https://user@example.com",
            "must be a URL without a user name and password",
        ),
        ("https://127.0.0.1/", private),
        ("https://2130706433/", private),
        ("https://10.1.2.3/", private),
        ("https://169.254.169.254/latest/meta-data", private),
        ("https://[::1]/", private),
        ("https://[::ffff:10.0.0.1]/", private),
        ("https://localhost/", private),
        ("https://metadata.google.internal/", private),
    ] {
        let body = json!({"name": "Acme", "webhook_url": url});
        let errors = acme.put_err(422, &acme.path(), body).await;
        let message = format!("The webhook url field {reason}.");
        assert_eq!(errors, json!({"webhook_url": [message]}), "{url}");
    }

    let record = acme.get_ok(&acme.path()).await;
    assert_eq!(record["webhook_url"], "https://1.1.1.1/");
}

#[stack_test]
async fn custom_domain_is_used_in_file_urls(stack: &Stack, acme: &TestSpace) {
    let before = acme.upload(PHOTO).await;
    acme.update(json!({"custom_domain": CDN_DOMAIN})).await;

    let after = acme.upload(PHOTO).await;
    for record in [&acme.get_ok(before.path()).await, &*after] {
        let url = format!("https://{CDN_DOMAIN}/{}", text(&record["storage_path"]));
        assert_eq!(record["url"], url);
    }

    let url = format!("{}/{}", stack.local.cdn_url(), text(&after["storage_path"]));
    for (host, status) in [
        ("Assets.example.com:443", 200),
        ("other.example.com", 403),
        ("assets.example.com.example.org", 403),
    ] {
        let headers = [("host", host)];
        stack.anonymous.fetch_as(status, &url, &headers).await;
    }

    acme.update(json!({"custom_domain": null})).await;
    assert_eq!(acme.get_ok(before.path()).await, before);
}

#[stack_test]
async fn custom_domain_must_be_a_domain_of_the_cdn(stack: &Stack, acme: &TestSpace) {
    let not_served = json!({"name": "Acme", "custom_domain": "cdn.example.org"});
    let message = "The custom domain field must be a domain of the CDN; the operator of the deployment adds domains to \
                   `CdnDomainNames`.";

    let account = stack.account();
    for errors in [
        acme.put_err(422, &acme.path(), &not_served).await,
        account.post_err(422, "/spaces", &not_served).await,
    ] {
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
    acme.update(settings.clone()).await;
    let directory = stack.directory();
    stack.stop().await;

    let stack = Box::pin(Stack::start_in(directory, options(2, ""))).await;
    let stack = stack.unwrap_or_else(|error| panic!("{error}"));
    stack.account().put_ok(&acme.path(), settings).await;
    stack.stop().await;
}

#[stack_test]
async fn disabled_space_rejects_uploads_and_delivery_and_stays_manageable(
    stack: &Stack,
    acme: &TestSpace,
) {
    let file = acme.upload(PHOTO).await;

    acme.set_enabled(false).await;
    for client in [&acme.client, &stack.account()] {
        let upload = acme.upload(PHOTO).by(client).send().await;
        assert_eq!(upload.expect_error(403), json!({}));
        client.get_err(404, file.url()).await;
        for path in [&acme.path(), file.path(), &acme.keys_path()] {
            client.get_ok(path).await;
        }
    }
    stack.anonymous.get_err(404, file.url()).await;

    acme.set_enabled(true).await;
    let delivered = stack.anonymous.fetch(file.url()).await;
    delivered.expect_body(PHOTO);
    acme.upload(PHOTO).await;
}
