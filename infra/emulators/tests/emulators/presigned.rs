//! Presigned URLs.

use std::time::{Duration, UNIX_EPOCH};

use aws_sdk_s3::presigning::{PresignedRequest, PresigningConfig};
use emulators::AsyncClock;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::support::{Emulation, ObjectFiles, get_object, media, put_object};

/// Validity of the URLs, in seconds.
const VALIDITY_SECONDS: u64 = 60;
/// The body that the URLs accept.
const BODY: &str = "twelve bytes";

/// Returns a URL that accepts twelve bytes of plain text.
async fn presign(emulation: &Emulation, key: &str) -> PresignedRequest {
    let client = emulation.s3("unrestricted");
    let put = client.put_object().bucket("media").key(key);
    let now = UNIX_EPOCH + Duration::from_millis(emulation.clock.now_ms().unsigned_abs());
    let expiry = PresigningConfig::builder()
        .start_time(now)
        .expires_in(Duration::from_secs(VALIDITY_SECONDS));

    put.content_type("text/plain")
        .content_length(12)
        .presigned(expiry.build().unwrap())
        .await
        .unwrap()
}

#[derive(Debug)]
pub(crate) struct RawResponse {
    pub(crate) status: u16,
    /// Status line, headers and body.
    pub(crate) text: String,
}

/// Sends a raw request and returns the response.
pub(crate) async fn send(emulation: &Emulation, head: &str, body: &str) -> RawResponse {
    let mut stream = begin(emulation, head, body).await;
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    RawResponse {
        status: text[9..12].parse().unwrap(),
        text,
    }
}

async fn begin(emulation: &Emulation, head: &str, body: &str) -> TcpStream {
    let authority = emulation
        .emulators
        .s3_url()
        .strip_prefix("http://")
        .unwrap();
    let mut stream = TcpStream::connect(authority).await.unwrap();
    let request = format!("{head}\r\nhost: {authority}\r\nconnection: close\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

fn upload_head(path: &str) -> String {
    format!("PUT {path} HTTP/1.1\r\n{CONTENT_TYPE}\r\n{LENGTH}")
}

fn path<'a>(emulation: &Emulation, presigned: &'a PresignedRequest) -> &'a str {
    presigned
        .uri()
        .strip_prefix(emulation.emulators.s3_url())
        .unwrap()
}

#[tokio::test]
async fn presigned_url_accepts_its_upload_until_expiry() {
    let emulation = Emulation::with(&media()).await;
    let presigned = presign(&emulation, "k").await;

    assert!(
        presigned
            .uri()
            .contains("X-Amz-SignedHeaders=content-length%3Bcontent-type%3Bhost&"),
        "{presigned:?}"
    );

    let head = upload_head(path(&emulation, &presigned));

    for body in [BODY, "other bytes!"] {
        assert_eq!(send(&emulation, &head, body).await.status, 200);
        assert_eq!(
            get_object(&emulation.s3("unrestricted"), "k")
                .await
                .unwrap(),
            body.as_bytes()
        );
    }

    emulation.clock.advance(VALIDITY_SECONDS + 1);

    let response = send(&emulation, &head, BODY).await;
    assert!(
        response.status == 403 && response.text.contains("Request has expired"),
        "{response:?}"
    );
    assert_eq!(
        get_object(&emulation.s3("unrestricted"), "k")
            .await
            .unwrap(),
        b"other bytes!"
    );
}

const LENGTH: &str = "content-length: 12";
const CONTENT_TYPE: &str = "content-type: text/plain";
const CHUNKED: &str = "transfer-encoding: chunked";
const CHUNKED_BODY: &str = "c\r\ntwelve bytes\r\n0\r\n\r\n";

/// Headers and bodies of requests that differ from the one that the URL permits.
const INVALID_UPLOADS: [(&[&str], &str); 12] = [
    (&[CONTENT_TYPE, "content-length: 11"], "eleven byte"),
    (&[CONTENT_TYPE, "content-length: 13"], "twelve bytes!"),
    (&[CONTENT_TYPE, "content-length: 0"], ""),
    (&["content-type: text/html", LENGTH], BODY),
    (&[LENGTH], BODY),
    (&["content-type: text/plain; charset=utf-8", LENGTH], BODY),
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

/// Sends an upload and checks that it is rejected and stores nothing.
async fn expect_rejection(emulation: &Emulation, path: &str, headers: &[&str], body: &str) {
    let head = format!("PUT {path} HTTP/1.1\r\n{}", headers.join("\r\n"));
    let response = send(emulation, &head, body).await;

    let is_rejected = (400..500).contains(&response.status)
        || response.text.contains("<Code>NotImplemented</Code>");
    assert!(is_rejected, "{head}: {response:?}");
    for key in ["k", "l"] {
        let object = get_object(&emulation.s3("unrestricted"), key).await;
        assert_eq!(object, Err("NoSuchKey".to_owned()), "{head}");
    }
    assert_eq!(emulation.object_files(), ObjectFiles::finished(1));
}

#[tokio::test]
async fn presigned_url_rejects_other_requests() {
    let emulation = Emulation::with(&media()).await;
    let presigned = presign(&emulation, "k").await;
    let path = path(&emulation, &presigned);
    put_object(&emulation.s3("unrestricted"), "existing", "before")
        .await
        .unwrap();

    for (headers, body) in INVALID_UPLOADS {
        expect_rejection(&emulation, path, headers, body).await;
    }

    for changed_path in [
        path.replacen("/k?", "/l?", 1),
        path.replace("X-Amz-Expires=60", "X-Amz-Expires=600"),
        format!("{path}&x-amz-meta-a=b"),
    ] {
        expect_rejection(&emulation, &changed_path, &[CONTENT_TYPE, LENGTH], BODY).await;
    }
}

#[tokio::test]
async fn presigned_url_of_put_rejects_other_methods() {
    let emulation = Emulation::with(&media()).await;
    let presigned = presign(&emulation, "k").await;
    let path = path(&emulation, &presigned);
    for method in ["GET", "DELETE", "HEAD"] {
        let head = format!("{method} {path} HTTP/1.1\r\n{CONTENT_TYPE}");
        let response = send(&emulation, &head, "").await;
        assert_eq!(response.status, 403, "{method}: {response:?}");
    }
}

#[tokio::test]
async fn truncated_body_stores_nothing() {
    let emulation = Emulation::with(&media()).await;
    let presigned = presign(&emulation, "k").await;
    let head = upload_head(path(&emulation, &presigned));
    let mut stream = begin(&emulation, &head, "twelve").await;
    stream.shutdown().await.unwrap();

    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert!(
        text.is_empty() || text.starts_with("HTTP/1.1 400"),
        "{text}"
    );
    assert_eq!(
        get_object(&emulation.s3("unrestricted"), "k").await,
        Err("NoSuchKey".to_owned())
    );
}

#[tokio::test]
async fn browser_of_any_origin_can_use_presigned_url() {
    let emulation = Emulation::with(&media()).await;
    let presigned = presign(&emulation, "k").await;
    let path = path(&emulation, &presigned);
    let origin = "origin: https://app.example.com";
    let preflight = format!(
        "OPTIONS {path} HTTP/1.1\r\n{origin}\r\naccess-control-request-method: PUT\r\naccess-control-request-headers: content-type"
    );
    let response = send(&emulation, &preflight, "").await;

    assert_eq!(response.status, 200, "{response:?}");
    for header in [
        "allow-origin: *",
        "allow-methods: PUT",
        "allow-headers: content-type",
    ] {
        assert!(
            response
                .text
                .contains(&format!("access-control-{header}\r\n")),
            "{response:?}"
        );
    }

    let put = format!("{}\r\n{origin}", upload_head(path));
    let response = send(&emulation, &put, BODY).await;

    assert!(
        response.status == 200 && response.text.contains("access-control-allow-origin: *\r\n"),
        "{response:?}"
    );

    // An error response has CORS headers too.
    let response = send(&emulation, &put.replace("plain", "html"), BODY).await;
    assert!(
        response.status == 403 && response.text.contains("access-control-allow-origin: *\r\n"),
        "{response:?}"
    );
}
