//! `POST /upload/signed/presign`, and `POST /upload/confirm/:fileId` with a confirm token: anonymous
//! uploads to S3 by a signed URL.

use serde_json::{Value, json};
use tests::{PHOTO, Response, Stack, minutes, stack_test};

use crate::support::signer::{Signer, photo, query, text, with};

fn confirmation(presigned: &Value) -> String {
    format!("/upload/confirm/{}", text(&presigned["file_id"]))
}

/// Sends bytes to the presigned URL, with the signed headers.
async fn put(stack: &Stack, presigned: &Value, bytes: &'static [u8]) -> Response {
    let request = stack
        .anonymous
        .request("PUT", &text(&presigned["upload_url"]));
    let request = request.header("content-type", text(&presigned["headers"]["content-type"]));
    stack.anonymous.send(request.body(bytes)).await
}

/// Confirms a file with its token.
async fn confirm(stack: &Stack, presigned: &Value) -> Response {
    let body = json!({"confirm_token": presigned["confirm_token"]});
    stack.anonymous.post(&confirmation(presigned), body).await
}

#[stack_test(undrained)]
async fn signed_presign_creates_uploads_and_confirms_without_key(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({"metadata": {"tags": ["a"]}})).await;
    let body = json!({"upload_config_id": signer.config, "filename": "invoice 7.jpg", "content_type": "image/jpeg"});
    let generated = signer
        .acme
        .client
        .post("/upload/generate-signed-url", body)
        .await
        .expect_ok();
    let body = json!({"filename": "setup.exe", "content_type": "image/jpeg", "size": PHOTO.len(), "ref": "order 7"});
    let pending_file = stack
        .anonymous
        .post(&text(&generated["presign_url"]), body)
        .await
        .expect_status(201)
        .json();
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
    let file = format!("/files/{id}");
    assert_eq!(
        signer.acme.client.get(&file).await.expect_ok()["status"],
        "pending"
    );
    assert!(confirm(stack, &pending_file).await.expect_error(409)["file"].is_array());

    put(stack, &pending_file, PHOTO).await.expect_status(200);
    let active = confirm(stack, &pending_file).await.expect_ok();
    let record = signer.acme.client.get(&file).await.expect_ok();
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
            .client
            .post(&confirmation(&pending_file), json!({}))
            .await
            .expect_ok(),
        record
    );
    assert_eq!(
        stack
            .anonymous
            .get(&text(&active["url"]))
            .await
            .expect_status(200)
            .body,
        PHOTO
    );
}

#[stack_test(undrained)]
async fn token_confirms_only_its_file(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let other = stack.space("Other").await;
    let mut pending_file = Vec::new();

    for _ in 0..2 {
        let presigned = signer
            .presign(&signer.query(stack), json!({}))
            .await
            .expect_status(201)
            .json();
        put(stack, &presigned, PHOTO).await.expect_status(200);
        pending_file.push(presigned);
    }

    let own_path = confirmation(&pending_file[0]);
    let path = own_path.as_str();
    let token = text(&pending_file[0]["confirm_token"]);
    let user = signer.acme.role("user").await;
    let viewer = signer.acme.role("viewer").await;
    let before = stack.dump().await;
    let (anonymous, unknown_key) = (&stack.anonymous, stack.anonymous.with_key("nonsense"));
    let valid = json!({"confirm_token": token});
    let nothing = "/upload/confirm/01JCQZ4XK8V9W7Y6T5S4R3Q2P1";

    for (what, client, path, body, status) in [
        (
            "the token of another file",
            anonymous,
            path,
            json!({"confirm_token": pending_file[1]["confirm_token"]}),
            403,
        ),
        (
            "not a token",
            anonymous,
            path,
            json!({"confirm_token": "nonsense"}),
            403,
        ),
        (
            "truncated",
            anonymous,
            path,
            json!({"confirm_token": token[..token.len() - 2]}),
            403,
        ),
        (
            "without its prefix",
            anonymous,
            path,
            json!({"confirm_token": token[3..]}),
            403,
        ),
        (
            "not a string",
            anonymous,
            path,
            json!({"confirm_token": 5}),
            422,
        ),
        ("null", anonymous, path, json!({"confirm_token": null}), 401),
        ("missing", anonymous, path, json!({}), 401),
        // With a key, the token is ignored.
        (
            "another space's key",
            &other.client,
            path,
            valid.clone(),
            404,
        ),
        ("an unknown key", &unknown_key, path, valid.clone(), 401),
        ("the key of a user", &user, path, json!({}), 403),
        ("the key of a viewer", &viewer, path, valid.clone(), 403),
        (
            "not an id",
            anonymous,
            "/upload/confirm/nonsense",
            valid.clone(),
            404,
        ),
        ("the id of no file", anonymous, nothing, valid, 403),
    ] {
        let response = client.post(path, body).await;
        assert_eq!(response.status, status, "{what}: {response:?}");
        assert_eq!(
            response.header("www-authenticate"),
            if status == 401 { "Bearer" } else { "" },
            "{what}"
        );
        response.expect_error(status);
    }

    stack
        .anonymous
        .send(stack.anonymous.request("POST", path))
        .await
        .expect_error(401);

    stack
        .dump()
        .await
        .assert_unchanged(&before, "rejected confirmations");
    signer
        .acme
        .role("admin")
        .await
        .post(path, json!({}))
        .await
        .expect_ok();
    confirm(stack, &pending_file[1]).await.expect_ok();
}

#[stack_test(undrained)]
async fn signed_presign_respects_url_and_config(stack: &Stack) {
    let signer = Signer::new(
        stack,
        "Acme",
        json!({"validation": {"max_file_size": 100_000}}),
    )
    .await;

    let of_jpeg =
        query(&signer.signed(with(signer.parameters(stack), "content_type", "image/jpeg")));
    let of_program = query(&signer.signed(with(signer.parameters(stack), "filename", "setup.exe")));
    let before = stack
        .dump()
        .await
        .items
        .keys()
        .filter(|(_, sort)| sort.starts_with("FILE"))
        .count();

    for (query, more, errors) in [
        (
            &of_jpeg,
            json!({"content_type": "image/png"}),
            json!({"content_type": ["The content type field must be a file of type: image/jpeg."]}),
        ),
        (
            &of_jpeg,
            json!({"size": 100_001}),
            json!({"size": ["The size field must not be greater than 100000 bytes."]}),
        ),
        (
            &of_jpeg,
            json!({"size": 0}),
            json!({"size": ["The size field must be at least 1."]}),
        ),
        (
            &of_jpeg,
            json!({"size": null, "filename": null, "content_type": null}),
            json!({
                "size": ["The size field is required."],
                "filename": ["The filename field is required."],
                "content_type": ["The content type field is required."],
            }),
        ),
        (
            &of_jpeg,
            json!({"filename": "setup.exe"}),
            json!({"filename": ["The filename field must not be an executable file."]}),
        ),
        // The signed name is stored, not the name of the request.
        (
            &of_program,
            json!({}),
            json!({"filename": ["The filename field must not be an executable file."]}),
        ),
    ] {
        assert_eq!(signer.presign(query, more).await.expect_error(422), errors);
    }

    let after = stack
        .dump()
        .await
        .items
        .keys()
        .filter(|(_, sort)| sort.starts_with("FILE"))
        .count();

    assert_eq!(after, before, "rejected requests create no pending file");
    signer
        .presign(&of_jpeg, json!({"content_type": "image/jpeg; q=1"}))
        .await
        .expect_status(201);

    for other in [
        json!({"space_id": signer.config}),
        json!({"upload_config_id": "x"}),
    ] {
        assert_eq!(
            signer
                .presign(&signer.query(stack), other)
                .await
                .expect_error(403),
            json!({})
        );
    }
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

#[stack_test(undrained)]
async fn disabled_space_rejects_confirmation(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let presigned = signer
        .presign(&signer.query(stack), json!({}))
        .await
        .expect_status(201)
        .json();

    put(stack, &presigned, PHOTO).await.expect_status(200);

    let client = &signer.acme.client;
    let space = format!("/spaces/{}", signer.acme.id);
    client
        .put(&space, json!({"name": "Acme", "enabled": false}))
        .await
        .expect_ok();

    confirm(stack, &presigned).await.expect_error(403);

    client
        .put(&space, json!({"name": "Acme", "enabled": true}))
        .await
        .expect_ok();
    confirm(stack, &presigned).await.expect_ok();
}

#[stack_test]
async fn unconfirmed_anonymous_upload_is_checked(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let sent = signer
        .presign(&signer.query(stack), json!({}))
        .await
        .expect_status(201)
        .json();
    let forgotten = signer
        .presign(&signer.query(stack), json!({}))
        .await
        .expect_status(201)
        .json();

    put(stack, &sent, PHOTO).await.expect_status(200);

    for _ in 0..9 {
        stack.run_for(minutes(15)).await;
    }

    let found = signer
        .acme
        .client
        .get(&format!("/files/{}", text(&sent["file_id"])))
        .await
        .expect_ok();

    assert_eq!(
        (&found["status"], &found["uploaded_by"]),
        (&json!("active"), &json!({"type": "signed_url"}))
    );
    signer
        .acme
        .client
        .get(&format!("/files/{}", text(&forgotten["file_id"])))
        .await
        .expect_error(404);

    // A token expires an hour after the presigned URL.
    confirm(stack, &sent).await.expect_error(403);
    confirm(stack, &forgotten).await.expect_error(404);
}
