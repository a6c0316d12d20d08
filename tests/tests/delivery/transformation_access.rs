//! Access to transformed images: delivery types, signatures, and the policy of the space.

use serde_json::json;
use tests::{PHOTO, Stack, StackOptions, TestSpace, stack_test};

use super::fixture::{DeliveryFixture, HOUR_SECONDS};

/// Returns a URL with a transformation, signed for an hour.
fn signed(acme: &DeliveryFixture<'_>, url: &str, width: &str) -> String {
    let expires = acme.now() + HOUR_SECONDS;
    acme.signer.sign(url, expires, &[("w", width)])
}

async fn set_policy(acme: &TestSpace, policy: &str) {
    let security = json!({ "transformations": policy });
    let space = acme.set_security(&acme.path(), security).await;
    assert_eq!(space["security"]["transformations"], policy);
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn variant_of_private_file_is_public_once_it_is_rendered(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let file = acme.put_here("private").await;
    let anonymous = &stack.anonymous;
    let unsigned = file.url_with("w=32");
    let any = [("if-none-match", "*")];

    anonymous.get_err(403, &unsigned).await;
    anonymous.fetch_as(403, &unsigned, &any).await;
    anonymous.fetch(&signed(&acme, file.url(), "32")).await;

    anonymous.fetch(&unsigned).await;
    anonymous.fetch_as(304, &unsigned, &any).await;
    anonymous.get_err(403, &file.url_with("w=33")).await;
    anonymous.get_err(403, file.url()).await;

    // A key creates variants too.
    let by_key = file.url_with("w=34");
    let other = stack.space("Other").await;
    other.get_err(403, &by_key).await;
    acme.role("viewer").await.fetch(&by_key).await;
    anonymous.fetch(&by_key).await;
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn protected_variants_always_require_credentials(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let authenticated = acme.put_here("authenticated").await;
    let private = acme.put_here("private").await;
    acme.set_access(private.path(), Some(true)).await;

    for file in [&authenticated, &private] {
        let signed = signed(&acme, file.url(), "32");
        stack.anonymous.fetch(&signed).await;
        stack.anonymous.get_err(403, &file.url_with("w=32")).await;

        let changed = signed.replace("w=32", "w=33");
        stack.anonymous.get_err(403, &changed).await;
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn space_requires_signatures_to_create_variants(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let file = acme.put_here("upload").await;
    let anonymous = &stack.anonymous;
    let existing = file.url_with("w=32");
    anonymous.fetch(&existing).await;

    set_policy(&acme, "signed").await;

    anonymous.fetch(&existing).await;
    anonymous.fetch(file.url()).await;
    anonymous.get_err(403, &file.url_with("w=33")).await;
    anonymous.fetch(&signed(&acme, file.url(), "33")).await;
    anonymous.fetch(&file.url_with("w=33")).await;

    // A folder with a watermark inherits the policy.
    let url = file.url_with("w=34");
    let security = json!({"watermark": {"enabled": false}});
    acme.set_security(acme.folder.path(), security).await;
    anonymous.get_err(403, &url).await;
    let security = json!({"transformations": "any"});
    acme.set_security(acme.folder.path(), security).await;
    anonymous.fetch(&url).await;
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn space_allows_eager_transformations_only(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let eager = json!([
        {"width": 32, "height": 32, "crop": "fill"},
        {"width": 20, "crop": "fit", "format": "png"},
    ]);
    let settings = json!({"transformations": {"eager": eager}});
    let config = acme.upload_config("thumbnails").with_settings(settings);
    config.await;
    let file = acme.upload(PHOTO).with_config("thumbnails").await;

    set_policy(&acme, "named").await;

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
        let url = file.url_with(query);
        stack.anonymous.fetch_as(status, &url, &[]).await;
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn eager_transformations_of_private_files_require_credentials(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let eager = json!([{"width": 32, "crop": "fit"}]);
    let config = acme.upload_config("private-thumbnails");
    let config = config.with_delivery_type("private");
    let config = config.with_settings(json!({"transformations": {"eager": eager}}));
    config.await;
    let file = acme.upload(PHOTO).with_config("private-thumbnails").await;
    assert_eq!(file["type"], "private");

    set_policy(&acme, "named").await;

    let url = file.url_with("w=32");
    stack.anonymous.get_err(403, &url).await;
    let signed = signed(&acme, file.url(), "32");
    stack.anonymous.fetch(&signed).await;
    stack.anonymous.fetch(&url).await;
}
