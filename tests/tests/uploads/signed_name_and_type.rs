//! Signed URLs with `filename` and `content_type`.

use reqwest::multipart::Part;
use serde_json::json;
use tests::{PHOTO, Stack, file, noise, stack_test};

use crate::support::signer::{Signer, query, with};

/// An upload by a signed URL with a name or a type.
struct SignedUpload {
    filename: Option<&'static str>,
    content_type: Option<&'static str>,
    file: Part,
    /// Original name of the file, or the end of the error message.
    expected: Result<&'static str, &'static str>,
}

fn with_name(
    filename: &'static str,
    file: Part,
    expected: Result<&'static str, &'static str>,
) -> SignedUpload {
    SignedUpload {
        filename: Some(filename),
        content_type: None,
        file,
        expected,
    }
}

fn with_type(
    content_type: &'static str,
    file: Part,
    expected: Result<&'static str, &'static str>,
) -> SignedUpload {
    SignedUpload {
        filename: None,
        content_type: Some(content_type),
        file,
        expected,
    }
}

fn signed_uploads() -> Vec<SignedUpload> {
    let photo = |name: &str, declared: &str| file(name, declared, PHOTO);
    let table = |declared: &str| file("a.txt", declared, "a,b\n1,2\n");
    let unknown = file("a.mine", "application/x-mine", noise(3, 100));
    let jpeg = || photo("photo.jpg", "image/jpeg");
    let not_png = Err("must be a file of type: image/png");

    vec![
        with_name("invoice 7.jpg", jpeg(), Ok("invoice 7.jpg")),
        with_name(
            "invoice.jpg",
            photo("setup.exe", "image/jpeg"),
            Ok("invoice.jpg"),
        ),
        with_name("../../a\u{202E}b.jpg", jpeg(), Ok("ab.jpg")),
        with_name("setup.exe", jpeg(), Err("must not be an executable file")),
        with_type("image/jpeg", jpeg(), Ok("photo.jpg")),
        with_type(
            "image/jpeg",
            photo("photo.jpg", "application/octet-stream"),
            Ok("photo.jpg"),
        ),
        with_type(
            "image/jpeg",
            photo("photo.jpg", "image/png"),
            Ok("photo.jpg"),
        ),
        with_type("image/png", photo("photo.png", "image/png"), not_png),
        with_type("image/png", jpeg(), not_png),
        with_type("text/csv", table("text/csv"), Ok("a.txt")),
        with_type(
            "text/csv",
            table("text/plain"),
            Err("must be a file of type: text/csv"),
        ),
        with_type("application/x-mine", unknown, Ok("a.mine")),
        with_type(
            "application/x-mine",
            photo("a.mine", "application/x-mine"),
            Err("must be a file of type: application/x-mine"),
        ),
    ]
}

#[stack_test]
async fn signed_name_and_type_are_used(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;

    for upload in signed_uploads() {
        let mut parameters = signer.parameters(stack);
        if let Some(filename) = upload.filename {
            parameters = with(parameters, "filename", filename);
        }
        if let Some(content_type) = upload.content_type {
            parameters = with(parameters, "content_type", content_type);
        }
        let signed_query = query(&signer.signed(parameters));

        let response = signer
            .send_form(&signed_query, signer.form(upload.file))
            .await;

        match upload.expected {
            Ok(name) => assert_eq!(response.expect_created()["original_name"], name),
            Err(end) => assert_eq!(
                response.expect_error(422),
                json!({"file": [format!("The file field {end}.")]}),
                "{:?} {:?}",
                upload.filename,
                upload.content_type
            ),
        }
    }
}

#[stack_test]
async fn signed_url_with_unknown_type_accepts_no_file(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    for content_type in ["jpeg", "", "image/"] {
        let query =
            query(&signer.signed(with(signer.parameters(stack), "content_type", content_type)));
        for response in [
            signer.send(&query).await,
            signer.presign(&query, json!({})).await,
        ] {
            response
                .with_context(content_type)
                .expect_status_of(&[403, 422]);
        }
    }
}
