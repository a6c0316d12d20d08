//! Bodies that are not JSON objects or cannot be decoded.

use reqwest::Body;

use tests::{PHOTO, Stack, StackOptions, TestSpace, share_of, stack_test};

use super::assert_rejected;
use crate::routes::fixture::{ROUTES, RouteFixture};

/// Maximum size of a JSON body, in bytes.
const MAX_BYTES: usize = 1 << 20;
/// Nesting depth above that of any parser.
const DEPTH: usize = 10_000;

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

/// A body that no route accepts, and the status that it returns.
struct Case {
    status: u16,
    body: Vec<u8>,
}

fn cases() -> Vec<Case> {
    let name = b"{\"name\": \"x\"}";
    let nested = format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH));
    let nested_objects = format!("{}1{}", "{\"name\":".repeat(DEPTH), "}".repeat(DEPTH));
    let nested_field = format!("{{\"name\": \"x\", \"ignored\": {nested}}}");
    let utf16 = String::from_utf8_lossy(name)
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let two_byte_order_marks = [&b"\xEF\xBB\xBF\xEF\xBB\xBF"[..], name].concat();
    let blank = vec![b' '; MAX_BYTES];
    let invalid = [
        two_byte_order_marks,
        utf16,
        nested.into_bytes(),
        nested_objects.into_bytes(),
        nested_field.into_bytes(),
        blank.clone(),
    ];
    let too_large = [[&name[..], &blank].concat(), vec![b'['; MAX_BYTES + 1]];

    let malformed = MALFORMED.into_iter().map(<[u8]>::to_vec);
    let invalid = malformed
        .chain(invalid)
        .map(|body| Case { status: 400, body });
    let too_large = too_large.map(|body| Case { status: 413, body });
    invalid.chain(too_large).collect()
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn body_that_is_not_an_object_is_rejected(stack: &Stack) {
    let fixture = RouteFixture::new(stack, "Acme").await;
    let account = stack.account();

    let routes = ROUTES.iter().filter(|route| fixture.body(route).is_some());
    let calls = routes.flat_map(|route| cases().into_iter().map(move |case| (route, case)));
    let before = stack.dump().await;

    for (route, Case { status, body }) in share_of(calls, 3) {
        let description = String::from_utf8_lossy(&body).into_owned();
        for body in [Body::from(body.clone()), streamed(&body)] {
            let request = account.request(route.method, &fixture.path(route));
            let response = account
                .send(
                    request
                        .header("content-type", "application/json")
                        .body(body),
                )
                .await;

            let response = response.with_context(&format!("{description:.100}"));
            assert_rejected(response.expect_status(status), &description);
        }
    }

    stack.dump().await.assert_unchanged(&before, "all routes");
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
async fn other_content_type_returns_415(stack: &Stack) {
    let fixture = RouteFixture::new(stack, "Acme").await;
    let account = stack.account();

    for route in ROUTES.iter() {
        let Some(body) = fixture.body(route) else {
            continue;
        };
        let before = stack.dump().await;

        for content_type in [
            "",
            "json",
            "text/json",
            "text/plain",
            "application/x-www-form-urlencoded",
            "application/jsonp",
            "multipart/form-data; boundary=x",
            "application/json, text/plain",
            "*/*",
        ] {
            let request = account
                .request(route.method, &fixture.path(route))
                .header("content-type", content_type);
            let response = account.send(request.body(body.to_string())).await;
            let response = response.with_context(content_type);
            assert_rejected(response.expect_status(415), content_type);
        }

        stack.dump().await.assert_unchanged(&before, route.path);
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn encoded_json_body_returns_415(stack: &Stack) {
    let fixture = RouteFixture::new(stack, "Acme").await;
    let account = stack.account();
    let before = stack.dump().await;

    for route in ROUTES.iter() {
        let Some(body) = fixture.body(route) else {
            continue;
        };

        for encoding in ["gzip", "br", "identity, gzip"] {
            let request = account
                .request(route.method, &fixture.path(route))
                .header("content-encoding", encoding);
            let response = account.send(request.json(&body)).await;
            let response = response.with_context(encoding);
            assert_rejected(response.expect_status(415), encoding);
        }
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "encoded bodies");
}

#[stack_test]
async fn json_body_may_start_with_a_byte_order_mark(stack: &Stack) {
    let account = stack.account();
    let body = [&b"\xEF\xBB\xBF"[..], b"{\"name\": \"Marked\"}"].concat();
    let request = account
        .request("POST", "/spaces")
        .header("content-type", "application/json")
        .body(body);

    let space = account.send(request).await.expect_created();

    assert_eq!(space["name"], "Marked");
}

#[stack_test]
async fn missing_body_is_read_as_empty_object(acme: &TestSpace) {
    let file = acme.upload(PHOTO).await.path().to_owned();
    let client = &acme.client;

    for (method, path, status) in [
        ("PUT", format!("/spaces/{}/access-control", acme.id), 200),
        ("PUT", file.clone(), 200),
        ("POST", format!("{file}/signed-url"), 200),
        ("POST", acme.keys_path(), 422),
        ("PUT", acme.path(), 422),
    ] {
        let absent = client.send(client.request(method, &path)).await;
        absent.expect_status(status);

        for content_type in ["application/json", "text/plain"] {
            let request = client
                .request(method, &path)
                .header("content-type", content_type)
                .body("");
            let empty = client.send(request).await;
            empty.with_context(content_type).expect_status(status);
        }
    }
}
