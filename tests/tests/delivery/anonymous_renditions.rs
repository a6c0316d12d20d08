//! Images that requests without a signed URL or key create: shared by equal outputs, never
//! enlarged, stored for some days, and limited per file and minute.

use std::{collections::BTreeSet, time::Duration};

use tests::{
    File, Observed, Response, Stack, StackOptions, TestSpace, minutes, seconds, stack_test,
};

use super::{fixture::renditions, rendition_races::until, watermarks::upload_image};
use crate::support::image_server::{ImageServer, logo};

/// Size of the uploaded image, in pixels.
const SIZE: (u32, u32) = (64, 48);
const DAY: Duration = Duration::from_hours(24);
/// Days for which renditions are stored by default, and the rest of the last day.
const RENDITION_DAYS: u32 = 31;
/// Name under which `Content-Length` of a `HEAD` arrives.
const LENGTH: &str = "x-amzn-remapped-content-length";

/// Options of a stack in which files have this maximum of renditions.
fn limited_renditions(number: &str) -> StackOptions {
    StackOptions::without_rate_limits().with_parameters(&[("AnonymousRenditionsPerFile", number)])
}

/// Requests the image with this width.
async fn fetch_width(stack: &Stack, file: &File, width: u32) -> Response {
    let url = file.url_with(&format!("w={width}"));
    let response = stack.anonymous.fetch(&url).await;
    response.expect_header("x-image-width", width.to_string());
    response
}

/// Returns the number of stored renditions that expire.
async fn expiring(stack: &Stack, acme: &TestSpace) -> usize {
    let prefix = format!("_objects/expiring/{}/renditions/", acme.id);
    let stored = renditions(stack).await;
    stored.iter().filter(|key| key.starts_with(&prefix)).count()
}

/// Waits until no expiring rendition is stored.
async fn until_expired(stack: &Stack, acme: &TestSpace) {
    until(async || expiring(stack, acme).await == 0).await;
}

#[stack_test]
async fn requests_with_equal_outputs_share_one_rendering(stack: &Stack, acme: &TestSpace) {
    let file = upload_image(acme).await;

    let whole = "w=65 w=99 q=90 r=crop&w=99 w=80&h=60&r=fill h=48&r=scale";
    let small = "h=9&w=12 w=12 h=9 w=12&h=99 w=12&h=9&r=scale w=12&h=9&r=fill&g=south";
    for (queries, stored) in [(whole, 1), (small, 2)] {
        let mut etags = BTreeSet::new();
        for query in queries.split(' ') {
            let url = file.url_with(&format!("{query}&f=webp"));
            let response = stack.anonymous.fetch(&url).await;
            etags.insert(response.header("etag").to_owned());
        }
        assert_eq!(etags.len(), 1, "{queries}");
        assert_eq!(renditions(stack).await.len(), stored);
    }

    for query in ["w=12&h=9&r=crop", "w=12&h=9&q=80", "w=12&h=10&r=fill"] {
        let url = file.url_with(&format!("{query}&f=webp"));
        stack.anonymous.fetch(&url).await;
    }
    assert_eq!(renditions(stack).await.len(), 5);
}

#[stack_test]
async fn only_credentials_enlarge(stack: &Stack, acme: &TestSpace) {
    let file = upload_image(acme).await;

    for (query, anonymous, with_key) in [
        ("w=128&r=scale", SIZE, (128, 96)),
        ("w=128&h=20&r=scale", (64, 20), (128, 20)),
        ("w=32&r=scale", (32, 24), (32, 24)),
    ] {
        let url = file.url_with(query);
        for (client, (width, height)) in [(&stack.anonymous, anonymous), (&acme.client, with_key)] {
            let response = client.fetch(&url).await;
            response.expect_header("x-image-width", width.to_string());
            response.expect_header("x-image-height", height.to_string());
        }
    }

    let huge = file.url_with("w=8000&h=8000&r=scale&f=png");
    stack.anonymous.fetch(&huge).await;
    acme.get_err(422, &huge).await;
}

#[stack_test]
async fn only_renditions_without_credentials_expire(stack: &Stack, acme: &TestSpace) {
    let file = upload_image(acme).await;
    let with_key = file.url_with("w=30");

    fetch_width(stack, &file, 20).await;
    acme.fetch(&with_key).await;
    assert_eq!(expiring(stack, acme).await, 1);
    assert_eq!(renditions(stack).await.len(), 2);

    // Each request finds what the other one stored.
    acme.fetch(&file.url_with("w=20")).await;
    stack.anonymous.fetch(&with_key).await;
    assert_eq!(renditions(stack).await.len(), 2);

    stack.run_for((RENDITION_DAYS - 2) * DAY).await;
    assert_eq!(expiring(stack, acme).await, 1);
    stack.run_for(2 * DAY).await;
    until_expired(stack, acme).await;
    assert_eq!(renditions(stack).await.len(), 1);
    fetch_width(stack, &file, 20).await;
    assert_eq!(expiring(stack, acme).await, 1);
}

#[stack_test(options = limited_renditions("2"))]
async fn file_has_a_maximum_of_stored_renditions_without_credentials(
    stack: &Stack,
    acme: &TestSpace,
) {
    let file = upload_image(acme).await;
    for width in [20, 21, 22, 22, 20] {
        fetch_width(stack, &file, width).await;
    }
    assert_eq!(expiring(stack, acme).await, 2);
    acme.fetch(&file.url_with("w=22")).await;
    assert_eq!(renditions(stack).await.len(), 3);

    // All are deleted at a midnight, but count until their full time has passed. A rendition that
    // is rendered again meanwhile keeps its place.
    let all_days = RENDITION_DAYS * DAY;
    stack.run_for(all_days.saturating_sub(seconds(1))).await;
    until_expired(stack, acme).await;
    for width in [23, 21, 24] {
        fetch_width(stack, &file, width).await;
    }
    assert_eq!(expiring(stack, acme).await, 1);

    // The place of the other one is free then.
    stack.clock.advance(seconds(2));
    for width in [23, 24] {
        fetch_width(stack, &file, width).await;
    }
    assert_eq!(expiring(stack, acme).await, 2);

    stack.run_for(all_days).await;
    until_expired(stack, acme).await;
    for width in [25, 26, 27] {
        fetch_width(stack, &file, width).await;
    }
    assert_eq!(expiring(stack, acme).await, 2);
    fetch_width(stack, &upload_image(acme).await, 20).await;
    assert_eq!(expiring(stack, acme).await, 3);
}

#[tokio::test]
async fn stored_renditions_count_also_after_a_change_of_their_days() {
    let options = |seed, days| StackOptions {
        seed,
        ..limited_renditions("2").with_parameters(&[("RenditionDays", days)])
    };
    let stack = Stack::start_with(options(1, "1")).await;
    let acme = stack.space("Acme").await;
    let file = upload_image(&acme).await;
    let path = file.url().strip_prefix(stack.local.cdn_url());
    let path = path.expect("a URL of the CDN");
    fetch_width(&stack, &file, 20).await;
    let directory = stack.directory();
    stack.stop().await;

    let stack = Box::pin(Stack::start_in(directory, options(2, "10"))).await;
    let stack = stack.unwrap_or_else(|error| panic!("{error}"));
    for width in [21, 22] {
        let url = format!("{}{path}?w={width}", stack.local.cdn_url());
        stack.anonymous.fetch(&url).await;
        assert_eq!(expiring(&stack, &acme).await, 2);
    }
    stack.stop().await;
}

#[stack_test(options = limited_renditions("1").with_parameters(&[("RedirectAboveBytes", "100")]))]
async fn rendition_that_is_neither_stored_nor_small_needs_credentials(
    stack: &Stack,
    acme: &TestSpace,
) {
    let file = upload_image(acme).await;
    let second = file.url_with("w=31");

    stack.anonymous.redirect(&file.url_with("w=30")).await;
    stack.anonymous.get_err(403, &second).await;
    acme.redirect(&second).await;
    stack.anonymous.redirect(&second).await;
}

#[stack_test(options = limited_renditions("1").with_parameters(&[
    ("RedirectAboveBytes", "100"),
    ("AnonymousRenderingsPerMinute", "1"),
]))]
async fn limits_do_not_concern_the_original_with_a_watermark(stack: &Stack, acme: &TestSpace) {
    let file = upload_image(acme).await;
    let server = ImageServer::start(&logo([255, 0, 0])).await;
    acme.set_security(&acme.path(), server.watermark()).await;

    stack.anonymous.redirect(&file.url_with("w=30")).await;
    stack.anonymous.redirect(file.url()).await;
    assert_eq!(expiring(stack, acme).await, 1);
}

#[stack_test(options = StackOptions::without_rate_limits().with_parameters(&[("AnonymousRenderingsPerMinute", "2")]))]
async fn renderings_without_credentials_are_limited_per_space_and_minute(
    stack: &Stack,
    acme: &TestSpace,
    globex: &TestSpace,
) {
    let file = upload_image(acme).await;

    for width in [20, 21, 20, 21, 21] {
        fetch_width(stack, &file, width).await;
    }
    let third = file.url_with("w=22");
    let refused = stack.anonymous.get(&third).await;
    assert!((1..=60).contains(&refused.header("retry-after").parse().expect("seconds")));
    refused.expect_error(429);

    stack.anonymous.head(&third).await.expect_status(200);
    acme.fetch(&file.url_with("w=23")).await;
    fetch_width(stack, &upload_image(globex).await, 20).await;
    stack.clock.advance(minutes(1));
    fetch_width(stack, &file, 22).await;
}

#[stack_test]
async fn head_renders_nothing(stack: &Stack, acme: &TestSpace) {
    let file = upload_image(acme).await;
    let server = ImageServer::start(&logo([255, 0, 0])).await;

    for (url, size, content_type) in [
        (file.url_with("w=32&f=jpeg"), ("32", "24"), "image/jpeg"),
        (file.url().to_owned(), ("64", "48"), "image/png"),
    ] {
        let Observed { output, calls } = stack.calls_of(stack.anonymous.head(&url)).await;
        let head = output.expect_status(200);
        let is_stored = calls.iter().any(|call| call.ends_with("PutObject"));
        assert!(!is_stored, "{calls:?}");
        for name in ["content-length", LENGTH] {
            assert!(!head.headers.contains_key(name), "{url}: {name}");
        }
        head.expect_header("x-image-width", size.0)
            .expect_header("x-image-height", size.1)
            .expect_header("content-type", content_type);

        let get = stack.anonymous.fetch(&url).await;
        for name in "etag content-type x-image-width content-disposition".split(' ') {
            head.expect_header(name, get.header(name));
        }
        let stored = stack.anonymous.head(&url).await.expect_status(200);
        stored.expect_header(LENGTH, get.body.len().to_string());

        acme.set_security(&acme.path(), server.watermark()).await;
    }

    let text = acme.upload("text").named("a.txt", "text/plain").await;
    let text = stack.anonymous.head(&text.url_with("w=32")).await;
    text.expect_status(422);
}

#[stack_test]
async fn renditions_are_deleted_with_their_file_and_space(stack: &Stack, acme: &TestSpace) {
    let kept = upload_image(acme).await;
    let deleted = upload_image(acme).await;
    for file in [&kept, &deleted] {
        fetch_width(stack, file, 20).await;
        acme.fetch(&file.url_with("w=30")).await;
    }

    acme.delete_ok(deleted.path()).await;
    stack.run_purges().await;
    let objects = stack.dump().await.objects;
    assert!(!objects.keys().any(|key| key.contains(&deleted.id)));
    assert_eq!(renditions(stack).await.len(), 2);
    assert_eq!(expiring(stack, acme).await, 1);
    assert_eq!(counts(stack).await, 1);

    acme.delete_by_force().await;
    stack.run_purges().await;
    stack.run_purges().await;
    assert!(stack.dump().await.objects.is_empty());
    assert_eq!(counts(stack).await, 0);
}

/// Returns the number of items that count renditions.
async fn counts(stack: &Stack) -> usize {
    let items = stack.dump().await.items;
    let is_count = |sort: &str| sort.starts_with("RENDITION_COUNT#");
    items.keys().filter(|key| is_count(&key.sort)).count()
}
