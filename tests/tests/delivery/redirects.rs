//! Bodies above the size limit, without a key pair of the CDN: a whole body is redirected to S3, a
//! range is cut.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::json;
use tempfile::TempDir;
use tests::{Stack, StackOptions, large_photo, minutes, seconds, stack_test, text};

use super::fixture::{
    CACHED_SECONDS, Content, DeliveryFixture, FixtureFile, HOUR_SECONDS, REDIRECT_ABOVE_BYTES,
    cached, options_with_redirects,
};

/// Size of a file above the limit, in bytes.
const SIZE_BYTES: usize = 250_001;
/// Time for which redirects of a public file have the same URL, in seconds.
const WINDOW_SECONDS: i64 = 30 * 60;

/// Creates a fixture, and advances the clock to the start of a window.
async fn fixture_at_window_start(stack: &Stack) -> DeliveryFixture<'_> {
    let fixture = DeliveryFixture::new(stack).await;

    let past_seconds = fixture.now() % WINDOW_SECONDS;
    let rest = (WINDOW_SECONDS - past_seconds).unsigned_abs();
    stack.clock.advance(seconds(rest));
    fixture
}

/// A file above the limit.
struct LargeFile {
    file: FixtureFile,
    bytes: Vec<u8>,
}

async fn put_large(fixture: &DeliveryFixture<'_>, delivery_type: &str) -> LargeFile {
    let bytes = large_photo(SIZE_BYTES);
    let content = Content {
        name: "é.jpg",
        mime_type: "image/jpeg",
        bytes: &bytes,
    };
    let file = fixture.put_file(delivery_type, "root", content).await;
    LargeFile { file, bytes }
}

#[stack_test(options = options_with_redirects())]
async fn redirects_of_open_file_share_url_for_half_an_hour(stack: &Stack) {
    let fixture = fixture_at_window_start(stack).await;
    let LargeFile { file, bytes } = put_large(&fixture, "upload").await;
    let anonymous = &fixture.stack.anonymous;
    let clock = &fixture.stack.clock;
    let location = async || {
        text(&json!(
            anonymous
                .get(&file.url)
                .await
                .expect_status(307)
                .header("location")
        ))
    };

    let first = location().await;
    clock.advance(minutes(7));
    assert_eq!(location().await, first);
    assert!(anonymous.fetch(&first).await.body == bytes);

    clock.advance(minutes(22) + seconds(59));
    assert_eq!(location().await, first);
    clock.advance(seconds(1));
    let second = location().await;
    assert_ne!(second, first);
    clock.advance(minutes(30));
    anonymous.fetch(&first).await;
    clock.advance(seconds(1));
    anonymous.get(&first).await.expect_status(403);
    anonymous.fetch(&second).await;
}

#[stack_test(options = options_with_redirects())]
async fn redirect_target_returns_bytes_with_delivery_headers(stack: &Stack) {
    let fixture = fixture_at_window_start(stack).await;
    let LargeFile { file, bytes } = put_large(&fixture, "upload").await;
    let anonymous = &fixture.stack.anonymous;

    let redirect = anonymous.get(&file.url).await.expect_status(307);
    assert_eq!(redirect.header("cache-control"), "no-store");
    let location = redirect.header("location");
    assert!(
        location.starts_with(fixture.stack.local.s3_url()),
        "{location}"
    );

    let stored = anonymous.fetch(location).await;
    assert!(stored.body == bytes);
    assert_eq!(stored.header("content-type"), "image/jpeg");
    assert_eq!(stored.header("cache-control"), cached(CACHED_SECONDS));
    assert!(
        stored
            .header("content-disposition")
            .contains("filename*=UTF-8''%C3%A9.jpg")
    );
    anonymous
        .get_with(location, &[("range", "bytes=0-9")])
        .await
        .expect_status(206);
    anonymous
        .get(&location.replace("jpeg", "png"))
        .await
        .expect_status(403);

    // Responses without a large body are not redirected: `HEAD` and 304.
    let head = anonymous.head(&file.url).await.expect_status(200);
    let length = head.header("x-amzn-remapped-content-length");
    assert_eq!(length, SIZE_BYTES.to_string());
    anonymous
        .get_with(&file.url, &[("if-none-match", head.header("etag"))])
        .await
        .expect_status(304);
}

#[stack_test(options = options_with_redirects())]
async fn redirect_of_protected_file_ends_two_minutes_after_access_was_revoked(stack: &Stack) {
    let fixture = fixture_at_window_start(stack).await;
    let anonymous = &fixture.stack.anonymous;
    let clock = &fixture.stack.clock;
    for delivery_type in ["private", "authenticated"] {
        let LargeFile { file, bytes } = put_large(&fixture, delivery_type).await;
        let key = fixture.acme.create_key("viewer").role("viewer").await;
        let signed = fixture.signed(&file.url);

        for (client, address) in [(&key.client, &file.url), (anonymous, &signed)] {
            let first = client
                .get(address)
                .await
                .expect_status(307)
                .header("location")
                .to_owned();
            clock.advance(seconds(59));
            let repeated = client
                .get(address)
                .await
                .expect_status(307)
                .header("location")
                .to_owned();
            assert_eq!(repeated, first, "{delivery_type}");
            assert!(
                anonymous.fetch(&first).await.body == bytes,
                "{delivery_type}"
            );
            clock.advance(seconds(1));
            let next = client
                .get(address)
                .await
                .expect_status(307)
                .header("location")
                .to_owned();
            assert_ne!(next, first, "{delivery_type}");
        }

        let location = key
            .client
            .get(&file.url)
            .await
            .expect_status(307)
            .header("location")
            .to_owned();
        fixture.acme.delete_ok(key.path()).await;
        key.client.get_err(403, &file.url).await;
        anonymous.fetch(&location).await;
        clock.advance(seconds(121));
        anonymous.get(&location).await.expect_status(403);
        clock.advance(seconds(59));
    }
}

#[stack_test(options = options_with_redirects())]
async fn redirect_is_never_valid_for_longer_than_its_signed_url(stack: &Stack) {
    let fixture = fixture_at_window_start(stack).await;
    let anonymous = &fixture.stack.anonymous;
    let clock = &fixture.stack.clock;
    for delivery_type in ["private", "authenticated"] {
        let file = put_large(&fixture, delivery_type).await.file;
        for remaining in [1, 30, 119] {
            let signed = fixture
                .signer
                .sign(&file.url, fixture.now() + remaining, &[]);
            let location = anonymous
                .get(&signed)
                .await
                .expect_status(307)
                .header("location")
                .to_owned();
            let stored = anonymous.fetch(&location).await;
            if delivery_type == "private" {
                assert_eq!(stored.header("cache-control"), cached(0), "{remaining}");
            }

            clock.advance(seconds(remaining.unsigned_abs() + 1));
            anonymous.get_err(403, &signed).await;
            anonymous.get(&location).await.expect_status(403);
            clock.advance(seconds((60 - fixture.now() % 60).unsigned_abs()));
        }
    }

    let public = put_large(&fixture, "upload").await.file;
    let signed = fixture.signer.sign(&public.url, fixture.now() + 600, &[]);
    let location = anonymous
        .get(&signed)
        .await
        .expect_status(307)
        .header("location")
        .to_owned();
    clock.advance(seconds(600));
    anonymous.get_err(403, &signed).await;
    clock.advance(seconds(1));
    anonymous.get(&location).await.expect_status(403);
    clock.advance(seconds(59));

    // Browsers may store the bytes while the signed URL is valid, whenever they use it.
    let file = put_large(&fixture, "private").await.file;
    let signed = fixture.signer.sign(&file.url, fixture.now() + 200, &[]);
    clock.advance(seconds(50));
    let location = anonymous
        .get(&signed)
        .await
        .expect_status(307)
        .header("location")
        .to_owned();
    clock.advance(seconds(70));
    assert_eq!(
        anonymous.fetch(&location).await.header("cache-control"),
        cached(80)
    );
}

#[stack_test(options = options_with_redirects())]
async fn range_above_the_limit_is_answered_with_its_first_bytes(stack: &Stack) {
    let fixture = fixture_at_window_start(stack).await;
    let LargeFile { file, bytes } = put_large(&fixture, "upload").await;
    let anonymous = &fixture.stack.anonymous;
    let last = SIZE_BYTES - 1;

    for (range, first, end) in [
        ("bytes=0-".to_owned(), 0, REDIRECT_ABOVE_BYTES),
        (format!("bytes=0-{last}"), 0, REDIRECT_ABOVE_BYTES),
        ("bytes=7-".to_owned(), 7, REDIRECT_ABOVE_BYTES + 7),
        (
            format!("bytes=7-{}", REDIRECT_ABOVE_BYTES + 6),
            7,
            REDIRECT_ABOVE_BYTES + 7,
        ),
        (
            format!("bytes=7-{}", REDIRECT_ABOVE_BYTES + 7),
            7,
            REDIRECT_ABOVE_BYTES + 7,
        ),
        (
            format!("bytes=-{}", REDIRECT_ABOVE_BYTES + 5),
            SIZE_BYTES - REDIRECT_ABOVE_BYTES - 5,
            SIZE_BYTES - 5,
        ),
        (format!("bytes=-{SIZE_BYTES}"), 0, REDIRECT_ABOVE_BYTES),
        (format!("bytes={last}-"), last, SIZE_BYTES),
        ("bytes=-1".to_owned(), last, SIZE_BYTES),
    ] {
        let part = anonymous
            .get_with(&file.url, &[("range", &range)])
            .await
            .expect_status(206);
        assert!(part.body == bytes[first..end], "{range}");
        assert_eq!(
            part.header("content-range"),
            format!("bytes {first}-{}/{SIZE_BYTES}", end - 1),
            "{range}"
        );
        assert_eq!(
            part.header("content-length"),
            (end - first).to_string(),
            "{range}"
        );
    }

    anonymous
        .get_with(&file.url, &[("range", &format!("bytes={SIZE_BYTES}-"))])
        .await
        .expect_error(416);

    for ignored in [("range", "bytes=0-1,4-5"), ("range", "lines=1-2")] {
        anonymous
            .get_with(&file.url, &[ignored])
            .await
            .expect_status(307);
    }
}

#[stack_test(options = options_with_redirects())]
async fn player_seeks_with_ranges_for_hours(stack: &Stack) {
    let fixture = fixture_at_window_start(stack).await;
    let LargeFile { file, bytes } = put_large(&fixture, "private").await;
    let signed = fixture
        .signer
        .sign(&file.url, fixture.now() + 10 * HOUR_SECONDS, &[]);
    let etag = fixture
        .stack
        .anonymous
        .head(&signed)
        .await
        .expect_status(200)
        .header("etag")
        .to_owned();

    let mut position = 0;
    for _ in 0..12 {
        let range = format!("bytes={position}-");
        let conditions = [("range", range.as_str()), ("if-range", etag.as_str())];
        let part = fixture
            .stack
            .anonymous
            .get_with(&signed, &conditions)
            .await
            .expect_status(206);
        let end = SIZE_BYTES.min(position + REDIRECT_ABOVE_BYTES);
        assert!(part.body == bytes[position..end], "{range}");
        position = if end == SIZE_BYTES { 0 } else { end };
        fixture.stack.clock.advance(minutes(45));
    }
}

#[tokio::test]
async fn redirect_limit_of_zero_fails_start() {
    let parameters = BTreeMap::from([("RedirectAboveBytes".to_owned(), "0".to_owned())]);
    let directory = Arc::new(TempDir::new().expect("a temporary directory"));
    let started = Stack::start_in(
        directory,
        StackOptions {
            parameters,
            ..StackOptions::default()
        },
    )
    .await;
    let error = started
        .err()
        .expect("the parameter is below its minimum")
        .to_string();

    assert!(error.contains("RedirectAboveBytes"), "{error}");
}
