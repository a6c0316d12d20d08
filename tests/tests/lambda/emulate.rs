//! The functions as Lambda binaries under cargo-lambda behave as in the process of the stack.

use std::{os::unix::fs::PermissionsExt, path::PathBuf};

use local_stack::CargoLambda;
use serde_json::Value;
use tests::{PHOTO, Stack, StackOptions, TestSpace, form, large_photo, stack_test};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Returns the path of cargo-lambda, as `scripts/emulate --install-only` installs it, and that of the
/// binaries.
pub(crate) fn cargo_lambda() -> CargoLambda {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let program = root.join(".tools/cargo-lambda/bin/cargo-lambda");
    assert!(
        program.exists(),
        "cargo-lambda is missing: run scripts/emulate --install-only"
    );

    let binaries = crate::local_stack::program::program()
        .parent()
        .expect("a directory")
        .to_owned();

    CargoLambda { program, binaries }
}

/// Options of a stack that runs the functions under cargo-lambda.
fn emulated() -> StackOptions {
    StackOptions {
        cargo_lambda: Some(cargo_lambda()),
        ..StackOptions::default()
    }
}

#[stack_test(options = emulated(), undrained)]
async fn photo_is_uploaded_and_delivered_through_real_lambdas(stack: &Stack, acme: &TestSpace) {
    let record = acme.upload(PHOTO).await;
    let shown = acme
        .get_ok(&format!("/files/{}", record["id"].as_str().expect("an id")))
        .await;

    assert_eq!(shown, record);

    let delivered = stack
        .anonymous
        .fetch(record["url"].as_str().expect("an address"))
        .await;
    assert!(delivered.body == PHOTO);

    // The maximum event size of Lambda allows files of about 4.4 MB.
    let fits = large_photo(4_400_000);
    let record = acme
        .upload(fits.clone())
        .named("large.jpg", "image/jpeg")
        .await;
    let redirect = stack
        .anonymous
        .get(record["url"].as_str().expect("an address"))
        .await
        .expect_status(307);

    assert!(
        stack
            .anonymous
            .fetch(redirect.header("location"))
            .await
            .body
            == fits
    );

    let rejected = acme
        .upload_form(form(
            &acme.handle,
            "larger.jpg",
            "image/jpeg",
            large_photo(4_800_000),
        ))
        .await;
    assert!(
        rejected.json()["message"]
            .as_str()
            .is_some_and(|message| message.contains("/upload/presign"))
    );
    rejected.expect_error(413);

    crate::jobs::confirm_check::confirm_checks_run(stack, acme).await;
    // The clock of the processes cannot be advanced to the confirm-checks of pending files.
}

#[tokio::test]
async fn requests_in_readme_work_with_real_lambdas() {
    let program = cargo_lambda().program;
    let arguments = ["--cargo-lambda", program.to_str().expect("UTF-8")];
    crate::local_stack::readme::requests_work(&arguments).await;
}

/// Requests that a proxy could change: method, path, headers and body.
fn corpus(handle: &str) -> Vec<(&'static str, String, &'static str, &'static str)> {
    let json = "content-type: application/json\r\n";
    let paths = [
        "/api/v1/files/a%20b",
        "/api/v1/files/a%2Fb",
        "/api/v1/files/%C3%A9",
        "/api/v1/files/%ff",
        "/api/v1/files/a%3Fb",
        "/api/v1/files/%2e%2e",
        "/api/v1/files/../x",
        "/api/v1//files/x",
        "/api/v1/files/",
        "/api/v1/files/x?a=%00&b=%ff",
        "/api/v1/files/a+b",
        "/api/v1/files/a%25b",
        "/api/v2/files/x",
        "/",
        "/api/v1/spaces/x;y=z",
        "/api/v1/files/x?x=1?y=2",
    ];
    let mut corpus: Vec<_> = paths
        .iter()
        .map(|path| ("GET", (*path).to_owned(), "", ""))
        .collect();

    corpus.extend([
        ("POST", "/api/v1/spaces".to_owned(), json, "{"),
        ("POST", "/api/v1/spaces".to_owned(), json, "{\"name\": 1}"),
        (
            "POST",
            "/api/v1/spaces".to_owned(),
            json,
            "{\"name\": \"\u{e9}\u{0}\"}",
        ),
        (
            "POST",
            "/api/v1/spaces".to_owned(),
            "content-type: text/plain\r\n",
            "name",
        ),
        ("POST", "/api/v1/spaces".to_owned(), "", "name"),
        (
            "POST",
            "/api/v1/upload".to_owned(),
            "content-type: multipart/form-data; boundary=x\r\n",
            "--x\r\nbroken",
        ),
        ("PUT", "/api/v1/spaces/x".to_owned(), json, "{}"),
        (
            "OPTIONS",
            "/api/v1/upload".to_owned(),
            "origin: https://example.com\r\n",
            "",
        ),
        ("HEAD", "/api/v1/files/x".to_owned(), "", ""),
        (
            "GET",
            "/api/v1/files/x".to_owned(),
            "x-odd: a\r\nx-odd: b\r\ncookie: a=b\r\n",
            "",
        ),
        ("CDN", format!("/{handle}/../x"), "", ""),
        ("CDN", format!("/{handle}/%2e%2e/x"), "", ""),
        ("CDN", format!("/{handle}//x"), "", ""),
        ("CDN", format!("/{handle}/x%00"), "", ""),
        ("CDN", format!("/{handle}/%C3%A9?w=1"), "", ""),
        ("CDN", format!("/{handle}/a%3Fb"), "", ""),
    ]);

    corpus
}

/// A response of a function.
#[derive(Debug)]
struct RawResponse {
    request: String,
    status: u16,
    /// The JSON body, or null.
    body: Value,
}

async fn responses(stack: &Stack) -> Vec<RawResponse> {
    let acme = stack.space("Acme").await;
    let key = acme.client.key.as_deref().expect("a key");
    let origin = |url: &str| {
        url.trim_start_matches("http://")
            .split('/')
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let mut responses = Vec::new();
    for (method, path, headers, body) in corpus(&acme.handle) {
        let is_delivery = method == "CDN";
        let method = if is_delivery { "GET" } else { method };
        let address = if is_delivery {
            origin(stack.local.cdn_url())
        } else {
            origin(stack.local.api_url())
        };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {key}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(&address).await.expect("a connection");

        stream.write_all(request.as_bytes()).await.expect("sent");

        let mut response = Vec::new();
        stream.read_to_end(&mut response).await.expect("an answer");

        let response = String::from_utf8_lossy(&response).into_owned();
        let status = response
            .get(9..12)
            .and_then(|status| status.parse().ok())
            .unwrap_or_default();
        let body = response.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        // The lengths of chunks surround a chunked body.
        let body = body
            .find('{')
            .zip(body.rfind('}'))
            .and_then(|(from, to)| serde_json::from_str(&body[from..=to]).ok());

        responses.push(RawResponse {
            request: format!("{method} {path} {headers}"),
            status,
            body: body.unwrap_or(Value::Null),
        });
    }

    responses
}

#[tokio::test]
async fn unusual_requests_get_same_response_in_process_and_from_lambdas() {
    let here = Stack::start().await;
    let there = Stack::start_with(emulated()).await;
    let in_process = responses(&here).await;
    let by_lambdas = responses(&there).await;

    for (one, other) in in_process.iter().zip(&by_lambdas) {
        // Both stacks have the same seed, and so the same handles.
        assert_eq!(one.status, other.status, "{}", one.request);
        assert_eq!(one.body, other.body, "{}", one.request);
        assert!((200..500).contains(&one.status), "{one:?}");
    }

    here.stop().await;
    there.stop().await;
}

#[stack_test(options = emulated())]
async fn oversized_event_never_reaches_function(acme: &TestSpace) {
    let no_text = acme
        .request("POST", "/upload")
        .header("content-type", "application/json")
        .body(b"\xff".to_vec());

    acme.send(no_text).await.expect_error(400);

    let path = acme.path();
    acme.get_with(&path, &[("lambda-runtime-client-context", "{}")])
        .await
        .expect_ok();
    acme.get_ok(&path).await;
}

#[stack_test(options = emulated())]
async fn text_is_delivered_unchanged_in_any_encoding(stack: &Stack, acme: &TestSpace) {
    for (name, mime_type, bytes) in [
        (
            "mark.txt",
            "text/plain",
            &b"\xef\xbb\xbfa byte order mark"[..],
        ),
        ("latin-1.txt", "text/plain", b"caf\xe9 au lait"),
        ("utf-8.txt", "text/plain", "caf\u{e9}".as_bytes()),
        ("mark.json", "application/json", b"\xef\xbb\xbf{}"),
        (
            "mark.svg",
            "image/svg+xml",
            b"\xef\xbb\xbf<svg xmlns='http://www.w3.org/2000/svg'/>",
        ),
    ] {
        let record = acme.upload(bytes).named(name, mime_type).await;
        let url = record["url"].as_str().expect("an address");
        let whole = stack.anonymous.fetch(url).await;

        assert_eq!(
            whole.body.escape_ascii().to_string(),
            bytes.escape_ascii().to_string(),
            "{name}"
        );

        // A range of each file that starts or ends within a character.
        for (first, last) in [(0, 0), (1, 2), (4, 4)]
            .into_iter()
            .filter(|(_, last)| *last < bytes.len())
        {
            let range = format!("bytes={first}-{last}");
            let part = stack
                .anonymous
                .get_with(url, &[("range", &range)])
                .await
                .expect_status(206);

            assert_eq!(
                part.body.escape_ascii().to_string(),
                bytes[first..=last].escape_ascii().to_string(),
                "{name}"
            );
        }
    }
}

#[tokio::test]
async fn cargo_lambda_failure_names_its_cause() {
    let directory = tempfile::TempDir::new().expect("a temporary directory");
    let program = directory.path().join("cargo-lambda");

    std::fs::write(
        &program,
        "#!/bin/sh\necho 'no such subcommand: lambda' >&2\nexit 101\n",
    )
    .expect("written");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).expect("ours");

    let cargo_lambda = Some(CargoLambda {
        program,
        ..cargo_lambda()
    });
    let options = StackOptions {
        cargo_lambda,
        ..StackOptions::default()
    };
    let error = Stack::start_in(directory.into(), options)
        .await
        .err()
        .expect("it does not start")
        .to_string();

    assert!(
        error.contains("101") && error.contains("no such subcommand: lambda"),
        "{error}"
    );
}
