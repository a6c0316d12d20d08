//! `POST /upload/presign`: creates a pending file, whose bytes the client sends to S3.

use futures::future::join_all;
use serde_json::{Value, json};
use table::keys;
use tests::{Client, PHOTO, Response, Stack, TestSpace, minutes, stack_test};

/// Number of concurrent requests.
const CALLERS: usize = 8;

/// A pending file, created by `POST /upload/presign`.
pub(crate) struct PendingFile {
    /// Body of the response.
    pub(crate) response: Value,
}

impl PendingFile {
    /// Sends a presign request as a client.
    pub(crate) async fn by(client: &Client, body: Value) -> PendingFile {
        PendingFile {
            response: client
                .post("/upload/presign", body)
                .await
                .expect_status(201)
                .json(),
        }
    }

    /// Presigns an upload of the photo as the owner. `fields` replace those of the request.
    pub(crate) async fn create(acme: &TestSpace, fields: Value) -> PendingFile {
        PendingFile::by(&acme.client, presign_body(acme, fields)).await
    }

    pub(crate) fn id(&self) -> &str {
        self.text("file_id")
    }

    /// Returns the path of the file in the API.
    pub(crate) fn address(&self) -> String {
        format!("/files/{}", self.id())
    }

    /// Returns the presigned URL.
    pub(crate) fn url(&self) -> &str {
        self.text("upload_url")
    }

    /// Returns the key of the staged object.
    pub(crate) fn object_key(&self) -> &str {
        self.text("object_key")
    }

    /// Sends bytes to the presigned URL, with the signed content type.
    pub(crate) async fn send(&self, stack: &Stack, bytes: impl Into<Vec<u8>>) -> Response {
        let content_type = self.response["headers"]["content-type"]
            .as_str()
            .expect("a type");
        let request = stack
            .anonymous
            .request("PUT", self.url())
            .header("content-type", content_type);
        stack.anonymous.send(request.body(bytes.into())).await
    }

    pub(crate) async fn confirm(&self, client: &Client) -> Response {
        client
            .send(client.request("POST", &format!("/upload/confirm/{}", self.id())))
            .await
    }

    fn text(&self, field: &str) -> &str {
        self.response[field].as_str().expect("a text")
    }
}

/// Returns a presign request for the photo. `fields` replace or extend its fields.
pub(crate) fn presign_body(acme: &TestSpace, mut fields: Value) -> Value {
    let name = "photo.jpg";
    let content_type = "image/jpeg";
    let size = PHOTO.len();
    let mut body =
        json!({"space": acme.handle, "filename": name, "content_type": content_type, "size": size});

    body.as_object_mut()
        .expect("an object")
        .append(fields.as_object_mut().expect("an object"));

    body
}

/// Presigns an upload of the photo with an idempotency key.
async fn presign_with_key(acme: &TestSpace, key: &str, fields: Value) -> Response {
    let request = acme
        .request("POST", "/upload/presign")
        .header("idempotency-key", key);
    acme.send(request.json(&presign_body(acme, fields))).await
}

#[stack_test]
async fn presign_returns_unwrapped_response_and_creates_pending_file(
    stack: &Stack,
    acme: &TestSpace,
) {
    let pending_file = PendingFile::create(acme, json!({"ref": "order 7"})).await;
    let keys: Vec<&String> = pending_file
        .response
        .as_object()
        .expect("an object")
        .keys()
        .collect();
    assert_eq!(
        keys,
        [
            "expires_in",
            "file_id",
            "headers",
            "object_key",
            "upload_url"
        ]
    );
    assert_eq!(pending_file.response["expires_in"], 3600);
    assert_eq!(
        pending_file.response["headers"],
        json!({"content-type": "image/jpeg"})
    );
    assert_eq!(
        pending_file.object_key(),
        format!("staging/{}/{}", acme.id, pending_file.id())
    );
    assert!(
        pending_file.url().starts_with(stack.local.s3_url())
            && pending_file.url().contains(pending_file.object_key())
    );

    let pending = acme.get_ok(&pending_file.address()).await;
    for (field, value) in [
        ("status", json!("pending")),
        ("original_name", json!("photo.jpg")),
        ("mime_type", json!("image/jpeg")),
        ("size", json!(PHOTO.len())),
        ("ref", json!("order 7")),
        ("checksum_sha256", json!(null)),
        ("space_id", json!(acme.id)),
        ("uploaded_by", json!({"type": "api_key", "id": acme.key_id})),
    ] {
        assert_eq!(pending[field], value, "{field}");
    }

    let path = pending["storage_path"].as_str().expect("a path");
    stack
        .anonymous
        .get_err(404, &format!("{}/{path}", stack.local.cdn_url()))
        .await;
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn presign_requires_upload_permission_and_enabled_space(stack: &Stack, acme: &TestSpace) {
    let user = acme.role("user").await;
    let viewer = acme.role("viewer").await;
    let presign = async |client: &Client| {
        client
            .post("/upload/presign", presign_body(acme, json!({})))
            .await
    };

    presign(&user).await.expect_status(201);
    assert_eq!(presign(&viewer).await.expect_error(403), json!({}));
    assert_eq!(presign(&stack.anonymous).await.expect_error(401), json!({}));

    let space = acme.path();
    acme.put_ok(&space, json!({"name": "Acme", "enabled": false}))
        .await;

    let before = stack.dump().await;
    for client in [&user, &acme.client, &stack.account()] {
        assert_eq!(presign(client).await.expect_error(403), json!({}));
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "presign requests to a disabled space");
    acme.put_ok(&space, json!({"name": "Acme", "enabled": true}))
        .await;

    presign(&user).await.expect_status(201);

    stack.run_confirm_checks().await;
}

/// Asserts that a replay 40 minutes after the first response is of the same file.
fn assert_same_file(first: &PendingFile, again: &PendingFile) {
    assert_ne!(again.url(), first.url());
    for field in ["file_id", "object_key", "headers"] {
        assert_eq!(again.response[field], first.response[field], "{field}");
    }

    // The deadline of the check does not move.
    assert_eq!(
        (&first.response["expires_in"], &again.response["expires_in"]),
        (&json!(3_600), &json!(1_200))
    );
}

#[stack_test]
async fn replayed_presign_returns_same_file_and_new_url(stack: &Stack, acme: &TestSpace) {
    let first = presign_with_key(acme, "one", json!({}))
        .await
        .expect_status(201);
    assert!(!first.headers.contains_key("idempotent-replayed"));

    let first = PendingFile {
        response: first.json(),
    };
    let before = stack.dump().await;
    stack.clock.advance(minutes(40));
    let again = presign_with_key(acme, " one ", json!({})).await;
    assert_eq!(
        (again.status, again.header("idempotent-replayed")),
        (201, "true")
    );

    let again = PendingFile {
        response: again.json(),
    };
    assert_same_file(&first, &again);
    stack
        .dump()
        .await
        .assert_unchanged(&before, "a replayed presign request");
    let errors = presign_with_key(acme, "one", json!({"size": 5}))
        .await
        .expect_error(422);
    let message = "The idempotency key field was already used for a request with another payload.";
    assert_eq!(errors, json!({"idempotency_key": [message]}));

    again.send(stack, PHOTO).await.expect_status(200);
    let active = again.confirm(&acme.client).await.expect_ok();
    assert_eq!(active["id"], first.response["file_id"]);

    // A replay does not make an active file pending again.
    let before = stack.dump().await;
    assert_eq!(
        presign_with_key(acme, "one", json!({}))
            .await
            .expect_status(201)
            .json()["file_id"],
        first.response["file_id"]
    );

    stack
        .dump()
        .await
        .assert_unchanged(&before, "a replayed presign request of an active file");
    stack.clock.advance(minutes(20));
    assert!(
        presign_with_key(acme, "one", json!({}))
            .await
            .expect_error(409)["idempotency_key"]
            .is_array()
    );
    assert_ne!(
        presign_with_key(acme, "two", json!({}))
            .await
            .expect_status(201)
            .json()["file_id"],
        first.response["file_id"]
    );

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn replayed_presign_of_rejected_file_reports_it(stack: &Stack, acme: &TestSpace) {
    let fields = json!({"size": 4});
    let pending_file = PendingFile {
        response: presign_with_key(acme, "one", fields.clone())
            .await
            .expect_status(201)
            .json(),
    };

    pending_file.send(stack, b"text").await.expect_status(200);
    pending_file.confirm(&acme.client).await.expect_error(422);
    assert!(
        presign_with_key(acme, "one", fields)
            .await
            .expect_error(409)["idempotency_key"]
            .is_array()
    );

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn concurrent_presigns_with_one_key_create_one_file(stack: &Stack, acme: &TestSpace) {
    let responses = join_all((0..CALLERS).map(|_| presign_with_key(acme, "one", json!({})))).await;
    let last = presign_with_key(acme, "one", json!({}))
        .await
        .expect_status(201)
        .json();

    for response in responses {
        if response.status == 201 {
            assert_eq!(response.json()["file_id"], last["file_id"]);
        } else {
            assert!(response.expect_error(409)["idempotency_key"].is_array());
        }
    }

    let dump = stack.dump().await;
    let pending = dump
        .items
        .iter()
        .filter(|(key, item)| key.sort.starts_with(keys::FILES) && item["status"] == "pending");

    assert_eq!((pending.count(), dump.files_with_bytes().len()), (1, 0));

    stack.run_confirm_checks().await;
}
