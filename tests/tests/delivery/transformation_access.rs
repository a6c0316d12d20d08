//! Access to transformed images: delivery types, signatures, and the policy of the space.

use serde_json::{Value, json};
use tests::{PHOTO, Stack, StackOptions, TestSpace, stack_test};

use super::fixture::{DeliveryFixture, HOUR_SECONDS};

/// Returns a URL with a transformation, signed for an hour.
fn signed(fixture: &DeliveryFixture<'_>, url: &str, width: &str) -> String {
    let expires = fixture.now() + HOUR_SECONDS;
    fixture.signer.sign(url, expires, &[("w", width)])
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn variant_of_private_file_is_public_once_it_is_rendered(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let url = fixture.put_here("private").await.url;
    let anonymous = &stack.anonymous;
    let unsigned = format!("{url}?w=32");

    anonymous.get_err(403, &unsigned).await;
    let any = [("if-none-match", "*")];
    anonymous.get_with(&unsigned, &any).await.expect_error(403);
    let signed = signed(&fixture, &url, "32");
    anonymous.fetch(&signed).await;

    anonymous.fetch(&unsigned).await;
    anonymous.get_with(&unsigned, &any).await.expect_status(304);
    anonymous.get_err(403, &format!("{url}?w=33")).await;
    anonymous.get_err(403, &url).await;
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn protected_variants_always_require_credentials(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let authenticated = fixture.put_here("authenticated").await;
    let private = fixture.put_here("private").await;
    fixture.set(&private.path, Some(true)).await;

    for url in [&authenticated.url, &private.url] {
        let signed = signed(&fixture, url, "32");
        stack.anonymous.fetch(&signed).await;
        stack.anonymous.get_err(403, &format!("{url}?w=32")).await;

        let changed = signed.replace("w=32", "w=33");
        stack.anonymous.get_err(403, &changed).await;
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn key_may_create_variants_of_private_files(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let url = format!("{}?w=32", fixture.put_here("private").await.url);
    let viewer = fixture.acme.role("viewer").await;
    let other = stack.space("Other").await.client;

    other.get_err(403, &url).await;
    viewer.fetch(&url).await;
    stack.anonymous.fetch(&url).await;
}

async fn set_policy(fixture: &DeliveryFixture<'_>, policy: &str) {
    let security = json!({"security": {"transformations": policy}});
    let path = format!("{}/security", fixture.space());
    let space = fixture.acme.put_ok(&path, security).await;
    assert_eq!(space["security"]["transformations"], policy);
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn space_requires_signatures_to_create_variants(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let url = fixture.put_here("upload").await.url;
    let existing = format!("{url}?w=32");
    stack.anonymous.fetch(&existing).await;

    set_policy(&fixture, "signed").await;

    stack.anonymous.fetch(&existing).await;
    stack.anonymous.get_err(403, &format!("{url}?w=33")).await;
    stack.anonymous.fetch(&url).await;
    let signed = signed(&fixture, &url, "33");
    stack.anonymous.fetch(&signed).await;
    stack.anonymous.fetch(&format!("{url}?w=33")).await;
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn folder_with_a_watermark_inherits_the_policy_of_its_space(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let url = format!("{}?w=32", fixture.put_here("upload").await.url);
    let security = format!("{}/security", fixture.folder);
    let set = async |settings: Value| {
        let body = json!({"security": settings});
        fixture.acme.put_ok(&security, body).await;
    };
    set_policy(&fixture, "signed").await;

    set(json!({"watermark": {"enabled": false}})).await;
    stack.anonymous.get_err(403, &url).await;

    set(json!({"transformations": "any"})).await;
    stack.anonymous.fetch(&url).await;
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn space_allows_eager_transformations_only(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let eager = json!([
        {"width": 32, "height": 32, "crop": "fill"},
        {"width": 20, "crop": "fit", "format": "png"},
    ]);
    let settings = json!({"transformations": {"eager": eager}});
    fixture
        .acme
        .upload_config("thumbnails")
        .with_settings(settings)
        .await;
    let file = fixture
        .acme
        .upload(PHOTO)
        .named("a.jpg", "image/jpeg")
        .with_config("thumbnails")
        .await;
    let url = file.url();

    set_policy(&fixture, "named").await;

    for (query, status) in [
        ("w=32&h=32&r=fill", 200),
        ("w=32&h=32&r=thumb&g=center&q=auto", 200),
        ("w=20&f=png", 200),
        ("w=32&h=32&r=fill&f=gif", 403),
        ("w=32&h=32&r=fill&q=50", 403),
        ("w=20", 403),
        ("w=20&f=jpeg", 403),
        ("w=32&h=32", 403),
        ("w=33&h=32&r=fill", 403),
        ("f=webp", 403),
    ] {
        let response = stack.anonymous.get(&format!("{url}?{query}")).await;
        assert_eq!(response.status, status, "{query}");
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn eager_transformations_of_private_files_require_credentials(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let config = json!({
        "space_id": fixture.acme.id,
        "name": "private-thumbnails",
        "delivery_type": "private",
        "config": {"transformations": {"eager": [{"width": 32, "crop": "fit"}]}},
    });
    let created = fixture.acme.post("/upload-configs", config).await;
    created.expect_created();
    let file = fixture
        .acme
        .upload(PHOTO)
        .named("a.jpg", "image/jpeg")
        .with_config("private-thumbnails")
        .await;
    assert_eq!(file["type"], "private");

    set_policy(&fixture, "named").await;

    let url = format!("{}?w=32", file.url());
    stack.anonymous.get_err(403, &url).await;
    let signed = signed(&fixture, file.url(), "32");
    stack.anonymous.fetch(&signed).await;
    stack.anonymous.fetch(&url).await;
}

#[stack_test]
async fn unknown_policy_is_rejected(acme: &TestSpace) {
    let path = format!("{}/security", acme.path());

    let security = json!({"security": {"transformations": "none"}});
    let errors = acme.put_err(422, &path, security).await;
    assert!(
        errors["security.transformations"][0].is_string(),
        "{errors}"
    );

    let reset: Value = acme.delete(&path).await.expect_ok();
    assert_eq!(reset["security"]["transformations"], "any");
}
