//! `POST /upload/signed/presign`, and `POST /upload/confirm/:fileId` with a confirm token: anonymous
//! uploads to S3 by a signed URL.

use serde_json::{Value, json};
use table::keys;
use tests::{PHOTO, Response, Stack, stack_test, text};

use crate::support::signer::{Signer, photo, query, with};

pub(super) fn confirmation(presigned: &Value) -> String {
    format!("/upload/confirm/{}", text(&presigned["file_id"]))
}

/// Sends bytes to the presigned URL, with the signed headers.
pub(super) async fn put(stack: &Stack, presigned: &Value, bytes: &'static [u8]) -> Response {
    let request = stack
        .anonymous
        .request("PUT", &text(&presigned["upload_url"]));
    let request = request.header("content-type", text(&presigned["headers"]["content-type"]));
    stack.anonymous.send(request.body(bytes)).await
}

/// Confirms a file with its token.
pub(super) async fn confirm(stack: &Stack, presigned: &Value) -> Response {
    let body = json!({"confirm_token": presigned["confirm_token"]});
    stack.anonymous.post(&confirmation(presigned), body).await
}

/// Asserts the fields of a response for a JPEG.
#[track_caller]
fn assert_presign_response(signer: &Signer, pending_file: &Value) {
    let mut fields: Vec<&String> = pending_file
        .as_object()
        .expect("an object")
        .keys()
        .collect();
    fields.sort();
    assert_eq!(
        fields,
        [
            "confirm_token",
            "expires_in",
            "file_id",
            "headers",
            "object_key",
            "upload_url"
        ]
    );

    let id = text(&pending_file["file_id"]);
    assert_eq!(
        pending_file["object_key"],
        format!("staging/{}/{id}", signer.acme.id)
    );
    assert_eq!(pending_file["expires_in"], 3600);
    assert_eq!(
        pending_file["headers"],
        json!({"content-type": "image/jpeg"})
    );
}

#[stack_test(undrained)]
async fn signed_presign_creates_uploads_and_confirms_without_key(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({"metadata": {"tags": ["a"]}})).await;
    let body = json!({"upload_config_id": signer.config, "filename": "invoice 7.jpg", "content_type": "image/jpeg"});
    let generated = signer
        .acme
        .post_ok("/upload/generate-signed-url", body)
        .await;
    let body = json!({"filename": "setup.exe", "content_type": "image/jpeg", "size": PHOTO.len(), "ref": "order 7"});
    let pending_file = stack
        .anonymous
        .post(&text(&generated["presign_url"]), body)
        .await
        .expect_status(201)
        .json();
    assert_presign_response(&signer, &pending_file);
    let id = text(&pending_file["file_id"]);
    let file = format!("/files/{id}");
    assert_eq!(signer.acme.get_ok(&file).await["status"], "pending");
    assert!(confirm(stack, &pending_file).await.expect_error(409)["file"].is_array());

    put(stack, &pending_file, PHOTO).await.expect_status(200);
    let active = confirm(stack, &pending_file).await.expect_ok();
    let record = signer.acme.get_ok(&file).await;
    for (field, value) in [
        ("status", json!("active")),
        ("uploaded_by", json!({"type": "signed_url"})),
        ("original_name", json!("invoice 7.jpg")),
        ("mime_type", json!("image/jpeg")),
        ("upload_config_id", json!(signer.config)),
        ("ref", json!("order 7")),
        ("tags", json!(["a"])),
    ] {
        assert_eq!(record[field], value, "{field}");
    }

    assert_eq!(confirm(stack, &pending_file).await.expect_ok(), active);
    assert_eq!(
        signer
            .acme
            .post_ok(&confirmation(&pending_file), json!({}))
            .await,
        record
    );
    assert_eq!(
        stack.anonymous.fetch(&text(&active["url"])).await.body,
        PHOTO
    );
}

/// Returns invalid requests for a URL that is signed for a JPEG, and their errors.
fn invalid_jpeg_requests() -> Vec<(Value, Value)> {
    vec![
        (
            json!({"content_type": "image/png"}),
            json!({"content_type": ["The content type field must be a file of type: image/jpeg."]}),
        ),
        (
            json!({"size": 100_001}),
            json!({"size": ["The size field must not be greater than 100000 bytes."]}),
        ),
        (
            json!({"size": 0}),
            json!({"size": ["The size field must be at least 1."]}),
        ),
        (
            json!({"size": null, "filename": null, "content_type": null}),
            json!({
                "size": ["The size field is required."],
                "filename": ["The filename field is required."],
                "content_type": ["The content type field is required."],
            }),
        ),
        (
            json!({"filename": "setup.exe"}),
            json!({"filename": ["The filename field must not be an executable file."]}),
        ),
    ]
}

#[stack_test(undrained)]
async fn signed_presign_respects_url_and_config(stack: &Stack) {
    let signer = Signer::new(
        stack,
        "Acme",
        json!({"validation": {"max_file_size": 100_000}}),
    )
    .await;

    let jpeg_query =
        query(&signer.signed(with(signer.parameters(stack), "content_type", "image/jpeg")));
    let executable_query =
        query(&signer.signed(with(signer.parameters(stack), "filename", "setup.exe")));
    let before = stack
        .dump()
        .await
        .items
        .keys()
        .filter(|key| key.sort.starts_with(keys::FILES))
        .count();

    for (more, errors) in invalid_jpeg_requests() {
        assert_eq!(
            signer.presign(&jpeg_query, more).await.expect_error(422),
            errors
        );
    }

    // The signed name is stored, not the name of the request.
    assert_eq!(
        signer
            .presign(&executable_query, json!({}))
            .await
            .expect_error(422),
        json!({"filename": ["The filename field must not be an executable file."]})
    );

    let after = stack
        .dump()
        .await
        .items
        .keys()
        .filter(|key| key.sort.starts_with(keys::FILES))
        .count();

    assert_eq!(after, before, "rejected requests create no pending file");

    signer
        .presign(&jpeg_query, json!({"content_type": "image/jpeg; q=1"}))
        .await
        .expect_status(201);
}

#[stack_test(undrained)]
async fn signed_type_applies_to_presigned_bytes(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    for (content_type, name) in [("image/png", "photo.png"), ("application/x-mine", "a.mine")] {
        let query =
            query(&signer.signed(with(signer.parameters(stack), "content_type", content_type)));
        let declared = json!({"filename": name, "content_type": content_type});
        let presigned = signer
            .presign(&query, declared)
            .await
            .expect_status(201)
            .json();
        put(stack, &presigned, PHOTO).await.expect_status(200);
        // A form upload of the same photo is rejected, too.
        assert!(confirm(stack, &presigned).await.expect_error(422)["file"].is_array());
        confirm(stack, &presigned).await.expect_error(404);
    }
}

#[stack_test(undrained)]
async fn repeated_signed_presign_returns_same_file(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let path = format!("/upload/signed/presign?{}", signer.query(stack));

    let send = |key: &'static str, size: usize| {
        let body = json!({"filename": "photo.jpg", "content_type": "image/jpeg", "size": size});
        let request = signer
            .anonymous
            .request("POST", &path)
            .header("idempotency-key", key)
            .json(&body);
        signer.anonymous.send(request)
    };

    let first = send("one", PHOTO.len()).await.expect_status(201);
    assert_eq!(first.header("idempotent-replayed"), "");

    let again = send("one", PHOTO.len()).await.expect_status(201);
    assert_eq!(again.header("idempotent-replayed"), "true");

    let first = first.json();
    let again = again.json();

    for field in ["file_id", "confirm_token", "object_key"] {
        assert_eq!(first[field], again[field], "{field}");
    }

    assert!(send("one", 7).await.expect_error(422)["idempotency_key"].is_array());

    let other = send("two", PHOTO.len()).await.expect_status(201).json();
    assert_ne!(other["file_id"], first["file_id"]);
    assert_ne!(other["confirm_token"], first["confirm_token"]);

    // The idempotency key is scoped to the route.
    let named = signer
        .anonymous
        .request("POST", &path.replace("/presign", ""))
        .header("idempotency-key", "one");
    signer
        .anonymous
        .send(named.multipart(signer.form(photo())))
        .await
        .expect_created();

    put(stack, &again, PHOTO).await.expect_status(200);

    confirm(stack, &first).await.expect_ok();
}
