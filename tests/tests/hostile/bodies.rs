//! Bodies with a wrong or ambiguous length, and truncated bodies.

use std::time::Duration;

use runtime::http::BodyDeadlines;
use tests::{RawConnection, Stack, StackOptions, stack_test};

use super::{
    Outcome::{self, Rejected, Unheard},
    Row, Target, numbered,
};

const CHUNKED: &str = "transfer-encoding: chunked\r\n";

/// A request that would create a space if its body were valid.
fn post(target: &Target, lines: &str, body: &str) -> Vec<u8> {
    let path = target.either("/api/v1/spaces", &target.path);
    target.request(
        "POST",
        path,
        &format!("content-type: application/json\r\n{lines}"),
        body,
    )
}

/// Invalid and repeated lengths.
pub(crate) fn lengths(target: &Target) -> Vec<Row> {
    let with = |lengths: &[&str]| {
        let lines = lengths
            .iter()
            .map(|length| format!("content-length: {length}\r\n"));
        post(target, &lines.collect::<String>(), "{}")
    };
    // The bytes after the body are the next request, which is invalid.
    let rejected = target.either(Rejected(422), Rejected(405));
    let encoded = "content-length: 2\r\ntransfer-encoding: gzip\r\n";
    let chunks = "2\r\n{}\r\n0\r\n\r\n";
    let chunked_twice = "transfer-encoding: chunked, gzip\r\n";
    let mut rows = vec![
        (with(&["2", "2"]), rejected),
        (with(&["2", "3"]), Unheard),
        (with(&["3", "2"]), Unheard),
        (post(target, encoded, "{}"), Unheard),
        (post(target, chunked_twice, chunks), Unheard),
    ];
    for length in [
        "",
        "-1",
        "+2",
        "2, 2",
        "2 2",
        "0x2",
        "2.0",
        "two",
        "99999999999999999999",
        "18446744073709551615",
    ] {
        rows.push((with(&[length]), Unheard));
    }

    rows
}

/// Invalid chunks. They have no effect where the body is not read.
pub(crate) fn chunks(target: &Target) -> Vec<Row> {
    let rejected = target.either(Rejected(400), Rejected(405));
    let trailers = numbered(10_000, "x");
    let mut rows = Vec::new();
    for body in [
        "x\r\n{}\r\n0\r\n\r\n",
        "-2\r\n{}\r\n0\r\n\r\n",
        "\r\n{}\r\n0\r\n\r\n",
        "2 2\r\n{}\r\n0\r\n\r\n",
        "fffffffffffffffff\r\n{}\r\n0\r\n\r\n",
        "2\r\n{}0\r\n\r\n",
        "1\r\n{}\r\n0\r\n\r\n",
        "2\n{}\n0\n\n",
        &format!("2;{}\r\n{{}}\r\n0\r\n\r\n", "x".repeat(64 << 10)),
        &format!("2\r\n{{}}\r\n0\r\n{trailers}\r\n"),
        &format!("2\r\n{{}}\r\n0\r\nx: {}\r\n\r\n", "x".repeat(64 << 10)),
        "2\r\n{}\r\n0\r\nno trailer\r\n\r\n",
    ] {
        rows.push((post(target, CHUNKED, body), rejected));
    }

    rows
}

#[stack_test]
async fn bodies_of_ambiguous_length_are_rejected(stack: &Stack) {
    for target in Target::of_stack(stack).await {
        target.check(lengths(&target)).await;
        target.check(chunks(&target)).await;
    }
}

/// Sends the start of a body, and closes the sending side.
async fn cut_off(target: &Target, request: &[u8]) -> Outcome {
    let mut connection = RawConnection::connect(&target.url).await;
    connection.send(request).await;
    connection.shutdown_write().await;
    Outcome::of(connection.response().await)
}

#[stack_test]
async fn truncated_body_is_rejected_and_writes_nothing(stack: &Stack) {
    let [api, cdn] = Target::of_stack(stack).await;
    let part =
        "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nhalf a te";
    let upload = |lines: &str, body: &str| {
        let lines = format!("content-type: multipart/form-data; boundary=x\r\n{lines}");
        api.request("POST", "/api/v1/upload", &lines, body)
    };
    let work = async {
        for request in [
            post(&api, "content-length: 100\r\n", "{\"name\": \"Cut\""),
            post(&api, "content-length: 100\r\n", "{\"name\": \"Cut\"}"),
            post(&api, CHUNKED, "e\r\n{\"name\": \"Cut\"}\r\n"),
            post(&api, CHUNKED, "f\r\n{\"name\": \"Cut\"}"),
            upload("content-length: 1000000\r\n", part),
            upload(CHUNKED, &format!("{:x}\r\n{part}\r\n", part.len())),
        ] {
            let outcome = cut_off(&api, &request).await;
            assert!(
                matches!(outcome, Rejected(400) | Unheard),
                "{outcome:?}: {}",
                request.escape_ascii()
            );
        }
    };
    let calls = stack.calls_of(work).await.calls;
    let is_write = |call: &&String| call.contains("Put") || call.contains("Transact");

    assert_eq!(calls.iter().find(is_write), None);
    assert!(matches!(
        cut_off(&cdn, &post(&cdn, "content-length: 100\r\n", "{")).await,
        Rejected(405) | Unheard
    ));

    for target in [api, cdn] {
        target.is_well().await;
    }
}

#[stack_test(options = slow_bodies())]
async fn body_that_declares_too_many_bytes_is_rejected_unread(stack: &Stack) {
    let [api, _] = Target::of_stack(stack).await;
    let mebibyte = 1 << 20;
    let declared =
        |lines: &str, bytes: usize| post(&api, &format!("{lines}content-length: {bytes}\r\n"), "");

    for (request, status) in [
        (declared("", mebibyte + 1), 413),
        (declared("expect: 100-continue\r\n", mebibyte + 1), 413),
        (declared("", mebibyte), 408),
    ] {
        let response = RawConnection::request(&api.url, &request)
            .await
            .expect("an answer");
        response.expect_error(status);
        api.is_well().await;
    }
}

/// A client gets a 408, although it never pauses for long.
#[stack_test(options = slow_bodies())]
async fn trickled_form_returns_408(stack: &Stack) {
    let [api, _] = Target::of_stack(stack).await;
    let lines = "content-type: multipart/form-data; boundary=x\r\ncontent-length: 1000\r\n";
    let mut connection = RawConnection::connect(&api.url).await;
    let head = api.request("POST", "/api/v1/upload", lines, "--x\r\n");
    connection.send(head).await;

    for _ in 0..100 {
        tokio::time::sleep(Duration::from_millis(5)).await;
        connection.send("x").await;
    }

    // The message depends on how long the last pause was, and so on the load of the machine.
    let response = connection.response().await.expect("an answer");
    response.expect_error(408);
}

/// Options of a stack that waits 50 ms for the next bytes of a body, and 300 ms for all.
fn slow_bodies() -> StackOptions {
    StackOptions {
        body_deadlines: BodyDeadlines {
            idle: Duration::from_millis(50),
            total: Duration::from_millis(300),
        },
        ..StackOptions::default()
    }
}

#[stack_test(options = slow_bodies())]
async fn stalled_body_returns_408(stack: &Stack) {
    let [api, _] = Target::of_stack(stack).await;

    let part =
        "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nhalf a te";
    let lines = "content-type: multipart/form-data; boundary=x\r\ncontent-length: 1000000\r\n";
    let form = api.request("POST", "/api/v1/upload", lines, part);

    for request in [
        form,
        post(&api, "content-length: 100\r\n", "{\"name\": \"Cut\""),
    ] {
        let response = RawConnection::request(&api.url, &request)
            .await
            .expect("an answer");
        assert_eq!(response.header("access-control-allow-origin"), "*");

        let message = response.json()["message"].take();
        assert!(
            message
                .as_str()
                .is_some_and(|text| text.starts_with("No byte of the body arrived for")),
            "{message}"
        );
        response.expect_error(408);
        api.is_well().await;
    }
}
