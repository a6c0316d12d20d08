//! Delivery of originals: headers, ranges, paths and methods, and the charset of UTF-8 text.

use serde_json::json;
use tests::{PHOTO, Stack, TestSpace, stack_test, text};

use super::fixture::{CACHED_SECONDS, cached};
use crate::uploads::presign::PendingFile;

#[stack_test]
async fn original_is_delivered_with_headers(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;

    let full = stack.anonymous.fetch(file.url()).await;
    full.expect_body(PHOTO);
    let head = stack.anonymous.head(file.url()).await.expect_status(200);
    head.expect_body("");
    for response in [&full, &head] {
        response
            .expect_header("content-type", "image/jpeg")
            .expect_header("content-disposition", "inline; filename=\"photo.jpg\"")
            .expect_header("cache-control", cached(CACHED_SECONDS))
            .expect_header("accept-ranges", "bytes")
            .expect_header("x-content-type-options", "nosniff")
            .expect_header("cross-origin-resource-policy", "cross-origin")
            .expect_header("access-control-allow-origin", "*")
            .expect_header("etag", full.header("etag"));
    }
    let length = PHOTO.len().to_string();
    full.expect_header("content-length", &length);
    head.expect_header("x-amzn-remapped-content-length", &length);

    let saved = stack.anonymous.fetch(&file.url_with("download")).await;
    saved.expect_header("content-disposition", "attachment; filename=\"photo.jpg\"");
}

#[stack_test]
async fn range_requests_return_parts(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    let size = PHOTO.len();

    for (range, first, end) in [
        ("bytes=0-0".to_owned(), 0, 1),
        ("bytes=100-".to_owned(), 100, size),
        ("bytes=-10".to_owned(), size - 10, size),
        (format!("bytes={}-{}", size - 1, size + 100), size - 1, size),
    ] {
        let range = [("range", &*range)];
        let part = stack.anonymous.fetch_as(206, file.url(), &range).await;
        part.expect_part(PHOTO, first..end);
    }

    for range in ["bytes=5-2", "bytes=0-1,4-5"] {
        let range = [("range", range)];
        let whole = stack.anonymous.fetch_as(200, file.url(), &range).await;
        whole.expect_body(PHOTO);
    }

    let beyond = format!("bytes={size}-");
    let beyond = [("range", &*beyond)];
    let response = stack.anonymous.get_with(file.url(), &beyond).await;
    response.expect_header("content-range", format!("bytes */{size}"));
    response.expect_error(416);

    let head = stack.anonymous.head(file.url()).await;
    for (etag, status) in [(head.header("etag"), 206), ("\"old\"", 200)] {
        let headers = [("range", "bytes=0-1"), ("if-range", etag)];
        stack.anonymous.fetch_as(status, file.url(), &headers).await;
    }
}

#[stack_test]
async fn traversal_paths_are_rejected_and_unknown_paths_return_404(
    stack: &Stack,
    acme: &TestSpace,
) {
    let cdn = stack.local.cdn_url().trim_start_matches("http://");

    let invalid = "/HANDLE/../x /HANDLE/%2e%2e/x /HANDLE//x /HANDLE/%2Fx /HANDLE/x%00 // /..";
    let unknown = "/ /HANDLE /HANDLE/ /HANDLE/none.jpg /zzzzzz/a.jpg";
    for (paths, status) in [(invalid, 400), (unknown, 404)] {
        for path in paths.replace("HANDLE", &acme.handle).split(' ') {
            assert_eq!(raw_status(cdn, path).await, status, "{path}");
        }
    }
}

/// Sends a path without normalizing its dots, as HTTP clients do, and returns the status.
pub(crate) async fn raw_status(address: &str, path: &str) -> u16 {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let stream = tokio::net::TcpStream::connect(address).await;
    let mut stream = stream.expect("a connection");
    let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("sent");

    let mut response = String::new();
    let read = stream.read_to_string(&mut response).await;
    read.expect("a response");
    response[9..12].parse().expect("a status")
}

#[stack_test]
async fn encoded_paths_are_equivalent_and_other_methods_return_405(
    stack: &Stack,
    acme: &TestSpace,
) {
    let file = acme.upload(PHOTO).await;
    let client = &stack.anonymous;
    let encoded = file.url().replace("image-", "%69mage%2D");
    client.fetch(&encoded).await;

    for method in ["POST", "PUT", "DELETE"] {
        let response = client.send(client.request(method, file.url())).await;
        response.expect_header("allow", "GET, HEAD, OPTIONS");
        response.expect_error(405);
    }

    let preflight = client.send(client.request("OPTIONS", file.url())).await;
    let preflight = preflight.expect_status(204);
    let allowed = preflight.header("access-control-allow-headers");
    assert!(allowed.contains("Authorization"), "{allowed}");
}

#[stack_test]
async fn markup_is_delivered_sandboxed(stack: &Stack, acme: &TestSpace) {
    const HTML: &str = "<script>alert(1)</script>";
    const SVG: &str = "<svg xmlns='http://www.w3.org/2000/svg'/>";
    const XML: &str = "<?xml version='1.0'?><a/>";
    for (name, declared, bytes, disposition) in [
        ("a.html", "text/html", HTML, "attachment"),
        ("a.svg", "image/svg+xml", SVG, "inline"),
        ("a.xml", "application/xml", XML, "inline"),
    ] {
        let file = acme.upload(bytes).named(name, declared).await;
        assert_eq!(file["mime_type"], declared);

        let response = stack.anonymous.fetch(file.url()).await;
        let policy = response.header("content-security-policy");
        assert!(policy.starts_with("sandbox"), "{name}: {policy}");
        let actual = response.header("content-disposition");
        assert!(actual.starts_with(disposition), "{name}: {actual}");
    }
}

/// Number of bytes of a pending file that its confirmation reads to detect type and charset.
const BEGINNING_BYTES: usize = 256 << 10;

/// Presigns and confirms an upload, and returns the URL of the file.
async fn confirmed(
    stack: &Stack,
    acme: &TestSpace,
    (name, content_type): (&str, &str),
    bytes: &[u8],
) -> String {
    let fields = json!({"filename": name, "content_type": content_type, "size": bytes.len()});
    let pending_file = PendingFile::create(acme, fields).await;
    pending_file.put(stack, bytes).await;
    text(&pending_file.confirm(&acme.client).await.expect_ok()["url"])
}

#[stack_test(undrained)]
async fn utf8_text_is_delivered_with_charset(stack: &Stack, acme: &TestSpace) {
    const UTF8: &str = "text/plain; charset=utf-8";
    const HTML: &str = "text/html; charset=utf-8";
    const JSON: &str = "application/json; charset=utf-8";
    const OBJECT: &str = "{\"a\": \"é\"}";
    for (name, content_type, bytes, delivered) in [
        ("a.txt", "text/plain", "a €".as_bytes(), UTF8),
        ("a.txt", "text/plain; charset=latin1", "€".as_bytes(), UTF8),
        ("a.csv", "text/csv", b"a,b\n", "text/csv; charset=utf-8"),
        ("a.json", "application/json", OBJECT.as_bytes(), JSON),
        ("a.html", "text/html", "<p>é</p>".as_bytes(), HTML),
        ("latin1.txt", "text/plain", b"caf\xE9 au lait", "text/plain"),
        ("utf16.txt", "text/plain", b"\xFF\xFEa\0b\0", "text/plain"),
        ("cut.txt", "text/plain", b"a\xE2\x82", "text/plain"),
        ("photo.jpg", "image/jpeg", PHOTO, "image/jpeg"),
    ] {
        let direct = acme.upload(bytes).named(name, content_type).await;
        let mime_type = delivered.split(';').next();
        assert_eq!(direct["mime_type"].as_str(), mime_type, "{name}");
        let confirmed = confirmed(stack, acme, (name, content_type), bytes).await;

        for url in [direct.url(), &confirmed] {
            let response = stack.anonymous.fetch(url).await;
            response.expect_header("content-type", delivered);
            response.expect_body(bytes);
            let head = stack.anonymous.head(url).await;
            head.expect_header("content-type", delivered);
        }
    }
}

#[stack_test(undrained)]
async fn charset_is_detected_from_all_bytes_or_from_the_beginning_of_copied_objects(
    stack: &Stack,
    acme: &TestSpace,
) {
    // A character is split at the end of the bytes that are read.
    let utf8 = format!("a{}", "é".repeat(BEGINNING_BYTES)).into_bytes();
    let spoiled = [&utf8[..], b"\xE9"].concat();

    let with_charset = "text/plain; charset=utf-8";
    for (bytes, direct_type) in [(&utf8, with_charset), (&spoiled, "text/plain")] {
        let direct = acme.upload(bytes.clone());
        let direct = direct.named("a.txt", "text/plain").await;
        let head = stack.anonymous.head(direct.url()).await;
        head.expect_header("content-type", direct_type);

        let confirmed = confirmed(stack, acme, ("a.txt", "text/plain"), bytes).await;
        let head = stack.anonymous.head(&confirmed).await;
        head.expect_header("content-type", with_charset);
    }
}
