//! Bodies that are not JSON objects or cannot be decoded.

use reqwest::Body;
use tests::{PHOTO, Stack, StackOptions, TestSpace, share_of, stack_test};

use super::{assert_rejected, routes_with_bodies, send};
use crate::routes::fixture::RouteFixture;

/// Maximum size of a JSON body, in bytes.
const MAX_BYTES: usize = 1 << 20;
/// Nesting depth above that of any parser.
const DEPTH: usize = 10_000;
const JSON: (&str, &str) = ("content-type", "application/json");

/// Bodies that are not JSON objects.
const MALFORMED: [&[u8]; 32] = [
    b" ",
    b"\0",
    b"{",
    b"}",
    b"{}{}",
    b"{} x",
    b"[]",
    b"[{\"name\": \"x\"}]",
    b"\"name\"",
    b"5",
    b"-0",
    b"null",
    b"true",
    b"NaN",
    b"{\"name\": NaN}",
    b"{\"name\": Infinity}",
    b"{\"name\": 1e999}",
    b"{\"name\": 0x10}",
    b"{\"name\": 01}",
    b"{'name': 'x'}",
    b"{name: \"x\"}",
    b"{\"name\": \"x\",}",
    b"{\"name\": \"x\"",
    b"{\"name\": \"x}",
    b"{\"name\": \"\\ud800\"}",
    b"{\"name\": \"\\udc00\\ud800\"}",
    b"{\"name\": \"\\x41\"}",
    b"{\"name\": \"a\nb\"}",
    b"{\"name\": \"a\0b\"}",
    b"{\"name\": \"\xFF\xFE\"}",
    b"{\"name\": \"\xED\xA0\x80\"}",
    b"{\"name\": \"\xC0\xAF\"}",
];

/// Returns bodies that no route accepts, and the status that they return.
fn cases() -> Vec<(u16, Vec<u8>)> {
    let name = "{\"name\": \"x\"}";
    let nested = format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH));
    let nested_objects = format!("{}1{}", "{\"name\":".repeat(DEPTH), "}".repeat(DEPTH));
    let nested_field = format!("{{\"name\": \"x\", \"ignored\": {nested}}}");
    let utf16 = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let two_byte_order_marks = format!("\u{FEFF}\u{FEFF}{name}").into_bytes();
    let blank = " ".repeat(MAX_BYTES);
    let too_large = [format!("{name}{blank}"), "[".repeat(MAX_BYTES + 1)];

    let mut invalid: Vec<Vec<u8>> = MALFORMED.into_iter().map(<[u8]>::to_vec).collect();
    invalid.extend([two_byte_order_marks, utf16]);
    invalid.extend([nested, nested_objects, nested_field, blank].map(String::into_bytes));

    let invalid = invalid.into_iter().map(|body| (400, body));
    let too_large = too_large.map(|body| (413, body.into_bytes()));
    invalid.chain(too_large).collect()
}

/// Returns a body in chunks, without a length.
fn streamed(body: &[u8]) -> Body {
    let chunks: Vec<_> = body
        .chunks(100_000)
        .map(|chunk| Ok::<_, std::io::Error>(chunk.to_vec()))
        .collect();
    Body::wrap_stream(futures::stream::iter(chunks))
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn body_that_is_not_an_object_is_rejected(stack: &Stack) {
    let fixture = RouteFixture::new(stack, "Acme").await;
    let account = stack.account();
    let routes = routes_with_bodies(&fixture).into_iter();
    let calls = routes.flat_map(|(route, _)| cases().into_iter().map(move |case| (route, case)));
    let before = stack.dump().await;

    for (route, (status, body)) in share_of(calls, 3) {
        let description = String::from_utf8_lossy(&body).into_owned();
        for body in [Body::from(body.clone()), streamed(&body)] {
            let response = send(&account, &fixture, route, JSON, body).await;
            let response = response.with_context(&format!("{description:.100}"));
            assert_rejected(response.expect_status(status), &description);
        }
    }

    stack.assert_unchanged(&before, "malformed bodies").await;
}

/// Headers of bodies that no JSON route accepts.
const UNSUPPORTED: [(&str, &str); 12] = [
    ("content-type", ""),
    ("content-type", "json"),
    ("content-type", "text/json"),
    ("content-type", "text/plain"),
    ("content-type", "application/x-www-form-urlencoded"),
    ("content-type", "application/jsonp"),
    ("content-type", "multipart/form-data; boundary=x"),
    ("content-type", "application/json, text/plain"),
    ("content-type", "*/*"),
    ("content-encoding", "gzip"),
    ("content-encoding", "br"),
    ("content-encoding", "identity, gzip"),
];

#[stack_test(options = StackOptions::without_rate_limits())]
async fn other_content_type_or_encoding_returns_415(stack: &Stack) {
    let fixture = RouteFixture::new(stack, "Acme").await;
    let account = stack.account();
    let before = stack.dump().await;

    for (route, body) in routes_with_bodies(&fixture) {
        for header in UNSUPPORTED {
            let request = account.request(route.method, &fixture.path(route));
            let request = request.header(header.0, header.1);
            let request = match header.0 {
                "content-type" => request,
                _ => request.header(JSON.0, JSON.1),
            };
            let response = account.send(request.body(body.to_string())).await;
            let response = response.with_context(header.1);
            assert_rejected(response.expect_status(415), header.1);
        }
    }

    stack.assert_unchanged(&before, "unsupported bodies").await;
}

#[stack_test]
async fn json_body_may_start_with_a_byte_order_mark(stack: &Stack) {
    let account = stack.account();
    let request = account.request("POST", "/spaces").header(JSON.0, JSON.1);
    let request = request.body("\u{FEFF}{\"name\": \"Marked\"}");

    let space = account.send(request).await.expect_created();

    assert_eq!(space["name"], "Marked");
}

#[stack_test]
async fn missing_body_is_read_as_empty_object(acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;

    for (method, path, status) in [
        ("PUT", &format!("{}/access-control", acme.path()), 200),
        ("PUT", &file.path().to_owned(), 200),
        ("POST", &format!("{}/signed-url", file.path()), 200),
        ("POST", &acme.keys_path(), 422),
        ("PUT", &acme.path(), 422),
    ] {
        let absent = acme.send(acme.request(method, path)).await;
        absent.expect_status(status);

        for content_type in ["application/json", "text/plain"] {
            let request = acme.request(method, path).body("");
            let request = request.header("content-type", content_type);
            let empty = acme.send(request).await;
            empty.with_context(content_type).expect_status(status);
        }
    }
}
