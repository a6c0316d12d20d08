//! Bodies above the size limit, without a key pair of the CDN: a whole body is redirected to S3, a
//! range is cut.

use std::sync::Arc;

use tempfile::TempDir;
use tests::{Stack, StackOptions, large_photo, minutes, seconds, stack_test};

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
        let content_range = format!("bytes {first}-{}/{SIZE}", end - 1);
        part.with_context(range[0].1)
            .expect_body(&bytes[first..end])
            .expect_header("content-range", content_range)
            .expect_header("content-length", (end - first).to_string());
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

    let error = started.err().expect("the parameter is below its minimum");
    assert!(error.to_string().contains("RedirectAboveBytes"), "{error}");
}
