//! Bodies that are no JSON object, or none that could be read.

use reqwest::Body;

use super::{demand_refused, place};
use crate::sweep::ROWS;

/// 1 MB.
const MOST_BYTES: usize = 1 << 20;
/// Far deeper than any reader follows.
const DEPTH: usize = 10_000;

/// Bodies that no route takes, with the status that each gets.
fn bodies() -> Vec<(u16, Vec<u8>)> {
    let nested = format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH));
    let objects = format!("{}1{}", "{\"name\":".repeat(DEPTH), "}".repeat(DEPTH));
    let utf16: Vec<u8> = "{\"name\": \"x\"}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let malformed: [&[u8]; 33] = [
        b"",
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
    let mut bodies: Vec<_> = malformed.into_iter().map(|body| (400, body.to_vec())).collect();
    bodies.push((400, [&b"\xEF\xBB\xBF"[..], b"{\"name\": \"x\"}"].concat()));
    bodies.extend([utf16, nested.clone().into_bytes(), objects.into_bytes()].map(|body| (400, body)));
    bodies.push((400, format!("{{\"name\": \"x\", \"ignored\": {nested}}}").into_bytes()));
    bodies.push((400, vec![b' '; MOST_BYTES]));
    bodies.push((413, [&b"{\"name\": \"x\"}"[..], &vec![b' '; MOST_BYTES]].concat()));
    bodies.push((413, vec![b'['; MOST_BYTES + 1]));
    bodies
}

#[tokio::test]
async fn a_body_that_is_no_object_is_refused() {
    let (stack, place) = place().await;
    let account = stack.account();
    for row in &ROWS {
        if place.body(row).is_none() {
            continue;
        }
        let before = stack.dump().await;
        for (status, body) in bodies() {
            let shown = String::from_utf8_lossy(&body).into_owned();
            for body in [Body::from(body.clone()), streamed(&body)] {
                let request = account.request(row.method, &place.address(row));
                let answer = account.send(request.header("content-type", "application/json").body(body)).await;
                assert_eq!(answer.status, status, "{} {} {:.100}", row.method, row.path, shown);
                demand_refused(answer, &shown);
            }
        }
        stack.dump().await.demand_unchanged(&before, row.path);
    }
    stack.stop().await;
}

/// The body in pieces, without saying its length.
fn streamed(body: &[u8]) -> Body {
    let pieces: Vec<_> = body.chunks(100_000).map(|piece| Ok::<_, std::io::Error>(piece.to_vec())).collect();
    Body::wrap_stream(futures::stream::iter(pieces))
}

#[tokio::test]
async fn another_content_type_is_refused_whatever_the_body_is() {
    let (stack, place) = place().await;
    let account = stack.account();
    for row in &ROWS {
        let Some(body) = place.body(row) else { continue };
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
            let request = account.request(row.method, &place.address(row)).header("content-type", kind);
            let answer = account.send(request.body(body.to_string())).await;
            assert_eq!(answer.status, 415, "{} {} {kind}", row.method, row.path);
            demand_refused(answer, kind);
        }
        stack.dump().await.demand_unchanged(&before, row.path);
    }
    stack.stop().await;
}
