//! Bodies of variants: ranges and redirects.

use tests::{PHOTO, Stack, StackOptions, TestSpace, stack_test};

/// Maximum size of a body, in bytes.
const MAX_BODY_BYTES: usize = 2_000;

/// Options of a stack that redirects bodies above [`MAX_BODY_BYTES`].
fn options() -> StackOptions {
    let limit = MAX_BODY_BYTES.to_string();
    StackOptions::without_rate_limits().with_parameters(&[("RedirectAboveBytes", &limit)])
}

#[stack_test(options = options())]
async fn range_of_a_large_variant_is_truncated_and_not_redirected(stack: &Stack, acme: &TestSpace) {
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
        part.expect_body(&whole.body[..MAX_BODY_BYTES])
            .expect_header(
                "content-range",
                format!("bytes 0-{}/{size}", MAX_BODY_BYTES - 1),
            )
            .expect_header("content-length", MAX_BODY_BYTES.to_string())
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
        part.expect_body(&whole.body[first..end]);
    }
}

#[stack_test(options = options())]
async fn range_of_a_variant_follows_its_entity_tag_and_size(stack: &Stack, acme: &TestSpace) {
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
