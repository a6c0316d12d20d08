//! Presigned URLs.

use std::time::{Duration, UNIX_EPOCH};

use aws_sdk_s3::presigning::PresigningConfig;
use emulators::AsyncClock;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::support::{Emulation, ObjectFiles};

/// Validity of the URLs, in seconds.
const VALIDITY_SECONDS: u64 = 60;
/// The body that the URLs accept.
const BODY: &str = "twelve bytes";

const LENGTH: &str = "content-length: 12";
const CONTENT_TYPE: &str = "content-type: text/plain";
const CHUNKED: &str = "transfer-encoding: chunked";
const CHUNKED_BODY: &str = "c\r\ntwelve bytes\r\n0\r\n\r\n";

/// Returns the path of a URL that accepts twelve bytes of plain text as the object `k`.
async fn presign(emulation: &Emulation) -> String {
    let now = UNIX_EPOCH + Duration::from_millis(emulation.clock.now_ms().unsigned_abs());
    let expiry = PresigningConfig::builder()
        .start_time(now)
        .expires_in(Duration::from_secs(VALIDITY_SECONDS));
    let client = emulation.s3("unrestricted");
    let put = client.put_object().bucket("media").key("k");
    let put = put.content_type("text/plain").content_length(12);

    let presigned = put.presigned(expiry.build().unwrap()).await.unwrap();
    path_of(emulation, presigned.uri())
}

pub(crate) fn path_of(emulation: &Emulation, url: &str) -> String {
    let path = url.strip_prefix(emulation.emulators.s3_url());
    path.unwrap().to_owned()
}

/// Sends a raw request: a request line with headers, and a body. Returns the raw response.
pub(crate) async fn send(emulation: &Emulation, head: &str, body: &str) -> String {
    read_response(begin(emulation, head, body).await).await
}

async fn begin(emulation: &Emulation, head: &str, body: &str) -> TcpStream {
    let url = emulation.emulators.s3_url();
    let authority = url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(authority).await.unwrap();
    let request = format!("{head}\r\nhost: {authority}\r\nconnection: close\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

async fn read_response(mut stream: TcpStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    text
}

fn upload_head(path: &str) -> String {
    format!("PUT {path} HTTP/1.1\r\n{CONTENT_TYPE}\r\n{LENGTH}")
}

/// Headers and bodies that the URL does not permit, apart from those that the tests of
/// `POST /upload/confirm/:fileId` send.
const INVALID_UPLOADS: [(&[&str], &str); 6] = [
    (&[CONTENT_TYPE], BODY),
    (&[CONTENT_TYPE, CHUNKED], CHUNKED_BODY),
    (&[CONTENT_TYPE, LENGTH, CHUNKED], CHUNKED_BODY),
    (
        &[CONTENT_TYPE, LENGTH, "content-length: 13"],
        "twelve bytes!",
    ),
    (
        &[
            CONTENT_TYPE,
            LENGTH,
            "content-encoding: aws-chunked",
            "x-amz-decoded-content-length: 3",
            "x-amz-content-sha256: STREAMING-UNSIGNED-PAYLOAD-TRAILER",
        ],
        "3\r\nabc\r\n0\r\n\r\n",
    ),
    (
        &[CONTENT_TYPE, LENGTH, "x-amz-copy-source: media/existing"],
        BODY,
    ),
];

#[tokio::test]
async fn presigned_url_accepts_only_its_upload_until_expiry() {
    let emulation = Emulation::start().await;
    emulation.put_object("existing", "before").await.unwrap();
    let path = presign(&emulation).await;
    let absent = Err("NoSuchKey".to_owned());

    for (headers, body) in INVALID_UPLOADS {
        let head = format!("PUT {path} HTTP/1.1\r\n{}", headers.join("\r\n"));
        let response = send(&emulation, &head, body).await;
        let is_rejected =
            response.starts_with("HTTP/1.1 4") || response.contains("<Code>NotImplemented</Code>");
        assert!(is_rejected, "{head}: {response}");
        assert_eq!(emulation.get_object("k").await, absent, "{head}");
        assert_eq!(emulation.object_files(), ObjectFiles::finished(1));
    }

    let head = upload_head(&path);
    let mut truncated = begin(&emulation, &head, "twelve").await;
    truncated.shutdown().await.unwrap();
    let response = read_response(truncated).await;
    let is_rejected = response.is_empty() || response.starts_with("HTTP/1.1 400");
    assert!(is_rejected, "{response}");
    assert_eq!(emulation.get_object("k").await, absent);

    for method in ["GET", "DELETE", "HEAD"] {
        let head = format!("{method} {path} HTTP/1.1\r\n{CONTENT_TYPE}");
        let response = send(&emulation, &head, "").await;
        assert!(response.starts_with("HTTP/1.1 403"), "{method}: {response}");
    }

    let accepted = send(&emulation, &head, BODY).await;
    assert!(accepted.starts_with("HTTP/1.1 200"), "{accepted}");
    let stored = emulation.get_object("k").await.unwrap();
    assert_eq!(stored, BODY.as_bytes());

    emulation.clock.advance(VALIDITY_SECONDS + 1);
    let expired = send(&emulation, &head, BODY).await;
    assert!(expired.starts_with("HTTP/1.1 403"), "{expired}");
    assert!(expired.contains("Request has expired"), "{expired}");
}

#[tokio::test]
async fn browser_of_any_origin_can_use_presigned_url() {
    let emulation = Emulation::start().await;
    let path = presign(&emulation).await;
    let origin = "origin: https://app.example.com";
    let preflight = format!(
        "OPTIONS {path} HTTP/1.1\r\n{origin}\r\naccess-control-request-method: PUT\r\naccess-control-request-headers: content-type"
    );
    let put = format!("{}\r\n{origin}", upload_head(&path));
    // An error response has CORS headers too.
    let invalid = put.replace("plain", "html");

    for (head, body, status, headers) in [
        (
            preflight,
            "",
            200,
            &["origin: *", "methods: PUT", "headers: content-type"][..],
        ),
        (put, BODY, 200, &["origin: *"]),
        (invalid, BODY, 403, &["origin: *"]),
    ] {
        let response = send(&emulation, &head, body).await;

        let start = format!("HTTP/1.1 {status} ");
        assert!(response.starts_with(&start), "{response}");
        for header in headers {
            let line = format!("\r\naccess-control-allow-{header}\r\n");
            assert!(response.contains(&line), "{header}: {response}");
        }
    }
}
