//! Conditional and range requests and `HEAD`: they are evaluated only after access was granted; and
//! what changes `ETag` and `Last-Modified`.

use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};
use tests::{
    Client, File, PHOTO, Response, Stack, StackOptions, TestSpace, large_photo, minutes, seconds,
    stack_test, text,
};

use super::fixture::{
    CACHED_SECONDS, DeliveryFixture, NOT_CACHED, TYPES, cached, options_with_redirects,
};
use crate::uploads::presign::PendingFile;

/// A date before all files were created.
const BEFORE: &str = "Fri, 02 Jan 2026 03:04:05 GMT";
/// A date after all tests.
const AFTER: &str = "Sat, 02 Jan 2094 03:04:05 GMT";

/// A request for a file: its method, a header with its value, and the status for a client with
/// access.
#[derive(Clone, Copy, Debug)]
struct ConditionalRequest<'a>(&'static str, &'static str, &'a str, u16);

impl ConditionalRequest<'_> {
    async fn send(self, client: &Client, url: &str) -> Response {
        let ConditionalRequest(method, header, value, _) = self;
        let request = client.request(method, url).header(header, value);
        let response = client.send(request).await;
        response.with_context(&format!("{self:?}"))
    }
}

/// Returns every kind of request for a file with this entity tag.
fn conditional_requests(etag: &str) -> [ConditionalRequest<'_>; 12] {
    use ConditionalRequest as Request;
    [
        Request("GET", "accept", "*/*", 200),
        Request("HEAD", "accept", "*/*", 200),
        Request("GET", "range", "bytes=0-9", 206),
        Request("HEAD", "range", "bytes=0-9", 200),
        Request("GET", "range", "bytes=99999999-", 416),
        Request("GET", "if-none-match", etag, 304),
        Request("HEAD", "if-none-match", etag, 304),
        Request("GET", "if-none-match", "*", 304),
        Request("GET", "if-modified-since", AFTER, 304),
        Request("HEAD", "if-modified-since", AFTER, 304),
        Request("GET", "if-match", "\"other\"", 412),
        Request("GET", "if-unmodified-since", BEFORE, 412),
    ]
}

/// Asserts the responses to a client with access, and returns the entity tag of the file.
async fn assert_served(client: &Client, url: &str, cache_control: &str) -> String {
    let head = client.head(url).await.expect_status(200);
    let etag = head.header("etag").to_owned();
    assert!(!etag.is_empty(), "{url}");

    for request in conditional_requests(&etag) {
        let ConditionalRequest(method, _, _, status) = request;
        let response = request.send(client, url).await.expect_status(status);
        if status >= 400 {
            continue;
        }

        response.expect_header("cache-control", cache_control);
        response.expect_header("etag", &etag);
        let has_body = method == "GET" && status < 300;
        assert_eq!(!response.body.is_empty(), has_body, "{url} {request:?}");
        assert!(PHOTO.starts_with(&response.body), "{url} {request:?}");
        assert!(status != 200 || !has_body || response.body == PHOTO);
    }

    etag
}

/// Asserts that a client without access receives 403, and no header that describes the file.
async fn assert_forbidden(client: &Client, url: &str, etag: &str) {
    for request in conditional_requests(etag) {
        let rejected = request.send(client, url).await.expect_status(403);

        for name in "etag last-modified content-range content-disposition".split(' ') {
            rejected.expect_header(name, "");
        }
        if request.0 == "GET" {
            rejected.expect_error(403);
        }
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn head_range_and_conditional_requests_check_access_first(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let viewer = acme.role("viewer").await;
    acme.set_access(acme.folder.path(), Some(true)).await;
    let cached = cached(CACHED_SECONDS);

    for (delivery_type, by_signature) in TYPES.into_iter().zip([&*cached, &cached, NOT_CACHED]) {
        let file = acme.put_here(delivery_type).await;
        let signed = acme.signed(file.url());
        let expired = acme.signed_for(0, file.url());

        let etag = assert_served(&stack.anonymous, &signed, by_signature).await;
        assert_eq!(assert_served(&viewer, file.url(), NOT_CACHED).await, etag);

        assert_forbidden(&stack.anonymous, file.url(), &etag).await;
        assert_forbidden(&stack.anonymous, &expired, &etag).await;
        assert_forbidden(&viewer, &expired, &etag).await;
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn cached_response_is_not_revalidated_after_access_is_protected(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let file = acme.put_here("upload").await;
    let url = file.url();
    let anonymous = &stack.anonymous;

    for level in [&acme.path(), acme.folder.path(), file.path()] {
        let response = anonymous.fetch(url).await;
        let unchanged = [("if-none-match", response.header("etag"))];
        let confirmed = anonymous.fetch_as(304, url, &unchanged).await;
        confirmed.expect_header("cache-control", cached(CACHED_SECONDS));

        acme.set_access(level, Some(true)).await;
        for condition in [unchanged[0], ("if-modified-since", AFTER)] {
            anonymous.fetch_as(403, url, &[condition]).await;
        }
        acme.set_access(level, None).await;
    }

    let any = [("if-none-match", "*")];
    for (delivery_type, status) in [("private", 403), ("upload", 304), ("authenticated", 403)] {
        let body = json!({ "type": delivery_type });
        acme.put_ok(file.path(), body).await;
        anonymous.fetch_as(status, url, &any).await;
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn cached_response_is_not_revalidated_after_signed_url_expires(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let signed = acme.signed(acme.put_here("private").await.url());
    let response = stack.anonymous.fetch(&signed).await;
    let unchanged = [("if-none-match", response.header("etag"))];

    stack.clock.advance(seconds(3_590));
    let confirmed = stack.anonymous.fetch_as(304, &signed, &unchanged).await;
    confirmed.expect_header("cache-control", cached(10));
    stack.clock.advance(seconds(10));
    stack.anonymous.fetch_as(403, &signed, &unchanged).await;
}

#[stack_test(options = options_with_redirects())]
async fn unauthorized_request_is_not_redirected_to_storage(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let viewer = acme.role("viewer").await;
    let anonymous = &stack.anonymous;
    let bytes = large_photo(100_001);
    let cached = cached(CACHED_SECONDS);

    for (delivery_type, by_signature) in [("private", &*cached), ("authenticated", NOT_CACHED)] {
        let file = acme.upload(bytes.clone()).of_type(delivery_type).await;
        let signed = acme.signed(file.url());
        anonymous.get_err(403, file.url()).await;

        for (client, url, cache_control) in [
            (anonymous, &*signed, by_signature),
            (&viewer, file.url(), NOT_CACHED),
        ] {
            let stored = anonymous.fetch(&client.redirect(url).await).await;
            stored.expect_body(&bytes);
            stored.expect_header("cache-control", cache_control);
        }
    }
}

#[stack_test]
async fn errors_are_not_stored(stack: &Stack, acme: &TestSpace) {
    let config = acme.upload_config("private");
    config.with_delivery_type("private").await;
    let private = acme.upload(PHOTO).of_type("private").await;
    let file = acme.upload(PHOTO).await;
    let any = ("accept", "*/*");

    for (url, header, status) in [
        (private.url(), any, 403),
        (&format!("{}x", file.url()), any, 404),
        (file.url(), ("if-match", "\"other\""), 412),
        (file.url(), ("range", "bytes=9999999-"), 416),
        (&file.url_with("w=0"), any, 422),
    ] {
        let response = stack.anonymous.fetch_as(status, url, &[header]).await;
        response.expect_header("cache-control", "no-store");
    }
}

/// Returns the entity tag at a URL, for a client with access.
async fn etag(acme: &DeliveryFixture<'_>, url: &str) -> String {
    let head = acme.head(url).await.expect_status(200);
    head.header("etag").to_owned()
}

/// Changes a record, and returns the entity tag of the file.
async fn changed(acme: &DeliveryFixture<'_>, file: &File, path: &str, body: Value) -> String {
    acme.put_ok(path, body).await;
    etag(acme, file.url()).await
}

/// Returns the time some seconds from now as an HTTP date.
fn http_date(acme: &DeliveryFixture<'_>, seconds: i64) -> String {
    let time = (acme.now() + seconds).unsigned_abs();
    httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(time))
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn etag_changes_with_access_and_type(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let inner = acme.folder("Inner").inside(&acme.folder).await;
    let file = acme.put("upload", &inner.id).await;
    let mut etags = vec![etag(&acme, file.url()).await];

    let space = acme.path();
    for level in [&space, acme.folder.path(), inner.path(), file.path()] {
        // The last change of each list restores the access before the first one.
        for requires_auth in [Some(true), Some(false), None] {
            if level == space && requires_auth.is_none() {
                continue;
            }
            acme.set_access(level, requires_auth).await;
            etags.push(etag(&acme, file.url()).await);
        }
    }
    for delivery_type in "private authenticated upload authenticated upload".split(' ') {
        let body = json!({ "type": delivery_type });
        etags.push(changed(&acme, &file, file.path(), body).await);
    }
    // A move of a folder changes those of all files below.
    for parent in [&Value::Null, &acme.folder["id"]] {
        let body = json!({ "parent_id": parent });
        etags.push(changed(&acme, &file, inner.path(), body).await);
    }
    for folder in [&acme.folder["id"], &Value::Null].repeat(2) {
        let body = json!({ "folder_id": folder });
        etags.push(changed(&acme, &file, file.path(), body).await);
    }

    let count = etags.len();
    etags.sort();
    etags.dedup();
    assert_eq!(etags.len(), count, "{etags:?}");
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn etag_stays_where_neither_access_nor_bytes_change(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let inner = acme.folder("Inner").inside(&acme.folder).await;
    let file = acme.put("upload", &inner.id).await;
    for level in [acme.folder.path(), file.path()] {
        acme.set_access(level, Some(false)).await;
    }
    let before = etag(&acme, file.url()).await;

    let renamed = json!({"name": "Renamed", "description": "x"});
    for path in [&acme.path(), acme.folder.path(), inner.path()] {
        acme.put_ok(path, renamed.clone()).await;
    }
    acme.folder("New").inside(&inner).await;
    let body = json!({"ref": "x", "tags": ["x"], "type": "upload", "folder_id": inner.id});
    acme.put_ok(file.path(), body).await;
    for level in [&acme.path(), acme.folder.path(), file.path()] {
        acme.set_access(level, Some(false)).await;
        let path = format!("{level}/access-control");
        acme.put_ok(&path, json!({"access_control": {}})).await;
    }

    assert_eq!(etag(&acme, file.url()).await, before);
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn last_modified_is_the_activation(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let anonymous = &stack.anonymous;
    let pending_file = PendingFile::create(&acme, json!({})).await;
    pending_file.put(stack, PHOTO).await;
    stack.clock.advance(minutes(10));
    let direct = acme.put_here("upload").await;
    let url = text(&pending_file.confirm(&acme).await.expect_ok()["url"]);

    let at = http_date(&acme, 0);
    let before = http_date(&acme, -1);
    stack.clock.advance(seconds(100));
    let body = json!({"ref": "x", "original_name": "y.jpg"});
    acme.put_ok(&pending_file.address(), body).await;
    for url in [&url, direct.url()] {
        let response = anonymous.fetch(url).await;
        response.expect_header("last-modified", &at);
    }
    for (name, date, status) in [
        ("if-modified-since", &before, 200),
        ("if-modified-since", &at, 304),
        ("if-unmodified-since", &before, 412),
        ("if-unmodified-since", &at, 200),
    ] {
        let response = anonymous.fetch_as(status, &url, &[(name, date)]).await;
        if status < 400 {
            response.expect_header("last-modified", &at);
        }
    }
    for (date, status) in [(&at, 206), (&before, 200)] {
        let headers = [("range", "bytes=0-9"), ("if-range", &**date)];
        anonymous.fetch_as(status, &url, &headers).await;
    }
    stack.run_confirm_checks().await;
}
