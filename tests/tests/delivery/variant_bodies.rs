//! Bodies of variants: ranges and redirects.

use tests::{PHOTO, Stack, StackOptions, TestSpace, stack_test};

/// Maximum size of a body, in bytes.
const MAX_BODY_BYTES: usize = 2_000;

/// Options of a stack that redirects bodies above [`MAX_BODY_BYTES`].
fn options() -> StackOptions {
    let limit = MAX_BODY_BYTES.to_string();
    StackOptions::without_rate_limits().with_parameters(&[("RedirectAboveBytes", &limit)])
}

/// Uploads a photo and returns the URL of a variant that is larger than [`MAX_BODY_BYTES`].
async fn large_variant(acme: &TestSpace) -> String {
    let file = acme.upload(PHOTO).named("a.jpg", "image/jpeg").await;
    format!("{}?w=128&f=png", file.url())
}

/// Returns the bytes of a variant that is redirected.
async fn redirected(stack: &Stack, url: &str) -> Vec<u8> {
    let redirect = stack.anonymous.get(url).await.expect_status(307);
    let stored = stack.anonymous.get(redirect.header("location")).await;
    stored.expect_status(200).body.to_vec()
}

#[stack_test(options = options())]
async fn range_of_a_large_variant_is_truncated_and_not_redirected(stack: &Stack, acme: &TestSpace) {
    let url = large_variant(acme).await;
    let range = [("range", "bytes=0-")];
    let rendered = stack.anonymous.get_with(&url, &range).await;
    let whole = redirected(stack, &url).await;
    let size = whole.len();
    assert!(size > MAX_BODY_BYTES);

    let rendered = rendered.expect_status(206);
    let stored = stack.anonymous.get_with(&url, &range).await;
    let stored = stored.expect_status(206);
    for part in [&rendered, &stored] {
        assert!(part.body == whole[..MAX_BODY_BYTES]);
        let content_range = format!("bytes 0-{}/{size}", MAX_BODY_BYTES - 1);
        assert_eq!(part.header("content-range"), content_range);
        assert_eq!(part.header("content-length"), MAX_BODY_BYTES.to_string());
        assert_eq!(part.header("accept-ranges"), "bytes");
        assert_eq!(part.header("content-type"), "image/png");
        assert_eq!(part.header("x-image-width"), "128");
    }

    for (range, first, end) in [
        ("bytes=7-9".to_owned(), 7, 10),
        ("bytes=-5".to_owned(), size - 5, size),
        (format!("bytes={}-", size - 1), size - 1, size),
    ] {
        let part = stack.anonymous.get_with(&url, &[("range", &range)]).await;
        assert!(part.expect_status(206).body == whole[first..end], "{range}");
    }
}

#[stack_test(options = options())]
async fn range_of_a_variant_follows_its_entity_tag_and_size(stack: &Stack, acme: &TestSpace) {
    let url = large_variant(acme).await;
    stack.anonymous.get(&url).await.expect_status(307);
    let head = stack.anonymous.head(&url).await.expect_status(200);
    let length = head.header("x-amzn-remapped-content-length");
    let size: u64 = length.parse().expect("a size");

    for (if_range, status) in [(head.header("etag"), 206), ("\"other\"", 307)] {
        let headers = [("range", "bytes=0-9"), ("if-range", if_range)];
        let response = stack.anonymous.get_with(&url, &headers).await;
        assert_eq!(response.status, status, "{if_range}");
    }
    let outside = format!("bytes={size}-");
    let outside = stack.anonymous.get_with(&url, &[("range", &outside)]).await;
    assert_eq!(outside.header("content-range"), format!("bytes */{size}"));
    outside.expect_error(416);
}
