//! Conditional and range requests and `HEAD`: they are evaluated only after access was granted.

use serde_json::json;
use tests::{
    Client, PHOTO, Response, Stack, StackOptions, TestSpace, large_photo, seconds, stack_test,
};

use super::fixture::{
    CACHED_SECONDS, Content, DeliveryFixture, HOUR_SECONDS, NOT_CACHED, TYPES, cached,
    options_with_redirects,
};

/// A date before all files were created.
const BEFORE: &str = "Fri, 02 Jan 2026 03:04:05 GMT";
/// A date after all tests.
const AFTER: &str = "Sat, 02 Jan 2094 03:04:05 GMT";

/// A request for a file.
#[derive(Clone, Copy, Debug)]
struct ConditionalRequest<'a> {
    method: &'static str,
    header: &'static str,
    value: &'a str,
    /// Status for a client with access.
    status: u16,
}

impl ConditionalRequest<'_> {
    async fn send(self, client: &Client, url: &str) -> Response {
        let request = client.request(self.method, url);
        client
            .send(request.header(self.header, self.value))
            .await
            .with_context(&format!("{self:?}"))
    }
}

/// Returns every kind of request for a file with this entity tag.
fn conditional_requests(etag: &str) -> Vec<ConditionalRequest<'_>> {
    let request = |method, header, value, status| ConditionalRequest {
        method,
        header,
        value,
        status,
    };

    vec![
        request("GET", "accept", "*/*", 200),
        request("HEAD", "accept", "*/*", 200),
        request("GET", "range", "bytes=0-9", 206),
        request("HEAD", "range", "bytes=0-9", 200),
        request("GET", "range", "bytes=99999999-", 416),
        request("GET", "if-none-match", etag, 304),
        request("HEAD", "if-none-match", etag, 304),
        request("GET", "if-none-match", "*", 304),
        request("GET", "if-modified-since", AFTER, 304),
        request("HEAD", "if-modified-since", AFTER, 304),
        request("GET", "if-match", "\"other\"", 412),
        request("GET", "if-unmodified-since", BEFORE, 412),
    ]
}

/// Asserts the responses to a client with access, and returns the entity tag of the file.
async fn assert_served(client: &Client, url: &str, cache_control: &str) -> String {
    let head = client.head(url).await.expect_status(200);
    let etag = head.header("etag").to_owned();
    assert!(!etag.is_empty(), "{url}");

    for request in conditional_requests(&etag) {
        let response = request
            .send(client, url)
            .await
            .expect_status(request.status);
        if response.status >= 400 {
            continue;
        }

        assert_eq!(
            response.header("cache-control"),
            cache_control,
            "{url} {request:?}"
        );
        let has_body = request.method == "GET" && response.status < 300;
        let expected = if has_body {
            &PHOTO[..response.body.len()]
        } else {
            &[]
        };
        assert!(response.body == expected, "{url} {request:?}");
        assert_eq!(!response.body.is_empty(), has_body, "{url} {request:?}");
    }

    etag
}

/// Asserts that a client without access receives 403, and no header that describes the file.
async fn assert_forbidden(client: &Client, url: &str, etag: &str) {
    for request in conditional_requests(etag) {
        let rejected = request.send(client, url).await.expect_status(403);

        for name in [
            "etag",
            "last-modified",
            "content-range",
            "content-disposition",
        ] {
            assert_eq!(rejected.header(name), "", "{url} {request:?}");
        }
        if request.method == "GET" {
            rejected.expect_error(403);
        }
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn head_range_and_conditional_requests_check_access_first(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let viewer = fixture.acme.role("viewer").await;
    let anonymous = &fixture.stack.anonymous;
    fixture.set(&fixture.folder, Some(true)).await;

    for delivery_type in TYPES {
        let url = fixture.put_here(delivery_type).await.url;
        let signed = fixture.signed(&url);
        let expired = fixture.signer.sign(&url, fixture.now(), &[]);
        let by_signature = if delivery_type == "authenticated" {
            NOT_CACHED.to_owned()
        } else {
            cached(CACHED_SECONDS)
        };

        let etag = assert_served(anonymous, &signed, &by_signature).await;
        assert_eq!(assert_served(&viewer, &url, NOT_CACHED).await, etag);

        assert_forbidden(anonymous, &url, &etag).await;
        assert_forbidden(anonymous, &expired, &etag).await;
        assert_forbidden(&viewer, &expired, &etag).await;
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn cached_response_is_not_revalidated_after_access_is_protected(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let file = fixture.put_here("upload").await;
    let anonymous = &fixture.stack.anonymous;

    for level in [&fixture.space(), &fixture.folder, &file.path] {
        let etag = anonymous.fetch(&file.url).await.header("etag").to_owned();
        let if_none_match = [("if-none-match", etag.as_str())];
        let confirmed = anonymous
            .get_with(&file.url, &if_none_match)
            .await
            .expect_status(304);
        assert_eq!(
            confirmed.header("cache-control"),
            cached(CACHED_SECONDS),
            "{level}"
        );
        fixture.set(level, Some(true)).await;
        anonymous
            .get_with(&file.url, &if_none_match)
            .await
            .expect_error(403);
        anonymous
            .get_with(&file.url, &[("if-modified-since", AFTER)])
            .await
            .expect_error(403);
        fixture.set(level, None).await;
        anonymous.fetch(&file.url).await;
    }

    let if_none_match = [("if-none-match", "*")];

    for (delivery_type, status) in [
        ("private", 403),
        ("upload", 304),
        ("authenticated", 403),
        ("upload", 304),
    ] {
        fixture
            .acme
            .put_ok(&file.path, json!({"type": delivery_type}))
            .await;
        anonymous
            .get_with(&file.url, &if_none_match)
            .await
            .expect_status(status);
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn cached_response_is_not_revalidated_after_signed_url_expires(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let url = fixture.put_here("private").await.url;
    let anonymous = &fixture.stack.anonymous;
    let signed = fixture.signer.sign(&url, fixture.now() + HOUR_SECONDS, &[]);
    let etag = anonymous.fetch(&signed).await.header("etag").to_owned();
    let if_none_match = [("if-none-match", etag.as_str())];
    fixture.stack.clock.advance(seconds(3_590));

    let confirmed = anonymous
        .get_with(&signed, &if_none_match)
        .await
        .expect_status(304);
    assert_eq!(confirmed.header("cache-control"), cached(10));
    fixture.stack.clock.advance(seconds(10));
    anonymous
        .get_with(&signed, &if_none_match)
        .await
        .expect_error(403);
}

#[stack_test(options = options_with_redirects())]
async fn unauthorized_request_is_not_redirected_to_storage(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let viewer = fixture.acme.role("viewer").await;
    let anonymous = &fixture.stack.anonymous;
    let bytes = large_photo(100_001);

    for (delivery_type, by_signature) in [
        ("private", &*cached(CACHED_SECONDS)),
        ("authenticated", NOT_CACHED),
    ] {
        let url = fixture
            .put_file(
                delivery_type,
                "root",
                Content {
                    name: "large.jpg",
                    mime_type: "image/jpeg",
                    bytes: &bytes,
                },
            )
            .await
            .url;
        anonymous.get_err(403, &url).await;
        for (client, address, cache_control) in [
            (anonymous, &fixture.signed(&url), by_signature),
            (&viewer, &url, NOT_CACHED),
        ] {
            let redirect = client.get(address).await.expect_status(307);
            assert_eq!(
                redirect.header("cache-control"),
                "no-store",
                "{delivery_type}"
            );
            let stored = anonymous.fetch(redirect.header("location")).await;
            assert!(stored.body == bytes, "{delivery_type}");
            assert_eq!(
                stored.header("cache-control"),
                cache_control,
                "{delivery_type}"
            );
        }
    }
}

#[stack_test]
async fn errors_are_not_stored(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    acme.upload_config("private")
        .with_delivery_type("private")
        .await;
    let private = acme.upload(PHOTO).with_config("private").await;
    let url = file.url();

    for (url, header, status) in [
        (private.url().to_owned(), ("accept", "*/*"), 403),
        (format!("{url}x"), ("accept", "*/*"), 404),
        (url.to_owned(), ("if-match", "\"other\""), 412),
        (url.to_owned(), ("range", "bytes=9999999-"), 416),
        (format!("{url}?w=0"), ("accept", "*/*"), 422),
    ] {
        let response = stack.anonymous.get_with(&url, &[header]).await;
        let response = response.expect_status(status);
        assert_eq!(response.header("cache-control"), "no-store", "{status}");
    }
}
