//! Signed URLs with `filename` and `content_type`.

use reqwest::multipart::Part;
use serde_json::json;
use tests::{PHOTO, Stack, file, noise, stack_test};

use super::routes::assert_rejected;
use crate::support::signer::Signer;

/// The signed parameter and its value, a file, and its original name or the end of the error message.
type SignedUpload = (
    &'static str,
    &'static str,
    Part,
    Result<&'static str, &'static str>,
);

fn signed_uploads() -> Vec<SignedUpload> {
    let photo = |name: &str, declared: &str| file(name, declared, PHOTO);
    let table = |declared: &str| file("a.txt", declared, "a,b\n1,2\n");
    let unknown = file("a.mine", "application/x-mine", noise(3, 100));
    let jpeg = || photo("photo.jpg", "image/jpeg");
    let executable = || photo("setup.exe", "image/jpeg");
    let undeclared = photo("photo.jpg", "application/octet-stream");
    let called_png = || photo("photo.jpg", "image/png");
    let not_png = Err("must be a file of type: image/png");
    let not_csv = Err("must be a file of type: text/csv");
    let not_mine = Err("must be a file of type: application/x-mine");
    let mine = "application/x-mine";

    vec![
        ("filename", "invoice 7.jpg", jpeg(), Ok("invoice 7.jpg")),
        ("filename", "invoice.jpg", executable(), Ok("invoice.jpg")),
        ("filename", "../../a\u{202E}b.jpg", jpeg(), Ok("ab.jpg")),
        (
            "filename",
            "setup.exe",
            jpeg(),
            Err("must not be an executable file"),
        ),
        ("content_type", "image/jpeg", jpeg(), Ok("photo.jpg")),
        ("content_type", "image/jpeg", undeclared, Ok("photo.jpg")),
        ("content_type", "image/jpeg", called_png(), Ok("photo.jpg")),
        ("content_type", "image/png", called_png(), not_png),
        ("content_type", "image/png", jpeg(), not_png),
        ("content_type", "text/csv", table("text/csv"), Ok("a.txt")),
        ("content_type", "text/csv", table("text/plain"), not_csv),
        ("content_type", mine, unknown, Ok("a.mine")),
        ("content_type", mine, photo("a.mine", mine), not_mine),
    ]
}

#[stack_test]
async fn signed_name_and_type_are_used(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;

    for (parameter, value, file, expected) in signed_uploads() {
        let query = signer.query_with(stack, parameter, value);
        let response = signer.send_form(&query, signer.form(file)).await;
        match expected {
            Ok(name) => assert_eq!(response.expect_created()["original_name"], name),
            Err(end) => assert_rejected(response.with_context(value), end),
        }
    }
}

#[stack_test]
async fn signed_url_with_unknown_type_accepts_no_file(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    for content_type in ["jpeg", "", "image/"] {
        let query = signer.query_with(stack, "content_type", content_type);
        for response in [
            signer.send(&query).await,
            signer.presign(&query, json!({})).await,
        ] {
            let response = response.with_context(content_type);
            response.expect_status_of(&[403, 422]);
        }
    }
}
