//! Delivery of originals: headers, conditional requests, ranges and access by type.

use domain::DeliveryType;
use serde_json::Value;
use tests::{Observed, PHOTO, Stack, TestSpace, stack_test};

fn url(record: &Value) -> String {
    record["url"].as_str().expect("an address").to_owned()
}

/// Uploads a photo under a config of a delivery type. Returns its URL.
async fn file_of_type(acme: &TestSpace, delivery_type: DeliveryType) -> String {
    let name = delivery_type.name();
    acme.upload_config(name).with_delivery_type(name).await;
    acme.upload(PHOTO).with_config(name).await.url().to_owned()
}

#[stack_test]
async fn original_is_delivered_with_headers(stack: &Stack, acme: &TestSpace) {
    let url = url(&acme.upload(PHOTO).await.record);
    let full = stack.anonymous.fetch(&url).await;

    assert!(full.body == PHOTO);

    let head = stack.anonymous.head(&url).await.expect_status(200);
    assert!(head.body.is_empty());
    for (name, value) in [
        ("content-type", "image/jpeg"),
        ("content-disposition", "inline; filename=\"photo.jpg\""),
        (
            "cache-control",
            "public, max-age=300, s-maxage=0, stale-if-error=0",
        ),
        ("accept-ranges", "bytes"),
        ("x-content-type-options", "nosniff"),
        ("access-control-allow-origin", "*"),
    ] {
        assert_eq!(
            (full.header(name), head.header(name)),
            (value, value),
            "{name}"
        );
    }

    assert_eq!(full.header("etag"), head.header("etag"));
    let length = PHOTO.len().to_string();
    assert_eq!(full.header("content-length"), length);
    assert_eq!(head.header("x-amzn-remapped-content-length"), length);

    let saved = stack.anonymous.fetch(&format!("{url}?download")).await;

    assert_eq!(
        saved.header("content-disposition"),
        "attachment; filename=\"photo.jpg\""
    );
}

#[stack_test]
async fn matching_etag_returns_304_without_reading_object(stack: &Stack, acme: &TestSpace) {
    let url = url(&acme.upload(PHOTO).await.record);
    let first = stack.anonymous.fetch(&url).await;
    let etag = first.header("etag");
    let modified = first.header("last-modified");

    for condition in [
        ("if-none-match", etag),
        ("if-none-match", &format!("W/{etag}")),
        ("if-modified-since", modified),
    ] {
        let Observed {
            output: response,
            calls,
        } = stack
            .calls_of(stack.anonymous.get_with(&url, &[condition]))
            .await;
        let response = response.expect_status(304);
        assert!(response.body.is_empty());
        assert_eq!(
            (response.header("etag"), response.header("cache-control")),
            (etag, first.header("cache-control"))
        );
        assert_eq!(calls, ["delivery TransactGetItems"], "{condition:?}");
    }

    let before = "Fri, 02 Jan 2026 03:04:05 GMT";
    let after = "Sat, 02 Jan 2094 03:04:05 GMT";
    stack
        .anonymous
        .get_with(&url, &[("if-modified-since", after)])
        .await
        .expect_status(304);
    stack
        .anonymous
        .get_with(&url, &[("if-modified-since", before)])
        .await
        .expect_status(200);
    stack
        .anonymous
        .get_with(&url, &[("if-unmodified-since", after)])
        .await
        .expect_status(200);
    stack
        .anonymous
        .get_with(&url, &[("if-unmodified-since", before)])
        .await
        .expect_error(412);
    stack
        .anonymous
        .get_with(&url, &[("if-none-match", "\"other\"")])
        .await
        .expect_status(200);
    stack
        .anonymous
        .get_with(&url, &[("if-match", "\"other\"")])
        .await
        .expect_error(412);
}

#[stack_test]
async fn range_requests_return_parts(stack: &Stack, acme: &TestSpace) {
    let url = url(&acme.upload(PHOTO).await.record);
    let size = PHOTO.len();

    for (range, first, end) in [
        ("bytes=0-0".to_owned(), 0, 1),
        ("bytes=100-199".to_owned(), 100, 200),
        ("bytes=100-".to_owned(), 100, size),
        ("bytes=-10".to_owned(), size - 10, size),
        (format!("bytes=-{}", size + 5), 0, size),
        (format!("bytes={}-{}", size - 1, size + 100), size - 1, size),
    ] {
        let part = stack
            .anonymous
            .get_with(&url, &[("range", &range)])
            .await
            .expect_status(206);
        assert!(part.body == PHOTO[first..end], "{range}");
        assert_eq!(
            part.header("content-range"),
            format!("bytes {first}-{}/{size}", end - 1),
            "{range}"
        );
        assert_eq!(
            part.header("content-length"),
            (end - first).to_string(),
            "{range}"
        );
    }

    for range in ["bytes=5-2", "bytes=0-1,4-5", "lines=1-2", "bytes=x"] {
        assert!(
            stack
                .anonymous
                .get_with(&url, &[("range", range)])
                .await
                .expect_status(200)
                .body
                == PHOTO,
            "{range}"
        );
    }

    for range in [format!("bytes={size}-"), "bytes=-0".to_owned()] {
        let response = stack.anonymous.get_with(&url, &[("range", &range)]).await;
        assert_eq!(response.header("content-range"), format!("bytes */{size}"));
        response.expect_error(416);
    }

    let etag = stack.anonymous.head(&url).await.header("etag").to_owned();
    stack
        .anonymous
        .get_with(&url, &[("range", "bytes=0-1"), ("if-range", &etag)])
        .await
        .expect_status(206);
    stack
        .anonymous
        .get_with(&url, &[("range", "bytes=0-1"), ("if-range", "\"old\"")])
        .await
        .expect_status(200);
}

#[stack_test]
async fn private_and_authenticated_originals_require_key_of_space(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let viewer = acme.role("viewer").await;
    let outsider = stack.user().await;
    let member = stack.user().await;
    stack.add_member(&outsider, other, "owner").await;
    stack.add_member(&member, acme, "viewer").await;

    for delivery_type in [DeliveryType::Private, DeliveryType::Authenticated] {
        let url = file_of_type(acme, delivery_type).await;
        for outsider in [
            &stack.anonymous,
            &other.client,
            &outsider.client,
            &stack.anonymous.with_key("sk_nonsense"),
        ] {
            outsider.get_err(403, &url).await;
            outsider.head(&url).await.expect_status(403);
        }
        for permitted in [&viewer, &acme.client, &member.client, &stack.account()] {
            let response = permitted.fetch(&url).await;
            assert!(response.body == PHOTO);
            assert_eq!(response.header("cache-control"), "private, no-store");
            permitted
                .get_with(&url, &[("if-none-match", response.header("etag"))])
                .await
                .expect_status(304);
        }
        let etag = viewer.head(&url).await.header("etag").to_owned();
        stack
            .anonymous
            .get_with(&url, &[("if-none-match", &etag)])
            .await
            .expect_error(403);
        stack
            .anonymous
            .get_with(
                &url,
                &[(
                    "x-larder-authorization",
                    &format!("Bearer {}", viewer.key.clone().expect("a key")),
                )],
            )
            .await
            .expect_error(403);
    }
}

#[stack_test]
async fn traversal_paths_are_rejected_and_unknown_paths_return_404(
    stack: &Stack,
    acme: &TestSpace,
) {
    let handle = &acme.handle;
    let address = stack
        .local
        .cdn_url()
        .trim_start_matches("http://")
        .to_owned();

    for path in [
        format!("/{handle}/../x"),
        format!("/{handle}/%2e%2e/x"),
        format!("/{handle}/.%2E/x"),
        format!("/{handle}//x"),
        format!("/{handle}/%2Fx"),
        format!("/{handle}/x%00"),
        "//".to_owned(),
        "/..".to_owned(),
    ] {
        assert_eq!(raw_status(&address, &path).await, 400, "{path}");
    }

    for path in [
        "/".to_owned(),
        format!("/{handle}"),
        format!("/{handle}/"),
        format!("/{handle}/none.jpg"),
        "/zzzzzz/a.jpg".to_owned(),
    ] {
        assert_eq!(raw_status(&address, &path).await, 404, "{path}");
    }
}

/// Sends a path without normalizing its dots, as HTTP clients do, and returns the status.
pub(crate) async fn raw_status(address: &str, path: &str) -> u16 {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut stream = tokio::net::TcpStream::connect(address)
        .await
        .expect("a connection");
    let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut response = String::new();
    stream
        .read_to_string(&mut response)
        .await
        .expect("an answer");
    response[9..12].parse().expect("a status")
}

#[stack_test]
async fn encoded_paths_are_equivalent_and_other_methods_return_405(
    stack: &Stack,
    acme: &TestSpace,
) {
    let url = url(&acme.upload(PHOTO).await.record);
    stack
        .anonymous
        .fetch(&url.replace("image-", "%69mage%2D"))
        .await;
    for method in ["POST", "PUT", "DELETE"] {
        let response = stack
            .anonymous
            .send(stack.anonymous.request(method, &url))
            .await;
        assert_eq!(response.header("allow"), "GET, HEAD, OPTIONS");
        response.expect_error(405);
    }

    let preflight = stack
        .anonymous
        .send(stack.anonymous.request("OPTIONS", &url))
        .await
        .expect_status(204);

    assert!(
        preflight
            .header("access-control-allow-headers")
            .contains("Authorization")
    );
}

#[stack_test]
async fn markup_is_delivered_sandboxed(stack: &Stack, acme: &TestSpace) {
    for (name, declared, bytes, disposition) in [
        (
            "a.html",
            "text/html",
            "<script>alert(1)</script>",
            "attachment",
        ),
        (
            "a.svg",
            "image/svg+xml",
            "<svg xmlns='http://www.w3.org/2000/svg'/>",
            "inline",
        ),
        (
            "a.xml",
            "application/xml",
            "<?xml version='1.0'?><a/>",
            "inline",
        ),
    ] {
        let record = acme.upload(bytes).named(name, declared).await;
        assert_eq!(record["mime_type"], declared);
        let response = stack.anonymous.fetch(&url(&record)).await;
        assert!(
            response
                .header("content-security-policy")
                .starts_with("sandbox"),
            "{name}"
        );
        assert!(
            response
                .header("content-disposition")
                .starts_with(disposition),
            "{name}"
        );
    }
}
