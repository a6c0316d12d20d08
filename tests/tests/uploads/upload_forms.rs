//! `POST /upload`: raw multipart forms, valid and malformed.

use serde_json::json;
use tests::{PHOTO, RawConnection, Stack, TestSpace, large_photo, stack_test};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::upload::assert_no_object_stored;

#[stack_test]
async fn file_names_are_sanitized(acme: &TestSpace) {
    for (sent, stored) in [
        (&b"C:\\photos\\me.jpg"[..], "me.jpg".to_owned()),
        (b"../../etc/passwd.jpg", "passwd.jpg".to_owned()),
        ("gpj\u{202E}.jpg".as_bytes(), "gpj.jpg".to_owned()),
        (b"caf\xE9.jpg", "caf\u{FFFD}.jpg".to_owned()),
        ("é".repeat(300).as_bytes(), "é".repeat(255)),
    ] {
        // HTTP clients encode such names. The raw form sends them unchanged.
        let body = raw_form(&[("space", &acme.handle)], sent, "image/jpeg", PHOTO);
        let request = acme
            .request("POST", "/upload")
            .header("content-type", RAW_TYPE)
            .body(body);
        let uploaded = acme.send(request).await.expect_created();
        assert_eq!(uploaded["original_name"], json!(stored), "{sent:?}");
    }
}

const RAW_TYPE: &str = "multipart/form-data; boundary=frontier";

fn raw_form(texts: &[(&str, &str)], file_name: &[u8], declared: &str, bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, value) in texts {
        body.extend(
            format!(
                "--frontier\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
            )
            .bytes(),
        );
    }

    body.extend(b"--frontier\r\ncontent-disposition: form-data; name=\"file\"; filename=\"");
    body.extend(file_name);
    body.extend(format!("\"\r\ncontent-type: {declared}\r\n\r\n").bytes());
    body.extend(bytes);
    body.extend(b"\r\n--frontier--\r\n");

    body
}

/// Declares a body above the limit, and asserts that it is rejected before it is sent.
async fn assert_too_large_body_returns_413(stack: &Stack, acme: &TestSpace) {
    let head = format!(
        "POST /api/v1/upload HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\ncontent-type: {RAW_TYPE}\r\n\
         content-length: {}\r\n\r\n",
        acme.client.key.as_deref().expect("a key"),
        600 << 20
    );

    let too_large = RawConnection::request(stack.local.api_url(), head)
        .await
        .expect("a response before the body");
    assert!(
        too_large.json()["message"]
            .as_str()
            .is_some_and(|text| text.contains("/upload/presign"))
    );

    too_large.expect_error(413);
}

#[stack_test]
async fn malformed_form_returns_400_and_other_type_415(stack: &Stack, acme: &TestSpace) {
    let whole = raw_form(
        &[("space", &acme.handle)],
        b"photo.jpg",
        "image/jpeg",
        PHOTO,
    );

    let send = |content_type: Option<&'static str>, body: Vec<u8>| {
        let request = acme.request("POST", "/upload").body(body);
        let request = content_type.into_iter().fold(request, |request, value| {
            request.header("content-type", value)
        });
        acme.send(request)
    };

    for cut in [10, 60, 150, whole.len() / 2, whole.len() - 5] {
        send(Some(RAW_TYPE), whole[..cut].to_vec())
            .await
            .expect_error(400);
    }

    for content_type in [
        "multipart/form-data",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=other",
    ] {
        send(Some(content_type), whole.clone())
            .await
            .expect_error(400);
    }

    send(Some("application/json"), b"{}".to_vec())
        .await
        .expect_error(415);
    send(None, whole.clone()).await.expect_error(415);

    let texts: Vec<(String, &str)> = (0..70).map(|index| (format!("f{index}"), "x")).collect();
    let texts: Vec<(&str, &str)> = texts
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .collect();

    let too_many_fields = raw_form(&texts, b"a.jpg", "image/jpeg", PHOTO);
    send(Some(RAW_TYPE), too_many_fields)
        .await
        .expect_error(400);

    let long = "x".repeat(70_000);
    let long_field = raw_form(&[("space", &long)], b"a.jpg", "image/jpeg", PHOTO);
    send(Some(RAW_TYPE), long_field).await.expect_error(413);

    assert_too_large_body_returns_413(stack, acme).await;
    assert_no_object_stored(stack);
}

#[stack_test]
async fn part_headers_and_preamble_are_bounded(acme: &TestSpace) {
    let send = |boundary: &str, body: Vec<u8>| {
        let content_type = format!("multipart/form-data; boundary={boundary}");
        acme.send(
            acme.request("POST", "/upload")
                .header("content-type", content_type)
                .body(body),
        )
    };

    let whole =
        |name: &[u8], bytes: &[u8]| raw_form(&[("space", &acme.handle)], name, "image/jpeg", bytes);
    let preamble =
        |length: usize| [&vec![b'x'; length][..], b"\r\n", &whole(b"a.jpg", PHOTO)].concat();
    send("frontier", preamble(10_000)).await.expect_created();
    send("frontier", whole(&[b'x'; 10_000], PHOTO))
        .await
        .expect_created();

    for (boundary, body) in [
        ("other", whole(b"a.jpg", &large_photo(30 << 20))),
        ("frontier", preamble(200_000)),
        ("frontier", whole(&vec![b'x'; 200_000], PHOTO)),
    ] {
        let response = send(boundary, body).await;
        assert!(
            response.json()["message"]
                .as_str()
                .is_some_and(|text| text.contains("more than 16 kilobytes"))
        );
        response.expect_error(400);
    }
}

#[stack_test]
async fn unauthenticated_body_is_never_awaited(stack: &Stack) {
    let address = stack
        .local
        .api_url()
        .trim_start_matches("http://")
        .split('/')
        .next()
        .expect("an address")
        .to_owned();

    let mut stream = TcpStream::connect(&address).await.expect("a connection");
    let head = format!(
        "POST /api/v1/upload HTTP/1.1\r\nhost: {address}\r\ncontent-type: {RAW_TYPE}\r\ncontent-length: 1000000\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.expect("sent");

    let mut response = [0; 12];

    // The response arrives before the body is sent.
    stream.read_exact(&mut response).await.expect("a response");
    assert_eq!(&response, b"HTTP/1.1 401");
}
