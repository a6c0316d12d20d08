//! Forms with invalid fields, files or parts.

use serde_json::json;
use tests::{Client, PHOTO, Response, Stack, StackOptions, UNKNOWN_ID, stack_test};

use super::assert_rejected;
use crate::routes::fixture::RouteFixture;

const BOUNDARY: &str = "frontier";

/// Returns a part with these headers.
fn part(headers: &str, content: impl AsRef<[u8]>) -> Vec<u8> {
    [
        format!("--{BOUNDARY}\r\n{headers}\r\n\r\n").as_bytes(),
        content.as_ref(),
        b"\r\n",
    ]
    .concat()
}

fn text(name: &str, value: impl AsRef<[u8]>) -> Vec<u8> {
    part(
        &format!("content-disposition: form-data; name=\"{name}\""),
        value,
    )
}

fn photo() -> Vec<u8> {
    let disposition = "content-disposition: form-data; name=\"file\"; filename=\"a.jpg\"";
    part(&format!("{disposition}\r\ncontent-type: image/jpeg"), PHOTO)
}

fn form(parts: &[Vec<u8>]) -> Vec<u8> {
    [parts.concat(), format!("--{BOUNDARY}--\r\n").into_bytes()].concat()
}

async fn send(client: &Client, body: Vec<u8>) -> Response {
    let kind = format!("multipart/form-data; boundary={BOUNDARY}");
    client
        .send(
            client
                .request("POST", "/upload")
                .header("content-type", kind)
                .body(body),
        )
        .await
}

/// Values that no field accepts.
const INVALID_VALUES: [&str; 12] = [
    "nope",
    "\u{0}",
    "a\u{0}b",
    "a\r\nb",
    "\u{202E}gpj",
    "🚀",
    "e\u{301}",
    "-1",
    "../..",
    "null",
    "{\"x\": 1}",
    UNKNOWN_ID,
];

async fn assert_invalid_references(client: &Client, space: &[u8]) {
    for value in [
        "a\u{0}b",
        "a\nb",
        "\u{1B}[31m",
        &"x".repeat(256),
        &"🚀".repeat(256),
    ] {
        let errors = send(client, form(&[space.to_vec(), text("ref", value), photo()]))
            .await
            .expect_error(422);
        assert!(errors["ref"].is_array(), "{errors}");
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn invalid_text_part_returns_422_and_undecodable_one_400(stack: &Stack) {
    let fixture = RouteFixture::new(stack, "Acme").await;
    let client = &fixture.tenant.client;
    let space = || text("space", &fixture.tenant.handle);
    let before = stack.dump().await;

    for name in ["space", "upload_config", "folder_id"] {
        let with = |value: &[u8]| {
            let named = if name == "space" { Vec::new() } else { space() };
            form(&[named, text(name, value), photo()])
        };
        let long = "x".repeat(60_000);

        for value in INVALID_VALUES.into_iter().chain([long.as_str()]) {
            let errors = send(client, with(value.as_bytes())).await.expect_error(422);
            assert!(errors[name].is_array(), "{name} {value:.100}: {errors}");
        }

        for unreadable in [&b"\xFF"[..], b"\xC0\xAF", b"\xED\xA0\x80", b"a\xE2\x82"] {
            assert_eq!(
                send(client, with(unreadable)).await.expect_error(400),
                json!({}),
                "{name}"
            );
        }

        assert_eq!(
            send(client, with(&vec![b'x'; (64 << 10) + 1]))
                .await
                .expect_error(413),
            json!({}),
            "{name}"
        );

        let twice = form(&[space(), text(name, "a"), text(name, "a"), photo()]);
        let errors = send(client, twice).await.expect_error(422);
        assert_eq!(
            errors[name][0],
            json!(format!(
                "The {} field must appear only once.",
                name.replace('_', " ")
            ))
        );
    }

    assert_invalid_references(client, &space()).await;

    for blank in ["", " ", "\t", "\u{A0}\u{3000}"] {
        let errors = send(client, form(&[text("space", blank), photo()]))
            .await
            .expect_error(422);
        assert_eq!(errors["space"], json!(["The space field is required."]));
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "forms with invalid fields");

    for reference in ["\u{e9}", "🚀", "\u{202E}", "' OR 1=1", &"🚀".repeat(255)] {
        let uploaded = send(client, form(&[space(), text("ref", reference), photo()]))
            .await
            .expect_created();
        assert_eq!(uploaded["ref"], json!(reference));
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn control_characters_in_file_name_are_removed(stack: &Stack) {
    let fixture = RouteFixture::new(stack, "Acme").await;
    let client = &fixture.tenant.client;
    let controls: Vec<u8> = (0..b' ')
        .chain([0x7F])
        .filter(|byte| *byte != b'\r' && *byte != b'\n')
        .collect();

    for removed in [&controls[..], b"\n", b"\r", b"\r\r", b"\n\r", b"\0\n"] {
        let lead = b"content-disposition: form-data; name=\"file\"; filename=\"a";
        let headers = [
            &lead[..],
            removed,
            b"b.jpg\"\r\ncontent-type: image/jpeg\r\n\r\n",
        ]
        .concat();
        let file = [
            format!("--{BOUNDARY}\r\n").as_bytes(),
            &headers,
            PHOTO,
            b"\r\n",
        ]
        .concat();

        let stored = send(client, form(&[text("space", &fixture.tenant.handle), file]))
            .await
            .expect_created();

        assert_eq!(
            stored["original_name"],
            "ab.jpg",
            "{}",
            removed.escape_ascii()
        );

        let delivered = stack
            .anonymous
            .fetch(stored["url"].as_str().expect("a URL"))
            .await;
        assert!(delivered.body == PHOTO);
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn encoded_form_returns_415(stack: &Stack) {
    let fixture = RouteFixture::new(stack, "Acme").await;
    let client = &fixture.tenant.client;
    let before = stack.dump().await;
    let body = form(&[text("space", &fixture.tenant.handle), photo()]);
    let kind = format!("multipart/form-data; boundary={BOUNDARY}");
    let request = client
        .request("POST", "/upload")
        .header("content-type", kind)
        .header("content-encoding", "gzip");

    let response = client.send(request.body(body)).await;

    response.expect_error(415);
    stack
        .dump()
        .await
        .assert_unchanged(&before, "an encoded form");
}

/// Content types that do not match the body of a form.
const MISMATCHED_CONTENT_TYPES: [&str; 9] = [
    "multipart/form-data",
    "multipart/form-data; boundary=",
    "multipart/form-data; boundary=\"\"",
    "multipart/form-data; boundary=other",
    "multipart/mixed; boundary=frontier",
    "application/x-www-form-urlencoded",
    "application/json",
    "frontier",
    "",
];

/// Returns malformed forms with their descriptions.
fn malformed_forms(handle: &str) -> Vec<(&'static str, Vec<u8>)> {
    let space = || text("space", handle);
    let file = |disposition: &str, kind: &str, bytes: &[u8]| {
        part(
            &format!("content-disposition: form-data; {disposition}\r\ncontent-type: {kind}"),
            bytes,
        )
    };
    let nested = "multipart/mixed; boundary=inner";

    let mut forms = malformed_heads(handle);
    forms.extend([
        ("no file", form(&[space()])),
        (
            "an unknown field",
            form(&[
                space(),
                file("name=\"other\"; filename=\"a.jpg\"", "image/jpeg", PHOTO),
            ]),
        ),
        (
            "a file without a file name",
            form(&[space(), text("file", "x")]),
        ),
        (
            "files without file names",
            form(&[space(), text("files", "x"), text("files[0]", "y")]),
        ),
        ("two files", form(&[space(), photo(), photo()])),
        (
            "nested parts",
            form(&[space(), file("name=\"files\"", nested, b"--inner--")]),
        ),
        (
            "an undetectable type",
            form(&[
                space(),
                file("name=\"file\"; filename=\"a.jpg\"", "image/png", b"text"),
            ]),
        ),
        (
            "an invalid index",
            form(&[
                space(),
                file("name=\"files[x]\"; filename=\"a.jpg\"", "image/jpeg", PHOTO),
            ]),
        ),
        (
            "an executable",
            form(&[
                space(),
                file(
                    "name=\"files[]\"; filename=\"a.php\u{202E}gpj\"",
                    "image/jpeg",
                    PHOTO,
                ),
            ]),
        ),
        (
            "many parts",
            form(&[vec![text("x", "y"); 64].concat(), space(), photo()]),
        ),
    ]);

    forms
}

/// Returns forms with missing or malformed boundaries and part headers.
fn malformed_heads(handle: &str) -> Vec<(&'static str, Vec<u8>)> {
    let space = || text("space", handle);

    vec![
        ("empty", Vec::new()),
        ("no form", b"{\"space\": \"x\"}".to_vec()),
        ("no parts", form(&[])),
        ("no end", [space(), photo()].concat()),
        (
            "no name",
            form(&[
                space(),
                part("content-disposition: form-data", "x"),
                photo(),
            ]),
        ),
        (
            "no disposition",
            form(&[space(), part("x-other: y", "x"), photo()]),
        ),
        ("no headers", form(&[space(), part("", "x"), photo()])),
        (
            "broken header",
            form(&[space(), part("content-disposition", "x"), photo()]),
        ),
        (
            "headers of more than 16 KB in a later part",
            form(&[
                space(),
                part(&format!("x-long: {}", "x".repeat(17 << 10)), "x"),
                photo(),
            ]),
        ),
        (
            "NUL in a header",
            form(&[
                space(),
                part("content-disposition: form-data; name=\"\0\"", "x"),
                photo(),
            ]),
        ),
    ]
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn malformed_part_rejects_form(stack: &Stack) {
    let fixture = RouteFixture::new(stack, "Acme").await;
    let client = &fixture.tenant.client;
    let space = || text("space", &fixture.tenant.handle);
    let before = stack.dump().await;

    for (description, body) in malformed_forms(&fixture.tenant.handle) {
        let response = send(client, body).await;
        assert_rejected(response, description);
    }

    for kind in MISMATCHED_CONTENT_TYPES {
        let request = client
            .request("POST", "/upload")
            .header("content-type", kind);
        assert_rejected(
            client.send(request.body(form(&[space(), photo()]))).await,
            kind,
        );
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "malformed forms");
}
