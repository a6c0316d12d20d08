//! Unsigned uploads: allowed referrers, and validation of the form.

use reqwest::multipart::Form;
use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, UNKNOWN_ID, file, stack_test};

use super::unsigned::{REFERRER, UnsignedConfig, form, photo};

/// Referrers, and whether the patterns of the test allow them.
const REFERRERS: [(&str, bool); 34] = [
    ("https://example.com/", true),
    ("https://example.com", true),
    ("http://example.com/page?x=1", true),
    ("https://EXAMPLE.com/", true),
    ("HTTPS://example.com/", true),
    ("https://example.com:8443/page", true),
    ("https://www.shop.example/", true),
    ("https://a.b.Shop.example/", true),
    ("https://xn--bcher-kva.example/", true),
    ("https://XN--BCHER-KVA.example:444/", true),
    ("http://intranet/", true),
    ("http://192.0.2.7:3000/", true),
    ("http://[2001:db8::7]/", true),
    ("https://www.example.com/", false),
    ("https://shop.example/", false),
    ("https://evilshop.example/", false),
    ("https://.shop.example/", false),
    ("https://example.com.evil.org/", false),
    ("https://evilexample.com/", false),
    ("https://example.com-evil.org/", false),
    ("https://evil.org/https://example.com/", false),
    ("https://evil.org?https://example.com/", false),
    ("https://evil.org#@example.com/", false),
    ("https://example.com@evil.org/", false),
    ("https://evil.org@example.com/", false),
    ("https://:@example.com/", false),
    ("https://evil.org\\@example.com/", false),
    ("https:\\\\example.com/", false),
    // A Cyrillic letter instead of a Latin one, in punycode and in UTF-8.
    ("https://xn--xample-2of.com/", false),
    ("https://\u{435}xample.com/", false),
    // Browsers send punycode.
    ("https://b\u{fc}cher.example/", false),
    ("ftp://example.com/", false),
    ("example.com", false),
    ("", false),
];

#[stack_test]
async fn unsigned_uploads_require_allowed_referrer(stack: &Stack, acme: &TestSpace) {
    let patterns = [
        "Example.com",
        "*.shop.example",
        "bücher.example",
        "intranet",
        "192.0.2.7",
        "[2001:db8::7]",
    ]
    .map(Value::from);

    let restrictions = json!({"allowed_referrers": patterns, "require_https": false});
    let unsigned = UnsignedConfig::new(
        stack,
        acme,
        "open",
        json!({"unsigned_restrictions": restrictions}),
    )
    .await;

    for (referrer, is_allowed) in REFERRERS {
        let response = unsigned
            .send_with(referrer.as_bytes(), &[], form(photo()))
            .await
            .with_context(referrer)
            .expect_status(if is_allowed { 201 } else { 403 });
        if !is_allowed {
            assert_eq!(response.expect_error(403), json!({}), "{referrer:?}");
        }
    }

    let absent = stack.anonymous.request("POST", &unsigned.path);
    stack
        .anonymous
        .send(absent.multipart(form(photo())))
        .await
        .expect_error(403);

    let origin = stack
        .anonymous
        .request("POST", &unsigned.path)
        .header("origin", "https://example.com");

    stack
        .anonymous
        .send(origin.multipart(form(photo())))
        .await
        .expect_error(403);

    let allowed = REFERRERS
        .iter()
        .filter(|(_, is_allowed)| *is_allowed)
        .count();
    assert_eq!(
        stack.dump().await.objects.len(),
        allowed,
        "rejected uploads store nothing"
    );
}

#[stack_test]
async fn require_https_rejects_http_referrers(stack: &Stack, acme: &TestSpace) {
    let hosts = ["example.com", "localhost", "127.0.0.1", "[::1]"].map(Value::from);
    let restrictions = json!({"allowed_referrers": hosts, "require_https": true});
    let unsigned = UnsignedConfig::new(
        stack,
        acme,
        "open",
        json!({"unsigned_restrictions": restrictions}),
    )
    .await;

    for (referrer, is_allowed) in [
        ("https://example.com/", true),
        ("http://example.com/", false),
        ("http://example.com:443/", false),
        // Loopback hosts do not need HTTPS.
        ("http://localhost:3000/", true),
        ("http://127.0.0.1:8080/", true),
        ("http://[::1]/", true),
    ] {
        let reported = [("x-forwarded-proto", "https"), ("forwarded", "proto=https")];
        unsigned
            .send_with(referrer.as_bytes(), &reported, form(photo()))
            .await
            .with_context(referrer)
            .expect_status(if is_allowed { 201 } else { 403 });
    }
}

/// Returns the errors of fields that only the upload config sets.
fn folder_errors(fields: &[&str]) -> Value {
    let error = |field: &&str| {
        let name = field.replace('_', " ");
        let message =
            format!("The {name} field must not be present: the upload config sets the folder.");
        ((*field).to_owned(), json!([message]))
    };

    Value::Object(fields.iter().map(error).collect())
}

/// Returns invalid forms and their errors.
fn invalid_forms() -> Vec<(Form, Value)> {
    let required = json!({"file": ["The file field is required."]});
    let part =
        |name: &str, mime_type: &str, bytes: &[u8]| form(file(name, mime_type, bytes.to_vec()));
    let file_error = |end: &str| json!({"file": [format!("The file field {end}.")]});

    vec![
        (Form::new().text("x", "y"), required.clone()),
        (Form::new().part("files", photo()), required.clone()),
        (
            Form::new()
                .part("files[]", photo())
                .part("files[]", photo()),
            required,
        ),
        (
            Form::new().text("file", "hello"),
            file_error("must be a file"),
        ),
        (
            form(photo()).part("file", photo()),
            file_error("must appear only once"),
        ),
        (
            form(photo()).text("folder_path", "a/b"),
            folder_errors(&["folder_path"]),
        ),
        (
            form(photo()).text("folder_id", UNKNOWN_ID),
            folder_errors(&["folder_id"]),
        ),
        (
            form(photo())
                .text("folder_id", UNKNOWN_ID)
                .text("folder_path", "a/b"),
            folder_errors(&["folder_id", "folder_path"]),
        ),
        (
            part("a.txt", "text/plain", b""),
            file_error("must not be empty"),
        ),
        (
            part("a.txt", "text/plain", "x".repeat(100_001).as_bytes()),
            file_error("must not be greater than 100000 bytes"),
        ),
        (
            part("a.csv", "text/csv", b"a,b\n1,2\n"),
            file_error("must be a file of type: jpg, txt"),
        ),
        (
            part("a.php.jpg", "image/jpeg", PHOTO),
            file_error("must not be an executable file"),
        ),
    ]
}

#[stack_test]
async fn unsigned_form_takes_one_valid_file(stack: &Stack, acme: &TestSpace) {
    let rules = json!({"config": {"validation": {"allowed_formats": ["jpg", "txt"], "max_file_size": 100_000}}});
    let unsigned = UnsignedConfig::new(stack, acme, "open", rules).await;

    for (form, errors) in invalid_forms() {
        assert_eq!(unsigned.send_form(form).await.expect_error(422), errors);
    }

    for (more, errors) in [
        (
            json!({"size": 100_001}),
            json!({"size": ["The size field must not be greater than 100000 bytes."]}),
        ),
        (
            json!({"filename": "a.exe"}),
            json!({"filename": ["The filename field must not be an executable file."]}),
        ),
        (
            json!({"folder_id": UNKNOWN_ID}),
            folder_errors(&["folder_id"]),
        ),
        (
            json!({"size": null}),
            json!({"size": ["The size field is required."]}),
        ),
    ] {
        assert_eq!(unsigned.presign(more).await.expect_error(422), errors);
    }

    let json = stack
        .anonymous
        .request("POST", &unsigned.path)
        .header("referer", REFERRER)
        .json(&json!({}));

    stack.anonymous.send(json).await.expect_error(415);
    assert!(
        stack.dump().await.objects.is_empty(),
        "rejected uploads store nothing"
    );

    unsigned.send().await.expect_created();
}
