//! What anyone may do with a presigned address, and what nobody may.

use std::time::{Duration, UNIX_EPOCH};

use aws_sdk_s3::{
    Client,
    config::RequestChecksumCalculation,
    presigning::{PresignedRequest, PresigningConfig},
};
use emulators::AsyncClock;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::support::{Cloud, get_object, media, put_object};

/// Seconds for which the addresses here are good.
const LIFETIME_SECONDS: u64 = 60;
/// The body that they are made for.
const BODY: &str = "twelve bytes";

/// An address that takes twelve bytes of plain text.
async fn presign(cloud: &Cloud, key: &str) -> PresignedRequest {
    let client = cloud.s3("operator");
    let config = client
        .config()
        .to_builder()
        .request_checksum_calculation(RequestChecksumCalculation::WhenRequired);
    let put = Client::from_conf(config.build())
        .put_object()
        .bucket("media")
        .key(key);
    let now = UNIX_EPOCH + Duration::from_millis(cloud.clock.now_ms().unsigned_abs());
    let expiry = PresigningConfig::builder()
        .start_time(now)
        .expires_in(Duration::from_secs(LIFETIME_SECONDS));
    put.content_type("text/plain")
        .content_length(12)
        .presigned(expiry.build().unwrap())
        .await
        .unwrap()
}

/// Sends a head and a body to the store, and answers with the status and the whole answer.
async fn send(cloud: &Cloud, head: &str, body: &str) -> (u16, String) {
    let mut stream = begin(cloud, head, body).await;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    (answer[9..12].parse().unwrap(), answer)
}

async fn begin(cloud: &Cloud, head: &str, body: &str) -> TcpStream {
    let authority = cloud.emulators.s3_url().strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(authority).await.unwrap();
    let request = format!("{head}\r\nhost: {authority}\r\nconnection: close\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

fn path<'a>(cloud: &Cloud, presigned: &'a PresignedRequest) -> &'a str {
    presigned
        .uri()
        .strip_prefix(cloud.emulators.s3_url())
        .unwrap()
}

#[tokio::test]
async fn an_address_takes_what_it_was_made_for_as_often_as_it_is_sent() {
    let cloud = Cloud::with(&media()).await;
    let presigned = presign(&cloud, "k").await;
    assert!(
        presigned
            .uri()
            .contains("X-Amz-SignedHeaders=content-length%3Bcontent-type%3Bhost&"),
        "{presigned:?}"
    );
    let head = format!(
        "PUT {} HTTP/1.1\r\ncontent-type: text/plain\r\ncontent-length: 12",
        path(&cloud, &presigned)
    );
    for body in [BODY, "other bytes!"] {
        assert_eq!(send(&cloud, &head, body).await.0, 200);
        assert_eq!(
            get_object(&cloud.s3("operator"), "k").await.unwrap(),
            body.as_bytes()
        );
    }
    cloud.clock.advance(LIFETIME_SECONDS + 1);
    let (status, answer) = send(&cloud, &head, BODY).await;
    assert!(
        status == 403 && answer.contains("Request has expired"),
        "{answer}"
    );
    assert_eq!(
        get_object(&cloud.s3("operator"), "k").await.unwrap(),
        b"other bytes!"
    );
}

#[tokio::test]
async fn anything_else_is_refused_and_stores_nothing() {
    let cloud = Cloud::with(&media()).await;
    let presigned = presign(&cloud, "k").await;
    let path = path(&cloud, &presigned);
    let other_key = path.replacen("/k?", "/l?", 1);
    let longer_life = path.replace("X-Amz-Expires=60", "X-Amz-Expires=600");
    let more = format!("{path}&x-amz-meta-a=b");
    let (length, content_type) = ("content-length: 12", "content-type: text/plain");
    let chunked = "c\r\ntwelve bytes\r\n0\r\n\r\n";
    let cases: &[(&str, &str, &[&str], &str)] = &[
        (
            "shorter",
            path,
            &[content_type, "content-length: 11"],
            "eleven byte",
        ),
        (
            "longer",
            path,
            &[content_type, "content-length: 13"],
            "twelve bytes!",
        ),
        ("empty", path, &[content_type, "content-length: 0"], ""),
        (
            "of another type",
            path,
            &["content-type: text/html", length],
            BODY,
        ),
        ("without a type", path, &[length], BODY),
        (
            "of the same type, with a parameter",
            path,
            &["content-type: text/plain; charset=utf-8", length],
            BODY,
        ),
        ("without a length", path, &[content_type], BODY),
        (
            "in chunks",
            path,
            &[content_type, "transfer-encoding: chunked"],
            chunked,
        ),
        (
            "in chunks, with a length",
            path,
            &[content_type, length, "transfer-encoding: chunked"],
            chunked,
        ),
        (
            "two lengths",
            path,
            &[content_type, length, "content-length: 13"],
            "twelve bytes!",
        ),
        (
            "in the SDK's chunks",
            path,
            &[
                content_type,
                length,
                "content-encoding: aws-chunked",
                "x-amz-decoded-content-length: 3",
                "x-amz-content-sha256: STREAMING-UNSIGNED-PAYLOAD-TRAILER",
            ],
            "3\r\nabc\r\n0\r\n\r\n",
        ),
        (
            "with a copy's source",
            path,
            &[content_type, length, "x-amz-copy-source: media/there"],
            BODY,
        ),
        ("to another key", &other_key, &[content_type, length], BODY),
        (
            "with a longer life",
            &longer_life,
            &[content_type, length],
            BODY,
        ),
        (
            "with more in its query",
            &more,
            &[content_type, length],
            BODY,
        ),
    ];
    put_object(&cloud.s3("operator"), "there", "before")
        .await
        .unwrap();
    for (name, path, headers, body) in cases {
        let (status, answer) = send(
            &cloud,
            &format!("PUT {path} HTTP/1.1\r\n{}", headers.join("\r\n")),
            body,
        )
        .await;
        assert!(
            (400..500).contains(&status) || answer.contains("<Code>NotImplemented</Code>"),
            "{name}: {answer}"
        );
        for key in ["k", "l"] {
            assert_eq!(
                get_object(&cloud.s3("operator"), key).await,
                Err("NoSuchKey".to_owned()),
                "{name}"
            );
        }
    }
    assert_eq!(cloud.object_files(), (1, 0));
    for method in ["GET", "DELETE", "HEAD"] {
        let (status, answer) = send(
            &cloud,
            &format!("{method} {path} HTTP/1.1\r\n{content_type}"),
            "",
        )
        .await;
        assert_eq!(status, 403, "{method}: {answer}");
    }
}

#[tokio::test]
async fn a_body_that_is_cut_off_stores_nothing() {
    let cloud = Cloud::with(&media()).await;
    let presigned = presign(&cloud, "k").await;
    let head = format!(
        "PUT {} HTTP/1.1\r\ncontent-type: text/plain\r\ncontent-length: 12",
        path(&cloud, &presigned)
    );
    let mut stream = begin(&cloud, &head, "twelve").await;
    stream.shutdown().await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 400"),
        "{answer}"
    );
    assert_eq!(
        get_object(&cloud.s3("operator"), "k").await,
        Err("NoSuchKey".to_owned())
    );
}

#[tokio::test]
async fn bytes_behind_the_body_are_no_part_of_it() {
    let cloud = Cloud::with(&media()).await;
    let presigned = presign(&cloud, "k").await;
    let head = format!(
        "PUT {} HTTP/1.1\r\ncontent-type: text/plain\r\ncontent-length: 12",
        path(&cloud, &presigned)
    );
    assert_eq!(send(&cloud, &head, "twelve bytes and more").await.0, 200);
    assert_eq!(
        get_object(&cloud.s3("operator"), "k").await.unwrap(),
        BODY.as_bytes()
    );
}

#[tokio::test]
async fn a_browser_may_send_from_anywhere_what_the_address_takes() {
    let cloud = Cloud::with(&media()).await;
    let presigned = presign(&cloud, "k").await;
    let path = path(&cloud, &presigned);
    let origin = "origin: https://app.example.com";
    let preflight = format!(
        "OPTIONS {path} HTTP/1.1\r\n{origin}\r\naccess-control-request-method: PUT\r\naccess-control-request-headers: content-type"
    );
    let (status, answer) = send(&cloud, &preflight, "").await;
    assert_eq!(status, 200, "{answer}");
    for header in [
        "allow-origin: *",
        "allow-methods: PUT",
        "allow-headers: content-type",
    ] {
        assert!(
            answer.contains(&format!("access-control-{header}\r\n")),
            "{answer}"
        );
    }
    let put = format!(
        "PUT {path} HTTP/1.1\r\n{origin}\r\ncontent-type: text/plain\r\ncontent-length: 12"
    );
    let (status, answer) = send(&cloud, &put, BODY).await;
    assert!(
        status == 200 && answer.contains("access-control-allow-origin: *\r\n"),
        "{answer}"
    );
    // A script reads a refusal as well.
    let (status, answer) = send(&cloud, &put.replace("plain", "html"), BODY).await;
    assert!(
        status == 403 && answer.contains("access-control-allow-origin: *\r\n"),
        "{answer}"
    );
}
