//! The functions as Lambda binaries under cargo-lambda behave as in the process of the stack.

use std::os::unix::fs::PermissionsExt;

use local_stack::CargoLambda;
use serde_json::{Value, json};
use tests::{
    PHOTO, RawConnection, Response, Stack, StackOptions, TestSpace, authority, large_photo,
    stack_test,
};

use crate::{
    jobs::confirm_check::confirm_checks_run,
    local_stack::{browser::script, program::program, readme::requests_work},
    support::external_programs::{self, root},
};

/// Returns the path of cargo-lambda, as `scripts/emulate --install-only` installs it, and that of
/// the binaries.
pub(crate) fn cargo_lambda() -> CargoLambda {
    let cargo_lambda = root().join(".tools/cargo-lambda/bin/cargo-lambda");
    assert!(
        cargo_lambda.exists(),
        "cargo-lambda is missing: run scripts/emulate --install-only"
    );

    CargoLambda {
        program: cargo_lambda,
        binaries: program().parent().expect("a directory").to_owned(),
    }
}

/// Returns the path of cargo-lambda as an argument of the program.
pub(crate) fn cargo_lambda_path() -> String {
    let path = cargo_lambda().program;
    path.to_str().expect("UTF-8").to_owned()
}

/// Options of a stack that runs the functions under cargo-lambda.
pub(crate) fn emulated() -> StackOptions {
    StackOptions {
        cargo_lambda: Some(cargo_lambda()),
        ..StackOptions::default()
    }
}

#[stack_test(options = emulated(), undrained)]
async fn photo_is_uploaded_and_delivered_through_real_lambdas(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    assert_eq!(acme.get_ok(file.path()).await, file);
    stack.anonymous.fetch(file.url()).await.expect_body(PHOTO);

    // The maximum event size of Lambda allows files of about 4.4 MB.
    let fits = large_photo(4_400_000);
    let file = acme.upload(fits.clone()).await;
    let location = stack.anonymous.redirect(file.url()).await;
    stack.anonymous.fetch(&location).await.expect_body(fits);

    let rejected = acme.upload(large_photo(4_800_000)).send().await;
    let message = rejected.json()["message"].to_string();
    assert!(message.contains("/upload/presign"), "{message}");
    rejected.expect_error(413);

    confirm_checks_run(stack, acme).await;
    // The clock of the processes cannot be advanced to the confirm-checks of pending files.
}

#[stack_test(options = emulated(), undrained)]
async fn avif_is_decoded_by_processes_of_real_lambdas(stack: &Stack, acme: &TestSpace) {
    const AVIF: &[u8] = include_bytes!("../../../shared/media/tests/avif/ten_bits.avif");
    let file = acme.upload(AVIF).named("a.avif", "image/avif").await;
    let small = stack.anonymous.fetch(&file.url_with("w=9&f=png")).await;
    small.expect_header("x-image-width", "9");

    let rules = json!({"transformations": {"upload_format": "webp"}});
    acme.upload_config("web")
        .with(json!({ "config": rules }))
        .await;
    let upload = acme.upload(AVIF).named("b.avif", "image/avif");
    let converted = upload.with_config("web").await;
    assert_eq!(converted["mime_type"], "image/webp");
    // Jobs of processing run later.
}

#[tokio::test]
async fn requests_in_readme_work_with_real_lambdas() {
    requests_work(&["--cargo-lambda", &cargo_lambda_path()]).await;
}

#[stack_test(multi_thread, options = emulated(), undrained)]
async fn dashboard_works_with_real_lambdas(stack: &Stack) {
    if let Some(mut command) = script("run-dashboard.mjs", stack) {
        external_programs::run(command.arg("walk")).await;
    }
}

/// Paths of the API that a proxy could change.
const API_PATHS: [&str; 16] = [
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
/// The same for the CDN, below a handle.
const CDN_PATHS: [&str; 6] = ["../x", "%2e%2e/x", "/x", "x%00", "%C3%A9?w=1", "a%3Fb"];
const JSON: &str = "content-type: application/json\r\n";
const TEXT: &str = "content-type: text/plain\r\n";
const FORM: &str = "content-type: multipart/form-data; boundary=x\r\n";
/// Other requests that a proxy could change: request line, headers and body.
const REQUESTS: [(&str, &str, &str); 10] = [
    ("POST /api/v1/spaces", JSON, "{"),
    ("POST /api/v1/spaces", JSON, "{\"name\": 1}"),
    ("POST /api/v1/spaces", JSON, "{\"name\": \"\u{e9}\u{0}\"}"),
    ("POST /api/v1/spaces", TEXT, "name"),
    ("POST /api/v1/spaces", "", "name"),
    ("POST /api/v1/upload", FORM, "--x\r\nbroken"),
    ("PUT /api/v1/spaces/x", JSON, "{}"),
    (
        "OPTIONS /api/v1/upload",
        "origin: https://example.com\r\n",
        "",
    ),
    ("HEAD /api/v1/files/x", "", ""),
    (
        "GET /api/v1/files/x",
        "x-odd: a\r\nx-odd: b\r\ncookie: a=b\r\n",
        "",
    ),
];

/// Sends all requests with a key.
async fn responses(stack: &Stack) -> Vec<Response> {
    let acme = stack.space("Acme").await;
    let key = acme.client.key.as_deref().expect("a key");
    let send = async |url: &str, line: &str, headers: &str, body: &str| {
        let host = authority(url);
        let length = body.len();
        let request = format!(
            "{line} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {key}\r\n{headers}content-length: {length}\r\n\
             connection: close\r\n\r\n{body}"
        );
        let response = RawConnection::request(url, request).await;
        response.unwrap_or_else(|| panic!("no response to {line}"))
    };

    let mut responses = vec![acme.head("/files/x").await];
    for path in API_PATHS {
        let line = format!("GET {path}");
        responses.push(send(stack.local.api_url(), &line, "", "").await);
    }
    for (line, headers, body) in REQUESTS {
        responses.push(send(stack.local.api_url(), line, headers, body).await);
    }
    for path in CDN_PATHS {
        let line = format!("GET /{}/{path}", acme.handle);
        responses.push(send(stack.local.cdn_url(), &line, "", "").await);
    }
    responses
}

/// Returns the JSON body of a response, or null.
fn json_of(response: &Response) -> Value {
    serde_json::from_slice(&response.body).unwrap_or_default()
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
        assert_eq!(json_of(one), json_of(other), "{}", one.request);
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
    let context = [("lambda-runtime-client-context", "{}")];
    acme.fetch_as(200, &path, &context).await;
    acme.get_ok(&path).await;
}

#[stack_test(options = emulated())]
async fn text_is_delivered_unchanged_in_any_encoding(stack: &Stack, acme: &TestSpace) {
    let svg = b"\xef\xbb\xbf<svg xmlns='http://www.w3.org/2000/svg'/>";
    let mark = b"\xef\xbb\xbfa byte order mark";
    for (name, mime_type, bytes) in [
        ("mark.txt", "text/plain", &mark[..]),
        ("latin-1.txt", "text/plain", b"caf\xe9 au lait"),
        ("utf-8.txt", "text/plain", "caf\u{e9}".as_bytes()),
        ("mark.json", "application/json", b"\xef\xbb\xbf{}"),
        ("mark.svg", "image/svg+xml", svg),
    ] {
        let file = acme.upload(bytes).named(name, mime_type).await;
        stack.anonymous.fetch(file.url()).await.expect_body(bytes);

        // A range of each file that starts or ends within a character.
        for (first, last) in [(0, 0), (1, 2), (4, 4)] {
            if let Some(part) = bytes.get(first..=last) {
                let range = format!("bytes={first}-{last}");
                let range = [("range", range.as_str())];
                let response = stack.anonymous.fetch_as(206, file.url(), &range).await;
                response.with_context(name).expect_body(part);
            }
        }
    }
}

#[tokio::test]
async fn cargo_lambda_failure_names_its_cause() {
    let directory = tempfile::TempDir::new().expect("a temporary directory");
    let program = directory.path().join("cargo-lambda");
    let script = "#!/bin/sh\necho 'no such subcommand: lambda' >&2\nexit 101\n";
    std::fs::write(&program, script).expect("written");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).expect("ours");

    let options = StackOptions {
        cargo_lambda: Some(CargoLambda {
            program,
            ..cargo_lambda()
        }),
        ..StackOptions::default()
    };
    let started = Stack::start_in(directory.into(), options).await;
    let error = started.err().expect("it does not start").to_string();

    assert!(error.contains("101"), "{error}");
    assert!(error.contains("no such subcommand: lambda"), "{error}");
}
