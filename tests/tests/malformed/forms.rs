//! Forms with invalid fields, files or parts.

use serde_json::json;
use tests::{Client, PHOTO, Response, Stack, TestSpace, UNKNOWN_ID, stack_test};

use super::assert_rejected;

const BOUNDARY: &str = "frontier";
pub(crate) const CONTENT_TYPE: &str = "multipart/form-data; boundary=frontier";

/// Returns a part with these headers.
fn part(headers: &str, content: impl AsRef<[u8]>) -> Vec<u8> {
    [
        format!("--{BOUNDARY}\r\n{headers}\r\n\r\n").as_bytes(),
        content.as_ref(),
        b"\r\n",
    ]
    .concat()
}

pub(crate) fn text(name: &str, value: impl AsRef<[u8]>) -> Vec<u8> {
    part(
        &format!("content-disposition: form-data; name=\"{name}\""),
        value,
    )
}

/// Returns the part of a JPEG.
pub(crate) fn file(name: &[u8], bytes: &[u8]) -> Vec<u8> {
    let before: &[u8] = b"--frontier\r\ncontent-disposition: form-data; name=\"file\"; filename=\"";
    let after = b"\"\r\ncontent-type: image/jpeg\r\n\r\n";
    [before, name, after, bytes, b"\r\n"].concat()
}

fn photo() -> Vec<u8> {
    file(b"a.jpg", PHOTO)
}

pub(crate) fn form(parts: &[Vec<u8>]) -> Vec<u8> {
    [parts.concat(), format!("--{BOUNDARY}--\r\n").into_bytes()].concat()
}

async fn send_as(client: &Client, content_type: &str, body: Vec<u8>) -> Response {
    let request = client.request("POST", "/upload");
    let request = request.header("content-type", content_type);
    client.send(request.body(body)).await
}

async fn send(client: &Client, body: Vec<u8>) -> Response {
    send_as(client, CONTENT_TYPE, body).await
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

#[stack_test]
async fn invalid_text_part_returns_422_and_undecodable_one_400(stack: &Stack, acme: &TestSpace) {
    let space = || text("space", &acme.handle);
    let with = |name: &str, value: &[u8]| {
        let named = if name == "space" { Vec::new() } else { space() };
        form(&[named, text(name, value), photo()])
    };
    let errors_of = async |name: &str, value: &str| {
        let response = send(acme, with(name, value.as_bytes())).await;
        let errors = response.with_context(name).expect_error(422);
        errors[name].clone()
    };
    let long = "x".repeat(60_000);
    let before = stack.dump().await;

    for name in ["space", "upload_config", "folder_id"] {
        for value in INVALID_VALUES.into_iter().chain([&*long]) {
            let errors = errors_of(name, value).await;
            assert!(errors.is_array(), "{name} {value:.100}");
        }
        for unreadable in [&b"\xFF"[..], b"\xC0\xAF", b"\xED\xA0\x80", b"a\xE2\x82"] {
            let response = send(acme, with(name, unreadable)).await;
            assert_eq!(response.expect_error(400), json!({}), "{name}");
        }
        let too_large = send(acme, with(name, &b"x".repeat((64 << 10) + 1))).await;
        assert_eq!(too_large.expect_error(413), json!({}), "{name}");

        let twice = form(&[space(), text(name, "a"), text(name, "a"), photo()]);
        let errors = send(acme, twice).await.expect_error(422);
        let message = format!(
            "The {} field must appear only once.",
            name.replace('_', " ")
        );
        assert_eq!(errors[name][0], message);
    }

    let [long, long_emoji] = ["x", "🚀"].map(|character| character.repeat(256));
    for reference in ["a\u{0}b", "a\nb", "\u{1B}[31m", &long, &long_emoji] {
        assert!(errors_of("ref", reference).await.is_array(), "{reference}");
    }
    for blank in ["", " ", "\t", "\u{A0}\u{3000}"] {
        let errors = errors_of("space", blank).await;
        assert_eq!(errors, json!(["The space field is required."]));
    }
    stack.assert_unchanged(&before, "invalid fields").await;

    for reference in ["\u{e9}", "🚀", "\u{202E}", "' OR 1=1", &"🚀".repeat(255)] {
        let response = send(acme, with("ref", reference.as_bytes())).await;
        assert_eq!(response.expect_created()["ref"], reference);
    }
}

#[stack_test]
async fn control_characters_in_file_name_are_removed(stack: &Stack, acme: &TestSpace) {
    let mut controls: Vec<u8> = (0..b' ').chain([0x7F]).collect();
    controls.retain(|byte| !b"\r\n".contains(byte));

    for removed in [&controls[..], b"\n", b"\r", b"\r\r", b"\n\r", b"\0\n"] {
        let file = file(&[b"a", removed, b"b.jpg"].concat(), PHOTO);
        let form = form(&[text("space", &acme.handle), file]);

        let stored = send(acme, form).await.expect_created();

        let case = removed.escape_ascii();
        assert_eq!(stored["original_name"], "ab.jpg", "{case}");
        let delivered = stack.anonymous.fetch(&tests::text(&stored["url"])).await;
        assert!(delivered.body == PHOTO);
    }
}

#[stack_test]
async fn encoded_form_returns_415(stack: &Stack, acme: &TestSpace) {
    let before = stack.dump().await;
    let body = form(&[text("space", &acme.handle), photo()]);
    let request = acme.request("POST", "/upload").body(body);
    let request = request.header("content-type", CONTENT_TYPE);
    let request = request.header("content-encoding", "gzip");

    acme.send(request).await.expect_error(415);

    stack.assert_unchanged(&before, "an encoded form").await;
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

/// Returns parts of an upload in a space that are malformed, with their descriptions.
fn malformed_parts() -> Vec<(&'static str, Vec<u8>)> {
    let file_as = |disposition: &str, kind: &str, bytes: &[u8]| {
        let disposition = format!("content-disposition: form-data; {disposition}");
        part(&format!("{disposition}\r\ncontent-type: {kind}"), bytes)
    };
    let photo_as = |disposition: &str| file_as(disposition, "image/jpeg", PHOTO);
    let nested = file_as(
        "name=\"files\"",
        "multipart/mixed; boundary=inner",
        b"--inner--",
    );
    let no_image = file_as("name=\"file\"; filename=\"a.jpg\"", "image/png", b"text");
    let executable = photo_as("name=\"files[]\"; filename=\"a.php\u{202E}gpj\"");
    let before_photo = |headers: &str| [part(headers, "x"), photo()].concat();
    let long_header = format!("x-long: {}", "x".repeat(17 << 10));

    vec![
        ("no file", Vec::new()),
        (
            "an unknown field",
            photo_as("name=\"other\"; filename=\"a.jpg\""),
        ),
        ("a file without a file name", text("file", "x")),
        (
            "files without file names",
            [text("files", "x"), text("files[0]", "y")].concat(),
        ),
        ("two files", photo().repeat(2)),
        ("nested parts", nested),
        ("an undetectable type", no_image),
        (
            "an invalid index",
            photo_as("name=\"files[x]\"; filename=\"a.jpg\""),
        ),
        ("an executable", executable),
        ("many parts", [text("x", "y").repeat(64), photo()].concat()),
        ("no name", before_photo("content-disposition: form-data")),
        ("no disposition", before_photo("x-other: y")),
        ("no headers", before_photo("")),
        ("a broken header", before_photo("content-disposition")),
        (
            "headers of more than 16 KB in a later part",
            before_photo(&long_header),
        ),
        (
            "NUL in a header",
            before_photo("content-disposition: form-data; name=\"\0\""),
        ),
    ]
}

#[stack_test]
async fn malformed_part_rejects_form(stack: &Stack, acme: &TestSpace) {
    let space = || text("space", &acme.handle);
    let mut forms = vec![
        ("empty", Vec::new()),
        ("no form", b"{\"space\": \"x\"}".to_vec()),
        ("no parts", form(&[])),
        ("no end", [space(), photo()].concat()),
    ];
    let malformed = malformed_parts().into_iter();
    forms.extend(malformed.map(|(description, part)| (description, form(&[space(), part]))));
    let before = stack.dump().await;

    for (description, body) in forms {
        assert_rejected(send(acme, body).await, description);
    }
    for content_type in MISMATCHED_CONTENT_TYPES {
        let response = send_as(acme, content_type, form(&[space(), photo()])).await;
        assert_rejected(response, content_type);
    }

    stack.assert_unchanged(&before, "malformed forms").await;
}
