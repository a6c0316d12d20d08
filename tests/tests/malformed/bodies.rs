//! Bodies that are no JSON object, or none that could be read.

use reqwest::Body;

use tests::{PHOTO, Stack, StackOptions, stack_test};

use super::assert_refused;
use crate::routes::fixture::{ROUTES, RouteFixture};

/// 1 MB.
const MOST_BYTES: usize = 1 << 20;
/// Far deeper than any reader follows.
const DEPTH: usize = 10_000;

/// Bodies that no route takes, with the status that each gets.
fn bodies() -> Vec<(u16, Vec<u8>)> {
    let nested = format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH));
    let objects = format!("{}1{}", "{\"name\":".repeat(DEPTH), "}".repeat(DEPTH));
    let utf16: Vec<u8> = "{\"name\": \"x\"}"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let malformed: [&[u8]; 32] = [
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
    let mut bodies: Vec<_> = malformed
        .into_iter()
        .map(|body| (400, body.to_vec()))
        .collect();

    bodies.push((
        400,
        [&b"\xEF\xBB\xBF\xEF\xBB\xBF"[..], b"{\"name\": \"x\"}"].concat(),
    ));
    bodies
        .extend([utf16, nested.clone().into_bytes(), objects.into_bytes()].map(|body| (400, body)));
    bodies.push((
        400,
        format!("{{\"name\": \"x\", \"ignored\": {nested}}}").into_bytes(),
    ));
    bodies.push((400, vec![b' '; MOST_BYTES]));
    bodies.push((
        413,
        [&b"{\"name\": \"x\"}"[..], &vec![b' '; MOST_BYTES]].concat(),
    ));
    bodies.push((413, vec![b'['; MOST_BYTES + 1]));

    bodies
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn body_that_is_not_an_object_is_rejected(stack: &Stack) {
    let fixture = RouteFixture::new(stack, "Acme").await;
    let account = stack.account();

    for route in ROUTES.iter() {
        if fixture.body(route).is_none() {
            continue;
        }

        let before = stack.dump().await;
        for (status, body) in bodies() {
            let shown = String::from_utf8_lossy(&body).into_owned();
            for body in [Body::from(body.clone()), streamed(&body)] {
                let request = account.request(route.method, &fixture.path(route));
                let response = account
                    .send(
                        request
                            .header("content-type", "application/json")
                            .body(body),
                    )
                    .await;

                assert_eq!(
                    response.status, status,
                    "{} {} {:.100}",
                    route.method, route.path, shown
                );
                assert_rejected(response, &shown);
            }
        }

        stack.dump().await.assert_unchanged(&before, route.path);
    }
}

/// The body in pieces, without saying its length.
fn streamed(body: &[u8]) -> Body {
    let pieces: Vec<_> = body
        .chunks(100_000)
        .map(|piece| Ok::<_, std::io::Error>(piece.to_vec()))
        .collect();
    Body::wrap_stream(futures::stream::iter(pieces))
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

        for kind in [
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
                .header("content-type", kind);
            let response = account.send(request.body(body.to_string())).await;
            assert_eq!(
                response.status, 415,
                "{} {} {kind}",
                route.method, route.path
            );
            assert_refused(response, kind);
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
            assert_eq!(
                response.status, 415,
                "{} {} {encoding}",
                route.method, route.path
            );
            assert_rejected(response, encoding);
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
async fn missing_body_is_read_as_empty_object(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let file = acme.upload(PHOTO).await["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let client = &acme.client;

    for (method, path, status) in [
        ("PUT", format!("/spaces/{}/access-control", acme.id), 200),
        ("PUT", format!("/files/{file}"), 200),
        ("POST", format!("/files/{file}/signed-url"), 200),
        ("POST", format!("/spaces/{}/api-keys", acme.id), 422),
        ("PUT", format!("/spaces/{}", acme.id), 422),
    ] {
        let absent = client.send(client.request(method, &path)).await;
        assert_eq!(absent.status, status, "{method} {path}");

        for content_type in ["application/json", "text/plain"] {
            let request = client
                .request(method, &path)
                .header("content-type", content_type)
                .body("");
            assert_eq!(
                client.send(request).await.status,
                status,
                "{method} {path} {content_type}"
            );
        }
    }
}
