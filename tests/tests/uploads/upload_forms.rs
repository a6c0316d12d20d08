//! `POST /upload`: raw multipart forms, valid and malformed.

use tests::{
    PHOTO, RawConnection, Response, Stack, TestSpace, authority, large_photo, stack_test, text,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::upload::assert_no_object_stored;
use crate::malformed::forms::{self, CONTENT_TYPE as RAW_TYPE};

/// Returns a form of texts and of a JPEG. HTTP clients encode file names; this form contains them unchanged.
fn raw_form(texts: &[(&str, &str)], file_name: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut parts: Vec<_> = texts
        .iter()
        .map(|(name, value)| forms::text(name, value))
        .collect();
    parts.push(forms::file(file_name, bytes));
    forms::form(&parts)
}

async fn send(acme: &TestSpace, content_type: Option<&str>, body: Vec<u8>) -> Response {
    let request = acme.request("POST", "/upload").body(body);
    acme.send(match content_type {
        Some(value) => request.header("content-type", value),
        None => request,
    })
    .await
}

#[stack_test]
async fn file_names_are_sanitized(acme: &TestSpace) {
    for (sent, stored) in [
        (&b"C:\\photos\\me.jpg"[..], "me.jpg"),
        (b"../../etc/passwd.jpg", "passwd.jpg"),
        ("gpj\u{202E}.jpg".as_bytes(), "gpj.jpg"),
        (b"caf\xE9.jpg", "caf\u{FFFD}.jpg"),
        ("é".repeat(300).as_bytes(), &"é".repeat(255)),
    ] {
        let body = raw_form(&[("space", &acme.handle)], sent, PHOTO);
        let uploaded = send(acme, Some(RAW_TYPE), body).await.expect_created();
        assert_eq!(uploaded["original_name"], stored, "{sent:?}");
    }
}

/// Declares a body above the limit, and asserts that it is rejected before it is sent.
async fn assert_too_large_body_returns_413(stack: &Stack, acme: &TestSpace) {
    let head = format!(
        "POST /api/v1/upload HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\ncontent-type: {RAW_TYPE}\r\n\
         content-length: {}\r\n\r\n",
        acme.client.key.as_deref().expect("a key"),
        600 << 20
    );

    let response = RawConnection::request(stack.local.api_url(), head).await;
    let response = response.expect("a response before the body");
    let message = text(&response.json()["message"]);
    assert!(message.contains("/upload/presign"), "{message}");
    response.expect_error(413);
}

#[stack_test]
async fn malformed_form_returns_400_and_other_type_415(stack: &Stack, acme: &TestSpace) {
    let whole = raw_form(&[("space", &acme.handle)], b"photo.jpg", PHOTO);
    for cut in [10, 60, 150, whole.len() / 2, whole.len() - 5] {
        let truncated = whole[..cut].to_vec();
        send(acme, Some(RAW_TYPE), truncated)
            .await
            .expect_error(400);
    }
    for (content_type, status) in [
        (Some("multipart/form-data"), 400),
        (Some("multipart/form-data; boundary="), 400),
        (Some("multipart/form-data; boundary=other"), 400),
        (Some("application/json"), 415),
        (None, 415),
    ] {
        let response = send(acme, content_type, whole.clone()).await;
        response.expect_error(status);
    }

    let names: Vec<String> = (0..70).map(|index| format!("f{index}")).collect();
    let many: Vec<(&str, &str)> = names.iter().map(|name| (&**name, "x")).collect();
    let many = raw_form(&many, b"a.jpg", PHOTO);
    send(acme, Some(RAW_TYPE), many).await.expect_error(400);
    let long = raw_form(&[("space", &"x".repeat(70_000))], b"a.jpg", PHOTO);
    send(acme, Some(RAW_TYPE), long).await.expect_error(413);

    assert_too_large_body_returns_413(stack, acme).await;
    assert_no_object_stored(stack);
}

#[stack_test]
async fn part_headers_and_preamble_are_bounded(acme: &TestSpace) {
    let whole = |name: &[u8], bytes: &[u8]| raw_form(&[("space", &acme.handle)], name, bytes);
    let preamble =
        |length: usize| [&vec![b'x'; length][..], b"\r\n", &whole(b"a.jpg", PHOTO)].concat();

    for body in [preamble(10_000), whole(&[b'x'; 10_000], PHOTO)] {
        send(acme, Some(RAW_TYPE), body).await.expect_created();
    }

    let other = "multipart/form-data; boundary=other";
    for (content_type, body) in [
        (other, whole(b"a.jpg", &large_photo(30 << 20))),
        (RAW_TYPE, preamble(200_000)),
        (RAW_TYPE, whole(&vec![b'x'; 200_000], PHOTO)),
    ] {
        let response = send(acme, Some(content_type), body).await;
        let message = text(&response.json()["message"]);
        assert!(message.contains("more than 16 kilobytes"), "{message}");
        response.expect_error(400);
    }
}

#[stack_test]
async fn unauthenticated_body_is_never_awaited(stack: &Stack) {
    let address = authority(stack.local.api_url());
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let head = format!(
        "POST /api/v1/upload HTTP/1.1\r\nhost: {address}\r\ncontent-type: {RAW_TYPE}\r\ncontent-length: 1000000\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.expect("sent");

    // The response arrives before the body is sent.
    let mut response = [0; 12];
    stream.read_exact(&mut response).await.expect("a response");
    assert_eq!(&response, b"HTTP/1.1 401");
}
