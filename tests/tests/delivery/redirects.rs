//! Bodies above the size limit, without a key pair of the CDN: a whole body is redirected to S3, a
//! range is cut.

use std::sync::Arc;

use tempfile::TempDir;
use tests::{PHOTO, Stack, StackOptions, TestSpace, large_photo, minutes, seconds, stack_test};

use super::fixture::{
    CACHED_SECONDS, DeliveryFixture, LARGE_BYTES, REDIRECT_ABOVE_BYTES, cached,
    options_with_redirects,
};

#[stack_test(options = options_with_redirects())]
async fn redirects_of_open_file_share_url_for_half_an_hour(stack: &Stack) {
    let acme = DeliveryFixture::at_window_start(stack).await;
    let file = acme.put_large("upload").await;
    let anonymous = &stack.anonymous;

    let first = anonymous.redirect(file.url()).await;
    stack.clock.advance(minutes(29) + seconds(59));
    assert_eq!(anonymous.redirect(file.url()).await, first);
    stack.clock.advance(seconds(1));
    let second = anonymous.redirect(file.url()).await;
    assert_ne!(second, first);

    stack.clock.advance(minutes(30));
    anonymous.fetch(&first).await;
    stack.clock.advance(seconds(1));
    anonymous.fetch_as(403, &first, &[]).await;
    anonymous.fetch(&second).await;
}

#[stack_test(options = options_with_redirects())]
async fn redirect_target_returns_bytes_with_delivery_headers(stack: &Stack) {
    let acme = DeliveryFixture::at_window_start(stack).await;
    let file = acme.put_large("upload").await;
    let anonymous = &stack.anonymous;

    let target = anonymous.redirect(file.url()).await;
    assert!(target.starts_with(stack.local.s3_url()), "{target}");

    let stored = anonymous.fetch(&target).await;
    stored
        .expect_body(large_photo(LARGE_BYTES))
        .expect_header("content-type", "image/jpeg")
        .expect_header("cache-control", cached(CACHED_SECONDS));
    let disposition = stored.header("content-disposition");
    assert!(disposition.contains("filename*=UTF-8''%C3%A9.jpg"));
    let range = [("range", "bytes=0-9")];
    anonymous.fetch_as(206, &target, &range).await;
    let changed = target.replace("jpeg", "png");
    anonymous.fetch_as(403, &changed, &[]).await;

    // Responses without a large body are not redirected: `HEAD` and 304.
    let head = anonymous.head(file.url()).await.expect_status(200);
    let length = LARGE_BYTES.to_string();
    head.expect_header("x-amzn-remapped-content-length", length);
    let unchanged = [("if-none-match", head.header("etag"))];
    anonymous.fetch_as(304, file.url(), &unchanged).await;
}

#[stack_test(options = options_with_redirects())]
async fn redirect_of_protected_file_ends_two_minutes_after_access_was_revoked(stack: &Stack) {
    let acme = DeliveryFixture::at_window_start(stack).await;
    let anonymous = &stack.anonymous;
    let clock = &stack.clock;

    for delivery_type in ["private", "authenticated"] {
        let file = acme.put_large(delivery_type).await;
        let key = acme.create_key("viewer").role("viewer").await;
        let signed = acme.signed(file.url());

        for (client, url) in [(&key.client, file.url()), (anonymous, &signed)] {
            let first = client.redirect(url).await;
            clock.advance(seconds(59));
            assert_eq!(client.redirect(url).await, first, "{delivery_type}");
            let stored = anonymous.fetch(&first).await;
            stored.expect_body(large_photo(LARGE_BYTES));
            clock.advance(seconds(1));
            assert_ne!(client.redirect(url).await, first, "{delivery_type}");
        }

        let target = key.client.redirect(file.url()).await;
        acme.delete_ok(key.path()).await;
        key.client.get_err(403, file.url()).await;
        anonymous.fetch(&target).await;
        clock.advance(seconds(121));
        anonymous.fetch_as(403, &target, &[]).await;
        clock.advance(seconds(59));
    }
}

#[stack_test(options = options_with_redirects())]
async fn redirect_is_never_valid_for_longer_than_its_signed_url(stack: &Stack) {
    let acme = DeliveryFixture::at_window_start(stack).await;
    let anonymous = &stack.anonymous;
    let clock = &stack.clock;
    let public = acme.put_large("upload").await;
    let private = acme.put_large("private").await;
    let authenticated = acme.put_large("authenticated").await;

    for (file, remaining) in [
        (&private, 1),
        (&private, 119),
        (&authenticated, 30),
        (&authenticated, 119),
        (&public, 600),
    ] {
        let signed = acme.signed_for(remaining, file.url());
        let target = anonymous.redirect(&signed).await;
        let stored = anonymous.fetch(&target).await;
        if file == &private {
            stored.expect_header("cache-control", cached(0));
        }

        clock.advance(seconds(remaining.unsigned_abs()));
        anonymous.get_err(403, &signed).await;
        clock.advance(seconds(1));
        anonymous.fetch_as(403, &target, &[]).await;
        clock.advance(seconds((60 - acme.now() % 60).unsigned_abs()));
    }

    // Browsers may store the bytes while the signed URL is valid, whenever they use it.
    let signed = acme.signed_for(200, private.url());
    clock.advance(seconds(50));
    let target = anonymous.redirect(&signed).await;
    clock.advance(seconds(70));
    let stored = anonymous.fetch(&target).await;
    stored.expect_header("cache-control", cached(80));
}

#[stack_test(options = options_with_redirects())]
async fn range_above_the_limit_is_answered_with_its_first_bytes(stack: &Stack) {
    const LIMIT: usize = REDIRECT_ABOVE_BYTES;
    const SIZE: usize = LARGE_BYTES;
    let acme = DeliveryFixture::at_window_start(stack).await;
    let file = acme.put_large("upload").await;
    let bytes = large_photo(SIZE);

    for (range, first, end) in [
        ("0-".to_owned(), 0, LIMIT),
        (format!("0-{}", SIZE - 1), 0, LIMIT),
        (format!("7-{}", LIMIT + 6), 7, LIMIT + 7),
        (format!("7-{}", LIMIT + 7), 7, LIMIT + 7),
        (format!("-{}", LIMIT + 5), SIZE - LIMIT - 5, SIZE - 5),
        (format!("{}-", SIZE - 1), SIZE - 1, SIZE),
    ] {
        let range = format!("bytes={range}");
        let range = [("range", &*range)];
        let part = stack.anonymous.fetch_as(206, file.url(), &range).await;
        part.with_context(range[0].1)
            .expect_part(&bytes, first..end);
    }

    for (range, status) in [("bytes=250001-", 416), ("bytes=0-1,4-5", 307)] {
        let range = [("range", range)];
        stack.anonymous.fetch_as(status, file.url(), &range).await;
    }
}

#[tokio::test]
async fn redirect_limit_of_zero_fails_start() {
    let options = StackOptions::default().with_parameters(&[("RedirectAboveBytes", "0")]);
    let directory = Arc::new(TempDir::new().expect("a temporary directory"));

    let started = Box::pin(Stack::start_in(directory, options)).await;

    let error = started.err().expect("an error").to_string();
    let expected = "Parameters.RedirectAboveBytes: the value must be a positive integer";
    assert_eq!(error, expected);
}

/// Maximum size of a body, in bytes.
const MAX_BODY_BYTES: usize = 2_000;

/// Options of a stack that redirects bodies above [`MAX_BODY_BYTES`].
fn options() -> StackOptions {
    let limit = MAX_BODY_BYTES.to_string();
    StackOptions::without_rate_limits().with_parameters(&[("RedirectAboveBytes", &limit)])
}

#[stack_test(options = options())]
async fn range_of_a_large_rendition_is_truncated_and_not_redirected(
    stack: &Stack,
    acme: &TestSpace,
) {
    let url = acme.upload(PHOTO).await.url_with("w=128&f=png");
    let from_start = [("range", "bytes=0-")];
    let rendered = stack.anonymous.fetch_as(206, &url, &from_start).await;
    let stored = stack.anonymous.fetch_as(206, &url, &from_start).await;
    let whole = stack.anonymous.redirect(&url).await;
    let whole = stack.anonymous.fetch(&whole).await;
    whole.expect_header("content-type", "image/png");
    let size = whole.body.len();
    assert!(size > MAX_BODY_BYTES);

    for part in [&rendered, &stored] {
        part.expect_part(&whole.body, 0..MAX_BODY_BYTES)
            .expect_header("accept-ranges", "bytes")
            .expect_header("content-type", "image/png")
            .expect_header("x-image-width", "128");
    }

    for (range, first, end) in [
        ("bytes=7-9".to_owned(), 7, 10),
        ("bytes=-5".to_owned(), size - 5, size),
        (format!("bytes={}-", size - 1), size - 1, size),
    ] {
        let range = [("range", &*range)];
        let part = stack.anonymous.fetch_as(206, &url, &range).await;
        part.expect_part(&whole.body, first..end);
    }
}

#[stack_test(options = options())]
async fn range_of_a_rendition_follows_its_entity_tag_and_size(stack: &Stack, acme: &TestSpace) {
    let url = acme.upload(PHOTO).await.url_with("w=128&f=png");
    stack.anonymous.redirect(&url).await;
    let head = stack.anonymous.head(&url).await.expect_status(200);
    let size = head.header("x-amzn-remapped-content-length");

    for (if_range, status) in [(head.header("etag"), 206), ("\"other\"", 307)] {
        let headers = [("range", "bytes=0-9"), ("if-range", if_range)];
        stack.anonymous.fetch_as(status, &url, &headers).await;
    }
    let outside = format!("bytes={size}-");
    let outside = [("range", &*outside)];
    let outside = stack.anonymous.get_with(&url, &outside).await;
    outside.expect_header("content-range", format!("bytes */{size}"));
    outside.expect_error(416);
}
