//! Raw multipart forms: file names, and invalid fields, files and parts.

use serde_json::json;
use tests::{
    Client, PHOTO, RawConnection, Response, Stack, TestSpace, UNKNOWN_ID, field_error, large_photo,
    stack_test,
};

use super::assert_rejected;

const BOUNDARY: &str = "frontier";
const CONTENT_TYPE: &str = "multipart/form-data; boundary=frontier";

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

/// Returns the part of a JPEG. HTTP clients encode file names; this part contains them unchanged.
fn file(name: &[u8], bytes: &[u8]) -> Vec<u8> {
    let before: &[u8] = b"--frontier\r\ncontent-disposition: form-data; name=\"file\"; filename=\"";
    let after = b"\"\r\ncontent-type: image/jpeg\r\n\r\n";
    [before, name, after, bytes, b"\r\n"].concat()
}

fn photo() -> Vec<u8> {
    file(b"a.jpg", PHOTO)
}

fn form(parts: &[Vec<u8>]) -> Vec<u8> {
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
        let once = field_error(name, "must appear only once");
        assert_eq!(errors[name][0], once[name][0]);
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
async fn file_names_are_sanitized(stack: &Stack, acme: &TestSpace) {
    let mut controls: Vec<u8> = (0..b' ').chain([0x7F]).collect();
    controls.retain(|byte| !b"\r\n".contains(byte));
    let with_controls = [&controls[..], b"\n", b"\r", b"\r\r", b"\n\r", b"\0\n"];
    let without = with_controls.map(|controls| ([b"a", controls, b"b.jpg"].concat(), "ab.jpg"));
    let longest = "é".repeat(255);
    let too_long = "é".repeat(300);
    let others = [
        (&b"C:\\photos\\me.jpg"[..], "me.jpg"),
        (b"../../etc/passwd.jpg", "passwd.jpg"),
        ("gpj\u{202E}.jpg".as_bytes(), "gpj.jpg"),
        (b"caf\xE9.jpg", "caf\u{FFFD}.jpg"),
        (too_long.as_bytes(), &longest),
    ];
    let others = others.map(|(name, stored)| (name.to_vec(), stored));

    for (name, stored) in without.into_iter().chain(others) {
        let form = form(&[text("space", &acme.handle), file(&name, PHOTO)]);
        let uploaded = send(acme, form).await.expect_created();

        let case = name.escape_ascii();
        assert_eq!(uploaded["original_name"], stored, "{case}");
        let url = tests::text(&uploaded["url"]);
        stack.anonymous.fetch(&url).await.expect_body(PHOTO);
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

#[stack_test]
async fn boundary_with_characters_that_require_quotes_is_read_without_them(acme: &TestSpace) {
    let file = part(
        "content-disposition: form-data; name=\"file\"; filename=\"a.txt\"",
        b"text",
    );
    let body = String::from_utf8(form(&[text("space", &acme.handle), file])).expect("UTF-8");

    for boundary in ["===============123==", "a/b:c(d)?,e"] {
        let body = body.replace(BOUNDARY, boundary).into_bytes();
        for content_type in [
            format!("multipart/form-data; boundary={boundary}"),
            format!("Multipart/Form-Data; charset=utf-8; Boundary={boundary}"),
            format!("multipart/form-data; boundary=\"{boundary}\""),
        ] {
            let response = send_as(acme, &content_type, body.clone()).await;
            response.with_context(&content_type).expect_created();
        }
    }
}

/// Content types that do not match the body of a form, and the status.
const MISMATCHED_CONTENT_TYPES: [(&str, u16); 10] = [
    ("multipart/form-data", 400),
    ("multipart/form-data; boundary=", 400),
    ("multipart/form-data; boundary=\"\"", 400),
    ("multipart/form-data; boundary={}", 400),
    ("multipart/form-data; boundary=other", 400),
    ("multipart/mixed; boundary=frontier", 415),
    ("application/x-www-form-urlencoded", 415),
    ("application/json", 415),
    ("frontier", 415),
    ("", 415),
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
    let whole = form(&[space(), photo()]);
    for (content_type, status) in MISMATCHED_CONTENT_TYPES {
        let response = send_as(acme, content_type, whole.clone()).await;
        assert_rejected(response.expect_status(status), content_type);
    }
    let untyped = acme.request("POST", "/upload").body(whole.clone());
    acme.send(untyped).await.expect_error(415);
    for cut in [10, 60, 150, whole.len() / 2, whole.len() - 5] {
        let truncated = send(acme, whole[..cut].to_vec()).await;
        truncated.expect_error(400);
    }
    let many = form(&[text("x", "y").repeat(70), photo()]);
    send(acme, many).await.expect_error(400);

    stack.assert_unchanged(&before, "malformed forms").await;
}

/// Sends the head of an upload with a body of this length, and returns the response before the
/// body.
async fn send_head(stack: &Stack, key: &str, length: usize) -> Response {
    let head = format!(
        "POST /api/v1/upload HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\r\ncontent-type: {CONTENT_TYPE}\r\n\
         content-length: {length}\r\n\r\n"
    );
    let response = RawConnection::request(stack.local.api_url(), head).await;
    response.expect("a response before the body")
}

#[stack_test]
async fn large_and_unauthenticated_bodies_are_not_awaited(stack: &Stack, acme: &TestSpace) {
    let key = acme.client.key.as_deref().expect("a key");

    let too_large = send_head(stack, key, 600 << 20).await;
    too_large.expect_message("/upload/presign");
    too_large.expect_error(413);
    send_head(stack, "x", 1_000_000).await.expect_error(401);
}

#[stack_test]
async fn part_headers_and_preamble_are_bounded(acme: &TestSpace) {
    let whole = |name: &[u8], bytes: &[u8]| form(&[text("space", &acme.handle), file(name, bytes)]);
    let preamble =
        |length: usize| [&vec![b'x'; length][..], b"\r\n", &whole(b"a.jpg", PHOTO)].concat();

    for body in [preamble(10_000), whole(&[b'x'; 10_000], PHOTO)] {
        send(acme, body).await.expect_created();
    }

    let other = "multipart/form-data; boundary=other";
    for (content_type, body) in [
        (other, whole(b"a.jpg", &large_photo(30 << 20))),
        (CONTENT_TYPE, preamble(200_000)),
        (CONTENT_TYPE, whole(&vec![b'x'; 200_000], PHOTO)),
    ] {
        let response = send_as(acme, content_type, body).await;
        response.expect_message("more than 16 kilobytes");
        response.expect_error(400);
    }
}
