//! Bodies above the size limit, with a key pair of the CDN: a whole body is redirected to a signed URL of
//! the distribution.

use serde_json::json;
use tests::{Client, Stack, StackOptions, TestSpace, large_photo, minutes, seconds, stack_test};

use super::fixture::{
    CACHED_SECONDS, Content, DeliveryFixture, FixtureFile, NOT_CACHED, REDIRECT_ABOVE_BYTES,
    cached, options_with_cdn_redirects,
};

/// Size of a file above the limit, in bytes.
const SIZE_BYTES: usize = 250_001;
/// Time for which redirects of a public file have the same URL, in seconds.
const WINDOW_SECONDS: i64 = 30 * 60;
/// The parameters of a signature, which follow those of the URL itself.
const SIGNATURE_PARAMETERS: [&str; 4] = ["Expires", "Signature", "Key-Pair-Id", "Hash-Algorithm"];

/// Creates a fixture, and advances the clock to the start of a window.
async fn fixture_at_window_start(stack: &Stack) -> DeliveryFixture<'_> {
    let fixture = DeliveryFixture::new(stack).await;
    let past_seconds = fixture.now() % WINDOW_SECONDS;
    let rest_seconds = (WINDOW_SECONDS - past_seconds).unsigned_abs();
    stack.clock.advance(seconds(rest_seconds));
    fixture
}

async fn put_photo(fixture: &DeliveryFixture<'_>, delivery_type: &str) -> FixtureFile {
    let bytes = large_photo(SIZE_BYTES);
    fixture
        .put_file(
            delivery_type,
            "root",
            Content {
                name: "é.jpg",
                mime_type: "image/jpeg",
                bytes: &bytes,
            },
        )
        .await
}

/// Returns the target of a redirect.
async fn location(client: &Client, url: &str) -> String {
    let redirect = client.get(url).await.expect_status(307);
    assert_eq!(redirect.header("cache-control"), "no-store");
    redirect.header("location").to_owned()
}

/// Returns the value of a parameter of the signature.
fn parameter<'a>(url: &'a str, name: &str) -> &'a str {
    let prefix = format!("&{name}=");
    let (_, rest) = url.split_once(&prefix).expect("the parameter");
    rest.split('&').next().unwrap_or_default()
}

#[stack_test(options = options_with_cdn_redirects())]
async fn redirect_target_is_an_object_of_the_same_distribution(stack: &Stack) {
    let fixture = fixture_at_window_start(stack).await;
    let file = put_photo(&fixture, "upload").await;
    let target = location(&stack.anonymous, &file.url).await;

    let prefix = format!(
        "{}/_objects/{}/originals/",
        stack.local.cdn_url(),
        fixture.acme.id
    );
    assert!(target.starts_with(&prefix), "{target}");
    assert!(
        SIGNATURE_PARAMETERS
            .map(|name| parameter(&target, name))
            .iter()
            .all(|value| !value.is_empty())
    );
    assert_eq!(parameter(&target, "Hash-Algorithm"), "SHA256");

    let stored = stack.anonymous.fetch(&target).await;
    assert!(stored.body == large_photo(SIZE_BYTES));
    assert_eq!(stored.header("content-type"), "image/jpeg");
    assert_eq!(stored.header("cache-control"), cached(CACHED_SECONDS));
    assert_eq!(stored.header("x-content-type-options"), "nosniff");
    assert!(
        stored
            .header("content-security-policy")
            .contains("script-src 'none'")
    );
    let disposition = stored.header("content-disposition");
    assert!(disposition.starts_with("inline; "), "{disposition}");
    assert!(
        disposition.ends_with("filename*=UTF-8''%C3%A9.jpg"),
        "{disposition}"
    );
}

#[stack_test(options = options_with_cdn_redirects())]
async fn redirects_of_public_file_share_a_url_for_half_an_hour(stack: &Stack) {
    let fixture = fixture_at_window_start(stack).await;
    let file = put_photo(&fixture, "upload").await;
    let anonymous = &stack.anonymous;

    let first = location(anonymous, &file.url).await;
    stack.clock.advance(minutes(29) + seconds(59));
    assert_eq!(location(anonymous, &file.url).await, first);
    stack.clock.advance(seconds(1));
    let second = location(anonymous, &file.url).await;
    assert_ne!(second, first);

    stack.clock.advance(minutes(29) + seconds(59));
    anonymous.fetch(&first).await;
    stack.clock.advance(seconds(1));
    anonymous.get(&first).await.expect_status(403);
    anonymous.fetch(&second).await;
}

#[stack_test(options = options_with_cdn_redirects())]
async fn url_of_protected_file_lasts_two_minutes_and_never_past_its_signature(stack: &Stack) {
    let fixture = fixture_at_window_start(stack).await;
    let anonymous = &stack.anonymous;
    let file = put_photo(&fixture, "private").await;
    anonymous.get_err(403, &file.url).await;

    let signed = fixture.signed(&file.url);
    let target = location(anonymous, &signed).await;
    stack.clock.advance(seconds(59));
    assert_eq!(location(anonymous, &signed).await, target);
    stack.clock.advance(seconds(60));
    anonymous.fetch(&target).await;
    stack.clock.advance(seconds(1));
    anonymous.get(&target).await.expect_status(403);

    let signed = fixture.signer.sign(&file.url, fixture.now() + 30, &[]);
    let short = location(anonymous, &signed).await;
    stack.clock.advance(seconds(29));
    anonymous.fetch(&short).await;
    stack.clock.advance(seconds(1));
    anonymous.get(&short).await.expect_status(403);
}

#[stack_test(options = options_with_cdn_redirects())]
async fn bytes_that_no_cache_may_store_are_redirected_to_storage(stack: &Stack) {
    let fixture = fixture_at_window_start(stack).await;
    let key = &fixture.acme.client;
    let authenticated = put_photo(&fixture, "authenticated").await.url;
    let private = put_photo(&fixture, "private").await.url;
    let signed_authenticated = fixture.signed(&authenticated);
    let signed_private = fixture.signed(&private);
    let storage = stack.local.s3_url();
    let cdn = stack.local.cdn_url();

    for (client, url, expected) in [
        (&stack.anonymous, &signed_authenticated, storage),
        (key, &authenticated, storage),
        (key, &private, storage),
        (&stack.anonymous, &signed_private, cdn),
    ] {
        let target = location(client, url).await;
        assert!(target.starts_with(expected), "{url}: {target}");
        let stored = stack.anonymous.fetch(&target).await;
        assert!(stored.body == large_photo(SIZE_BYTES), "{url}");
        if expected == storage {
            assert_eq!(stored.header("cache-control"), NOT_CACHED, "{url}");
        }
    }
}

#[stack_test(options = options_with_cdn_redirects())]
async fn changed_url_is_rejected(stack: &Stack) {
    let fixture = fixture_at_window_start(stack).await;
    let file = put_photo(&fixture, "upload").await;
    let anonymous = &stack.anonymous;
    let target = location(anonymous, &file.url).await;
    let (path, query) = target.split_once('?').expect("a query");

    let globex = stack.space("Globex").await;
    let other = globex
        .upload(large_photo(SIZE_BYTES))
        .named("a.jpg", "image/jpeg")
        .await;
    let other_url = other.url().to_owned();
    let other_target = location(anonymous, &other_url).await;
    let (other_path, _) = other_target.split_once('?').expect("a query");

    let expires = parameter(&target, "Expires");
    let signature = parameter(&target, "Signature");
    let later: i64 = expires.parse().expect("a number");
    let changed = [
        format!("{other_path}?{query}"),
        format!("{path}/../x?{query}"),
        format!("{path}x?{query}"),
        path.to_owned(),
        target.replace(expires, &(later + 1).to_string()),
        target.replace(signature, parameter(&other_target, "Signature")),
        target.replace(parameter(&target, "Key-Pair-Id"), "K0"),
        target.replace("SHA256", "SHA1"),
        target.replace("inline", "attachment"),
        target.replace("image%2Fjpeg", "text%2Fhtml"),
        format!("{target}&response-content-encoding=gzip"),
        format!("{}/_objects/", stack.local.cdn_url()),
        format!("{}/_objects/{}/", stack.local.cdn_url(), fixture.acme.id),
    ];
    for url in changed {
        assert_ne!(url, target);
        anonymous.get(&url).await.expect_status(403);
    }
    anonymous.fetch(&target).await;
    anonymous.fetch(&other_target).await;
}

#[stack_test(options = options_with_cdn_redirects())]
async fn object_url_supports_head_ranges_and_conditions_and_no_writes(stack: &Stack) {
    let fixture = fixture_at_window_start(stack).await;
    let file = put_photo(&fixture, "upload").await;
    let bytes = large_photo(SIZE_BYTES);
    let anonymous = &stack.anonymous;
    let target = location(anonymous, &file.url).await;

    let head = anonymous.head(&target).await.expect_status(200);
    assert_eq!(head.header("content-length"), SIZE_BYTES.to_string());
    assert_eq!(head.header("content-type"), "image/jpeg");
    assert_eq!(head.header("accept-ranges"), "bytes");
    assert!(head.body.is_empty());

    for (range, first, end) in [
        ("bytes=0-9", 0, 10),
        ("bytes=250000-", 250_000, SIZE_BYTES),
        ("bytes=-5", SIZE_BYTES - 5, SIZE_BYTES),
        ("bytes=0-200000", 0, 200_001),
    ] {
        let part = anonymous.get_with(&target, &[("range", range)]).await;
        let part = part.expect_status(206);
        assert!(part.body == bytes[first..end], "{range}");
        let expected = format!("bytes {first}-{}/{SIZE_BYTES}", end - 1);
        assert_eq!(part.header("content-range"), expected);
    }
    let beyond = [("range", "bytes=250001-")];
    anonymous
        .get_with(&target, &beyond)
        .await
        .expect_status(416);

    let unchanged = [("if-none-match", head.header("etag"))];
    anonymous
        .get_with(&target, &unchanged)
        .await
        .expect_status(304);
    let changed = [("if-none-match", "\"other\"")];
    anonymous
        .get_with(&target, &changed)
        .await
        .expect_status(200);

    for method in ["PUT", "POST", "DELETE", "PATCH"] {
        let request = anonymous.request(method, &target);
        anonymous.send(request).await.expect_status(403);
    }
    let preflight = anonymous.send(anonymous.request("OPTIONS", &target)).await;
    let preflight = preflight.expect_status(204);
    assert_eq!(preflight.header("access-control-allow-origin"), "*");
    let from_page = [("origin", "https://example.com")];
    let shared = anonymous
        .get_with(&target, &from_page)
        .await
        .expect_status(200);
    assert_eq!(shared.header("access-control-allow-origin"), "*");
}

#[stack_test(options = options_with_cdn_redirects())]
async fn headers_follow_download_and_renames(stack: &Stack) {
    let fixture = fixture_at_window_start(stack).await;
    let page = format!(
        "<html><body>{}</body></html>",
        "é".repeat(REDIRECT_ABOVE_BYTES)
    );
    let photo = put_photo(&fixture, "upload").await;
    let markup = fixture
        .put_file(
            "upload",
            "root",
            Content {
                name: "a.html",
                mime_type: "text/html",
                bytes: page.as_bytes(),
            },
        )
        .await;
    let anonymous = &stack.anonymous;
    let disposition = async |url: &str| {
        let target = location(anonymous, url).await;
        let stored = anonymous.fetch(&target).await;
        stored.header("content-disposition").to_owned()
    };

    let download = format!("{}?download", photo.url);
    assert!(disposition(&download).await.starts_with("attachment; "));
    assert!(disposition(&markup.url).await.starts_with("attachment; "));
    let target = location(anonymous, &markup.url).await;
    let stored = anonymous.fetch(&target).await;
    assert_eq!(stored.header("content-type"), "text/html; charset=utf-8");

    let renamed = json!({"original_name": "sea & \"sky\".jpg"});
    fixture.acme.put_ok(&photo.path, renamed).await;
    assert_eq!(
        disposition(&photo.url).await,
        "inline; filename=\"sea & _sky_.jpg\"; filename*=UTF-8''sea%20&%20%22sky%22.jpg"
    );
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn objects_are_not_served_without_a_key_pair(stack: &Stack, acme: &TestSpace) {
    let url = format!("{}/_objects/{}/originals/x", stack.local.cdn_url(), acme.id);
    stack.anonymous.get_err(404, &url).await;
}
