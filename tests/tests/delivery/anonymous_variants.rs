//! Images that requests without a signed URL or key create: shared by equal outputs, never enlarged,
//! stored for some days, and limited per file and minute.

use std::{collections::BTreeSet, time::Duration};

use media::Format;
use serde_json::json;
use tests::{File, Observed, Stack, StackOptions, TestSpace, minutes, stack_test};

use crate::support::{
    image_server::{ImageServer, logo},
    images::image,
};

/// Size of the uploaded image, in pixels.
const SIZE: (u32, u32) = (64, 48);
const DAY: Duration = Duration::from_hours(24);
/// Days for which variants are stored by default, and the rest of the last day.
const VARIANT_DAYS: u32 = 31;
/// Maximum time until the bucket has applied its lifecycle rules.
const MAX_EXPIRY_TIME: Duration = Duration::from_secs(20);
/// Name under which `Content-Length` of a `HEAD` arrives.
const LENGTH: &str = "x-amzn-remapped-content-length";
/// Time between two checks.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

fn limited_variants(number: &str) -> StackOptions {
    StackOptions::without_rate_limits().with_parameters(&[("AnonymousVariantsPerFile", number)])
}

fn limited_renderings() -> StackOptions {
    StackOptions::without_rate_limits().with_parameters(&[("AnonymousRenderingsPerMinute", "2")])
}

async fn upload(acme: &TestSpace) -> File {
    let bytes = image(Format::Png, SIZE.0, SIZE.1);
    acme.upload(bytes).named("a.png", "image/png").await
}

/// Returns the keys of all stored variants.
async fn variants(stack: &Stack) -> BTreeSet<String> {
    let objects = stack.dump().await.objects.into_keys();
    objects.filter(|key| key.contains("/variants/")).collect()
}

/// Returns the number of stored variants that expire.
async fn expiring(stack: &Stack, acme: &TestSpace) -> usize {
    let prefix = format!("_objects/expiring/{}/variants/", acme.id);
    let stored = variants(stack).await;
    stored.iter().filter(|key| key.starts_with(&prefix)).count()
}

/// Waits until this number of expiring variants is stored.
async fn until_expiring(stack: &Stack, acme: &TestSpace, number: usize) {
    let reached = async {
        while expiring(stack, acme).await != number {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    let reached = tokio::time::timeout(MAX_EXPIRY_TIME, reached).await;
    reached.expect("the variants to expire");
}

#[stack_test]
async fn requests_with_equal_outputs_share_one_rendering(stack: &Stack, acme: &TestSpace) {
    let file = upload(acme).await;
    let mut queries: Vec<String> = (65..100).map(|width| format!("w={width}")).collect();
    let others = [
        "h=9&w=12",
        "w=12",
        "h=9",
        "w=12&h=99",
        "w=12&h=9&r=scale",
        "w=12&h=9&r=fill&g=south",
    ];
    let whole = ["q=90", "r=crop&w=99", "w=80&h=60&r=fill", "h=48&r=scale"];
    queries.extend(whole.map(str::to_owned));

    for (queries, stored) in [(queries, 1), (others.map(str::to_owned).to_vec(), 2)] {
        let mut etags = BTreeSet::new();
        for query in queries {
            let url = format!("{}?{query}&f=webp", file.url());
            let response = stack.anonymous.fetch(&url).await;
            etags.insert(response.header("etag").to_owned());
        }
        assert_eq!(etags.len(), 1);
        assert_eq!(variants(stack).await.len(), stored);
    }

    for query in ["w=12&h=9&r=crop", "w=12&h=9&q=80", "w=12&h=10&r=fill"] {
        let url = format!("{}?{query}&f=webp", file.url());
        stack.anonymous.fetch(&url).await;
    }
    assert_eq!(variants(stack).await.len(), 5);
}

#[stack_test]
async fn only_credentials_enlarge(stack: &Stack, acme: &TestSpace) {
    let file = upload(acme).await;
    let (width, height) = SIZE;

    for (query, anonymous, with_key) in [
        ("w=128&r=scale", SIZE, (2 * width, 2 * height)),
        ("w=128&h=20&r=scale", (width, 20), (128, 20)),
        ("w=8000&h=8000&r=scale&f=png", SIZE, (0, 0)),
        ("w=32&r=scale", (32, 24), (32, 24)),
    ] {
        let url = format!("{}?{query}", file.url());
        for (client, (width, height)) in [(&stack.anonymous, anonymous), (&acme.client, with_key)] {
            let response = client.get(&url).await;
            if width == 0 {
                response.expect_error(422);
                continue;
            }

            let response = response.expect_status(200);
            let delivered = ["x-image-width", "x-image-height"].map(|name| response.header(name));
            assert_eq!(
                delivered,
                [width.to_string(), height.to_string()],
                "{query}"
            );
        }
    }
}

#[stack_test]
async fn only_variants_without_credentials_expire(stack: &Stack, acme: &TestSpace) {
    let file = upload(acme).await;
    let anonymous = format!("{}?w=20", file.url());
    let with_key = format!("{}?w=30", file.url());

    stack.anonymous.fetch(&anonymous).await;
    acme.fetch(&with_key).await;
    assert_eq!(expiring(stack, acme).await, 1);
    assert_eq!(variants(stack).await.len(), 2);

    // Each request finds what the other one stored.
    acme.fetch(&anonymous).await;
    stack.anonymous.fetch(&with_key).await;
    assert_eq!(variants(stack).await.len(), 2);

    stack.run_for((VARIANT_DAYS - 2) * DAY).await;
    assert_eq!(expiring(stack, acme).await, 1);
    stack.run_for(2 * DAY).await;
    until_expiring(stack, acme, 0).await;
    assert_eq!(variants(stack).await.len(), 1);
    stack.anonymous.fetch(&anonymous).await;
    assert_eq!(expiring(stack, acme).await, 1);
}

#[stack_test(options = limited_variants("2"))]
async fn file_has_a_maximum_of_stored_variants_without_credentials(
    stack: &Stack,
    acme: &TestSpace,
) {
    let file = upload(acme).await;
    let get = async |width: u32| {
        let url = format!("{}?w={width}", file.url());
        let response = stack.anonymous.fetch(&url).await;
        assert_eq!(response.header("x-image-width"), width.to_string());
    };

    for width in [20, 21, 22, 22, 20] {
        get(width).await;
    }
    assert_eq!(expiring(stack, acme).await, 2);
    let url = format!("{}?w=22", file.url());
    acme.fetch(&url).await;
    assert_eq!(variants(stack).await.len(), 3);

    // All are deleted at a midnight, but count until their full time has passed. A variant that is rendered
    // again meanwhile keeps its place.
    let second = Duration::from_secs(1);
    stack
        .run_for((VARIANT_DAYS * DAY).saturating_sub(second))
        .await;
    until_expiring(stack, acme, 0).await;
    for width in [23, 21, 24] {
        get(width).await;
    }
    assert_eq!(expiring(stack, acme).await, 1);

    // The place of the other one is free then.
    stack.clock.advance(2 * second);
    for width in [23, 24] {
        get(width).await;
    }
    assert_eq!(expiring(stack, acme).await, 2);

    stack.run_for(VARIANT_DAYS * DAY).await;
    until_expiring(stack, acme, 0).await;
    for width in [25, 26, 27] {
        get(width).await;
    }
    assert_eq!(expiring(stack, acme).await, 2);
    let other = upload(acme).await;
    let url = format!("{}?w=20", other.url());
    stack.anonymous.fetch(&url).await;
    assert_eq!(expiring(stack, acme).await, 3);
}

#[tokio::test]
async fn stored_variants_count_also_after_a_change_of_their_days() {
    let options = |seed, days| StackOptions {
        seed,
        ..limited_variants("2").with_parameters(&[("VariantDays", days)])
    };
    let stack = Stack::start_with(options(1, "1")).await;
    let acme = stack.space("Acme").await;
    let file = upload(&acme).await;
    let path = file.url().strip_prefix(stack.local.cdn_url());
    let path = path.expect("a URL of the CDN");
    let url = format!("{}?w=20", file.url());
    stack.anonymous.fetch(&url).await;
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

#[stack_test(options = limited_variants("1").with_parameters(&[("RedirectAboveBytes", "100")]))]
async fn variant_that_is_neither_stored_nor_small_needs_credentials(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let file = upload(&acme).await;
    let first = format!("{}?w=30", file.url());
    let second = format!("{}?w=31", file.url());

    stack.anonymous.get(&first).await.expect_status(307);
    stack.anonymous.get_err(403, &second).await;
    acme.get(&second).await.expect_status(307);
    stack.anonymous.get(&second).await.expect_status(307);
}

#[stack_test(options = limited_variants("1").with_parameters(&[
    ("RedirectAboveBytes", "100"),
    ("AnonymousRenderingsPerMinute", "1"),
]))]
async fn limits_do_not_concern_the_original_with_a_watermark(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let file = upload(&acme).await;
    let server = ImageServer::start(&logo([255, 0, 0])).await;
    let watermark = json!({"enabled": true, "url": server.url()});
    let path = format!("{}/security", acme.path());
    let security = json!({"security": {"watermark": watermark}});
    acme.put_ok(&path, security).await;

    let resized = format!("{}?w=30", file.url());
    stack.anonymous.get(&resized).await.expect_status(307);
    stack.anonymous.get(file.url()).await.expect_status(307);
    assert_eq!(expiring(stack, &acme).await, 1);
}

#[stack_test(options = limited_renderings())]
async fn renderings_without_credentials_are_limited_per_space_and_minute(
    stack: &Stack,
    acme: &TestSpace,
) {
    let file = upload(acme).await;
    let url = |width: u32| format!("{}?w={width}", file.url());

    for width in [20, 21, 20, 21, 21] {
        stack.anonymous.fetch(&url(width)).await;
    }
    let refused = stack.anonymous.get(&url(22)).await;
    assert!((1..=60).contains(&refused.header("retry-after").parse().expect("seconds")));
    refused.expect_error(429);

    stack.anonymous.head(&url(22)).await.expect_status(200);
    acme.fetch(&url(23)).await;
    let globex = stack.space("Globex").await;
    let other = upload(&globex).await;
    let other = format!("{}?w=20", other.url());
    stack.anonymous.fetch(&other).await;
    stack.clock.advance(minutes(1));
    stack.anonymous.fetch(&url(22)).await;
}

#[stack_test]
async fn head_renders_nothing(stack: &Stack, acme: &TestSpace) {
    let file = upload(acme).await;
    let plain = format!("{}?w=32&f=jpeg", file.url());
    let server = ImageServer::start(&logo([255, 0, 0])).await;
    let marked = file.url().to_owned();
    let watermark = json!({"enabled": true, "url": server.url()});
    let security = json!({"security": {"watermark": watermark}});

    for (url, size, content_type) in [
        (plain, ("32", "24"), "image/jpeg"),
        (marked, ("64", "48"), "image/png"),
    ] {
        let Observed { output, calls } = stack.calls_of(stack.anonymous.head(&url)).await;
        let head = output.expect_status(200);
        for name in ["content-length", LENGTH] {
            assert!(!head.headers.contains_key(name), "{url}: {name}");
        }
        assert!(
            !calls.iter().any(|call| call.ends_with("PutObject")),
            "{calls:?}"
        );

        let get = stack.anonymous.fetch(&url).await;
        assert_eq!(
            (head.header("x-image-width"), head.header("x-image-height")),
            size
        );
        assert_eq!(head.header("content-type"), content_type);
        for name in [
            "etag",
            "content-type",
            "x-image-width",
            "content-disposition",
        ] {
            assert_eq!(head.header(name), get.header(name), "{name}");
        }
        let stored = stack.anonymous.head(&url).await.expect_status(200);
        assert_eq!(stored.header(LENGTH), get.body.len().to_string());

        let path = format!("{}/security", acme.path());
        acme.put_ok(&path, security.clone()).await;
    }

    let text = acme.upload("text").named("a.txt", "text/plain").await;
    let text = format!("{}?w=32", text.url());
    stack.anonymous.head(&text).await.expect_status(422);
}

#[stack_test]
async fn expiring_variants_are_deleted_with_their_file_and_space(stack: &Stack, acme: &TestSpace) {
    for _ in 0..2 {
        let file = upload(acme).await;
        let url = format!("{}?w=20", file.url());
        stack.anonymous.fetch(&url).await;
        if expiring(stack, acme).await == 2 {
            acme.delete_ok(file.path()).await;
        }
    }

    stack.run_purges().await;
    assert_eq!(expiring(stack, acme).await, 1);
    assert_eq!(counts(stack).await, 1);

    let path = format!("/spaces?id={}&force=true", acme.id);
    acme.delete(&path).await.expect_status(202);
    stack.run_purges().await;
    stack.run_purges().await;
    assert_eq!(variants(stack).await, BTreeSet::new());
    assert_eq!(counts(stack).await, 0);
}

/// Returns the number of items that count variants.
async fn counts(stack: &Stack) -> usize {
    let items = stack.dump().await.items;
    let counts = items
        .keys()
        .filter(|key| key.sort.starts_with("VARIANT_COUNT#"));
    counts.count()
}
