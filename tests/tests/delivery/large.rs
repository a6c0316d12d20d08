//! Bodies above the size limit, with a key pair of the CDN: a whole body is redirected to a signed
//! URL of the distribution.

use serde_json::json;
use tests::{File, Stack, StackOptions, TestSpace, large_photo, seconds, stack_test};

use super::fixture::{
    CACHED_SECONDS, DeliveryFixture, LARGE_BYTES, NOT_CACHED, REDIRECT_ABOVE_BYTES, cached,
    options_with_cdn_redirects,
};

/// Creates a space with a public file above the limit.
async fn large_file(stack: &Stack) -> (DeliveryFixture<'_>, File) {
    let acme = DeliveryFixture::at_window_start(stack).await;
    let file = acme.put_large("upload").await;
    (acme, file)
}

/// Returns the value of a parameter of the signature, which follows those of the URL itself.
fn parameter<'a>(url: &'a str, name: &str) -> &'a str {
    let prefix = format!("&{name}=");
    let (_, rest) = url.split_once(&prefix).expect("the parameter");
    rest.split('&').next().unwrap_or_default()
}

#[stack_test(options = options_with_cdn_redirects())]
async fn redirect_target_is_an_object_of_the_same_distribution(stack: &Stack) {
    let (acme, file) = large_file(stack).await;
    let target = stack.anonymous.redirect(file.url()).await;

    let originals = format!("{}/_objects/{}/originals/", stack.local.cdn_url(), acme.id);
    assert!(target.starts_with(&originals), "{target}");
    for name in ["Expires", "Signature", "Key-Pair-Id"] {
        assert!(!parameter(&target, name).is_empty(), "{target}");
    }
    assert_eq!(parameter(&target, "Hash-Algorithm"), "SHA256");

    let stored = stack.anonymous.fetch(&target).await;
    stored
        .expect_body(large_photo(LARGE_BYTES))
        .expect_header("content-type", "image/jpeg")
        .expect_header("cache-control", cached(CACHED_SECONDS))
        .expect_header("x-content-type-options", "nosniff");
    let policy = stored.header("content-security-policy");
    assert!(policy.contains("script-src 'none'"), "{policy}");
    let disposition = stored.header("content-disposition");
    assert!(disposition.starts_with("inline; "), "{disposition}");
    let name = "filename*=UTF-8''%C3%A9.jpg";
    assert!(disposition.ends_with(name), "{disposition}");
}

#[stack_test(options = options_with_cdn_redirects())]
async fn url_of_protected_file_lasts_two_minutes_and_never_past_its_signature(stack: &Stack) {
    let acme = DeliveryFixture::at_window_start(stack).await;
    let anonymous = &stack.anonymous;
    let file = acme.put_large("private").await;
    anonymous.get_err(403, file.url()).await;

    let signed = acme.signed(file.url());
    let target = anonymous.redirect(&signed).await;
    stack.clock.advance(seconds(59));
    assert_eq!(anonymous.redirect(&signed).await, target);
    stack.clock.advance(seconds(60));
    anonymous.fetch(&target).await;
    stack.clock.advance(seconds(1));
    anonymous.fetch_as(403, &target, &[]).await;

    let signed = acme.signed_for(30, file.url());
    let short = anonymous.redirect(&signed).await;
    stack.clock.advance(seconds(29));
    anonymous.fetch(&short).await;
    stack.clock.advance(seconds(1));
    anonymous.fetch_as(403, &short, &[]).await;
}

#[stack_test(options = options_with_cdn_redirects())]
async fn bytes_that_no_cache_may_store_are_redirected_to_storage(stack: &Stack) {
    let acme = DeliveryFixture::at_window_start(stack).await;
    let authenticated = acme.put_large("authenticated").await;
    let private = acme.put_large("private").await;
    let [signed_authenticated, signed_private] =
        [&authenticated, &private].map(|file| acme.signed(file.url()));
    let storage = stack.local.s3_url();
    let cdn = stack.local.cdn_url();

    for (client, url, expected) in [
        (&stack.anonymous, &*signed_authenticated, storage),
        (&acme.client, authenticated.url(), storage),
        (&acme.client, private.url(), storage),
        (&stack.anonymous, &signed_private, cdn),
    ] {
        let target = client.redirect(url).await;
        assert!(target.starts_with(expected), "{url}: {target}");
        let stored = stack.anonymous.fetch(&target).await;
        stored.expect_body(large_photo(LARGE_BYTES));
        if expected == storage {
            stored.expect_header("cache-control", NOT_CACHED);
        }
    }
}

#[stack_test(options = options_with_cdn_redirects())]
async fn changed_url_is_rejected(stack: &Stack) {
    let (acme, file) = large_file(stack).await;
    let anonymous = &stack.anonymous;
    let target = anonymous.redirect(file.url()).await;
    let (path, query) = target.split_once('?').expect("a query");
    let globex = stack.space("Globex").await;
    let other = globex.upload(large_photo(LARGE_BYTES)).await;
    let other_target = anonymous.redirect(other.url()).await;
    let (other_path, _) = other_target.split_once('?').expect("a query");

    let expires = parameter(&target, "Expires");
    let signature = parameter(&target, "Signature");
    let later: i64 = expires.parse().expect("a number");
    let objects = format!("{}/_objects/", stack.local.cdn_url());
    for url in [
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
        format!("{objects}{}/", acme.id),
        objects,
    ] {
        assert_ne!(url, target);
        anonymous.fetch_as(403, &url, &[]).await;
    }
    anonymous.fetch(&target).await;
    anonymous.fetch(&other_target).await;
}

#[stack_test(options = options_with_cdn_redirects())]
async fn object_url_supports_head_ranges_and_conditions_and_no_writes(stack: &Stack) {
    let (_acme, file) = large_file(stack).await;
    let bytes = large_photo(LARGE_BYTES);
    let anonymous = &stack.anonymous;
    let target = anonymous.redirect(file.url()).await;

    let head = anonymous.head(&target).await.expect_status(200);
    head.expect_header("content-length", LARGE_BYTES.to_string())
        .expect_header("content-type", "image/jpeg")
        .expect_header("accept-ranges", "bytes")
        .expect_body("");

    for (range, first, end) in [
        ("bytes=0-9", 0, 10),
        ("bytes=250000-", 250_000, LARGE_BYTES),
        ("bytes=-5", LARGE_BYTES - 5, LARGE_BYTES),
        ("bytes=0-200000", 0, 200_001),
    ] {
        let part = anonymous.fetch_as(206, &target, &[("range", range)]).await;
        part.expect_part(&bytes, first..end);
    }
    for (condition, status) in [
        (("range", "bytes=250001-"), 416),
        (("if-none-match", head.header("etag")), 304),
        (("if-none-match", "\"other\""), 200),
    ] {
        anonymous.fetch_as(status, &target, &[condition]).await;
    }

    for method in ["PUT", "POST", "DELETE", "PATCH"] {
        let request = anonymous.request(method, &target);
        anonymous.send(request).await.expect_status(403);
    }
    let preflight = anonymous.send(anonymous.request("OPTIONS", &target)).await;
    let preflight = preflight.expect_status(204);
    preflight.expect_header("access-control-allow-origin", "*");
    let from_page = [("origin", "https://example.com")];
    let shared = anonymous.fetch_as(200, &target, &from_page).await;
    shared.expect_header("access-control-allow-origin", "*");
}

#[stack_test(options = options_with_cdn_redirects())]
async fn headers_follow_download_and_renames(stack: &Stack) {
    let (acme, photo) = large_file(stack).await;
    let page = format!("<html><body>{}</body>", "é".repeat(REDIRECT_ABOVE_BYTES));
    let page = acme.upload(page).named("a.html", "text/html").await;
    let anonymous = &stack.anonymous;

    let download = anonymous.redirect(&photo.url_with("download")).await;
    let download = anonymous.fetch(&download).await;
    let disposition = download.header("content-disposition");
    assert!(disposition.starts_with("attachment; "), "{disposition}");

    let markup = anonymous.redirect(page.url()).await;
    let markup = anonymous.fetch(&markup).await;
    markup.expect_header("content-type", "text/html; charset=utf-8");
    let disposition = markup.header("content-disposition");
    assert!(disposition.starts_with("attachment; "), "{disposition}");

    let renamed = json!({"original_name": "sea & \"sky\".jpg"});
    acme.put_ok(photo.path(), renamed).await;
    let renamed = anonymous.redirect(photo.url()).await;
    anonymous.fetch(&renamed).await.expect_header(
        "content-disposition",
        "inline; filename=\"sea & _sky_.jpg\"; filename*=UTF-8''sea%20&%20%22sky%22.jpg",
    );
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn objects_are_not_served_without_a_key_pair(stack: &Stack, acme: &TestSpace) {
    let url = format!("{}/_objects/{}/originals/x", stack.local.cdn_url(), acme.id);
    stack.anonymous.get_err(404, &url).await;
}
