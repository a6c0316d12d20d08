//! `POST /upload/presign`: a file is announced, and its bytes go to storage itself.

use futures::future::join_all;
use serde_json::{Map, Value, json};
use tests::{Client, PHOTO, Response, Stack, Tenant, form, minutes, stack_test};

/// 5 GB.
const MOST_BYTES: u64 = 5 << 30;
/// An id that nothing has.
pub(crate) const UNKNOWN: &str = "01JCQZ4XK8V9W7Y6T5S4R3Q2P1";
/// The fields that have to be there.
const REQUIRED: [&str; 4] = ["space", "filename", "content_type", "size"];
/// Callers at once.
const CALLERS: usize = 8;

/// A file that was announced.
pub(crate) struct PendingFile {
    /// What its announcement was answered with.
    pub(crate) response: Value,
}

impl PendingFile {
    /// Announces a file.
    pub(crate) async fn by(client: &Client, body: Value) -> PendingFile {
        PendingFile {
            response: client
                .post("/upload/presign", body)
                .await
                .expect_status(201)
                .json(),
        }
    }

    /// Announces the photo, or what the fields say of another file.
    pub(crate) async fn create(acme: &Tenant, fields: Value) -> PendingFile {
        PendingFile::by(&acme.client, presign_body(acme, fields)).await
    }

    pub(crate) fn id(&self) -> &str {
        self.text("file_id")
    }

    /// Where the API shows it.
    pub(crate) fn address(&self) -> String {
        format!("/files/{}", self.id())
    }

    /// Where storage takes its bytes.
    pub(crate) fn url(&self) -> &str {
        self.text("upload_url")
    }

    /// The key that they have then.
    pub(crate) fn object_key(&self) -> &str {
        self.text("object_key")
    }

    /// Sends bytes to storage as a plain client does.
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

/// What announces the photo, but for these fields.
pub(crate) fn presign_body(acme: &Tenant, fields: Value) -> Value {
    let name = "photo.jpg";
    let content_type = "image/jpeg";
    let size = PHOTO.len();
    let mut body =
        json!({"space": acme.handle, "filename": name, "content_type": content_type, "size": size});

    if let (Value::Object(body), Value::Object(fields)) = (&mut body, fields) {
        body.extend(fields);
    }

    body
}

/// Asks for the photo's announcement under a name of the request.
async fn named(acme: &Tenant, name: &str, fields: Value) -> Response {
    let request = acme
        .client
        .request("POST", "/upload/presign")
        .header("idempotency-key", name);
    acme.client
        .send(request.json(&presign_body(acme, fields)))
        .await
}

fn sentence(field: &str, end: &str) -> Value {
    let name = field.replace('_', " ");
    json!([if end.is_empty() {
        format!("The selected {name} is invalid.")
    } else {
        format!("The {name} field {end}.")
    }])
}

#[stack_test]
async fn presign_returns_unwrapped_response_and_creates_pending_file(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let pending_file = PendingFile::create(&acme, json!({"ref": "order 7"})).await;
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
        pending_file.url().starts_with(stack.cloud.s3_url())
            && pending_file.url().contains(pending_file.object_key())
    );

    let pending = acme.client.get(&pending_file.address()).await.expect_ok();
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
        .get(&format!("{}/{path}", stack.cloud.cdn_url()))
        .await
        .expect_error(404);
    stack.run_confirm_checks().await;
}

/// Values that a field may not have, and the end of what is said of them.
fn wrong_fields() -> Vec<(&'static str, Value, &'static str)> {
    let long = "x".repeat(256);
    let typed = format!("image/{}", "x".repeat(95));
    let too_large = "must not be greater than 5368709120";
    let too_long = "must not be greater than 255 characters";

    let mut wrong = vec![
        ("filename", json!(long), too_long),
        ("filename", json!("é".repeat(256)), too_long),
        (
            "content_type",
            json!(typed),
            "must not be greater than 100 characters",
        ),
        ("size", json!(0), "must be at least 1"),
        ("size", json!(-1), "must be at least 1"),
        ("size", json!(MOST_BYTES + 1), too_large),
        ("size", json!(u64::MAX), too_large),
        ("ref", json!(long), too_long),
        ("ref", json!("a\u{0}b"), "format is invalid"),
        ("folder_id", json!(UNKNOWN), ""),
    ];

    for field in ["space", "filename", "content_type", "upload_config", "ref"] {
        wrong.extend(
            [json!(5), json!(true), json!(["a"]), json!({})]
                .map(|value| (field, value, "must be a string")),
        );
    }

    let uncounted = [json!("5"), json!(1.5), json!(true), json!([5])];
    wrong.extend(uncounted.map(|value| ("size", value, "must be an integer")));

    let untyped = [
        "image",
        "image/",
        "/jpeg",
        "image jpeg",
        "image/jp eg",
        "image/é",
        "image/*",
        "*/*",
        "image/a; b",
    ];
    wrong.extend(untyped.map(|value| ("content_type", json!(value), "format is invalid")));
    wrong.push((
        "content_type",
        json!("image/jpeg\r\nx-amz-acl: public-read"),
        "format is invalid",
    ));

    let programs = ["setup.exe", "photo.jpg.EXE", "a.php.jpg", "run.sh"];
    wrong
        .extend(programs.map(|value| ("filename", json!(value), "must not be an executable file")));
    wrong
}

#[stack_test]
async fn invalid_presign_reports_all_errors_and_queues_no_check(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let other = stack.space("Other").await;
    let foreign = other
        .upload_config("foreign")
        .with_settings(json!({}))
        .await
        .id;
    let before = stack.dump().await;
    let required = |field: &&str| ((*field).to_owned(), sentence(field, "is required"));
    let all: Map<String, Value> = REQUIRED.iter().map(required).collect();

    assert_eq!(
        acme.client
            .post("/upload/presign", json!({}))
            .await
            .expect_error(422),
        Value::Object(all)
    );

    for field in REQUIRED {
        for blank in [json!(null), json!(""), json!("  ")] {
            let errors = acme
                .client
                .post(
                    "/upload/presign",
                    presign_body(&acme, json!({field: blank})),
                )
                .await
                .expect_error(422);
            assert_eq!(errors, json!({field: sentence(field, "is required")}));
        }
    }

    let mut wrong = wrong_fields();
    let spaces = ["zzzzzz", "../x", UNKNOWN, &acme.id, &other.handle];
    wrong.extend(spaces.map(|space| ("space", json!(space), "")));

    let configs = [
        "nope",
        UNKNOWN,
        "../starter",
        "Starter",
        "foreign",
        &foreign,
    ];
    wrong.extend(configs.map(|config| ("upload_config", json!(config), "")));

    for (field, value, end) in wrong {
        let errors = acme
            .client
            .post(
                "/upload/presign",
                presign_body(&acme, json!({field: value})),
            )
            .await
            .expect_error(422);
        assert_eq!(
            errors,
            json!({field: sentence(field, end)}),
            "{field} {value}"
        );
    }

    let several = json!({"size": 0, "filename": "a.exe", "ref": 5, "upload_config": "nope", "folder_path": "a"});
    let errors = acme
        .client
        .post("/upload/presign", presign_body(&acme, several))
        .await
        .expect_error(422);
    let reported: Vec<&String> = errors.as_object().expect("an object").keys().collect();

    assert_eq!(
        reported,
        ["folder_id", "ref", "size", "upload_config"],
        "a name is judged by a config, once there is one"
    );

    stack
        .dump()
        .await
        .assert_unchanged(&before, "refused announcements");

    // No check is on its way.
}

#[stack_test]
async fn presign_accepts_values_at_their_bounds(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let id = acme
        .upload_config("second")
        .with_settings(json!({"metadata": {"tags": ["a"]}}))
        .await
        .id;
    let long = "é".repeat(255);
    let typed = format!("application/{}", "x".repeat(88));

    for (fields, shown) in [
        (json!({"filename": long}), json!({"original_name": long})),
        (
            json!({"filename": "../../C:\\me.jpg"}),
            json!({"original_name": "me.jpg"}),
        ),
        (
            json!({"filename": "no extension"}),
            json!({"original_name": "no extension", "extension": "bin"}),
        ),
        (json!({"content_type": typed}), json!({"mime_type": typed})),
        (
            json!({"content_type": "text/plain; charset=utf-8"}),
            json!({"mime_type": "text/plain"}),
        ),
        (
            json!({"content_type": "IMAGE/JPEG"}),
            json!({"mime_type": "image/jpeg"}),
        ),
        (json!({"size": 1}), json!({"size": 1})),
        (json!({"size": MOST_BYTES}), json!({"size": MOST_BYTES})),
        (
            json!({"ref": "x".repeat(255)}),
            json!({"ref": "x".repeat(255)}),
        ),
        (
            json!({"ref": null, "upload_config": null, "extra": 1}),
            json!({"ref": null, "tags": []}),
        ),
        (
            json!({"space": format!(" {} ", acme.handle)}),
            json!({"space_id": acme.id}),
        ),
        (
            json!({"upload_config": "second"}),
            json!({"upload_config_id": id, "tags": ["a"]}),
        ),
        (
            json!({"upload_config": id.to_lowercase()}),
            json!({"upload_config_id": id, "tags": ["a"]}),
        ),
    ] {
        let pending_file = PendingFile::create(&acme, fields.clone()).await;
        let pending = acme.client.get(&pending_file.address()).await.expect_ok();
        assert_eq!(pending["status"], "pending");
        for (field, value) in shown.as_object().expect("an object") {
            assert_eq!(&pending[field], value, "{fields}");
        }
        let declared_type = presign_body(&acme, fields)["content_type"].clone();
        assert_eq!(
            pending_file.response["headers"],
            json!({"content-type": declared_type})
        );
    }

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn presign_rejects_declared_values_that_break_config(stack: &Stack) {
    let acme = stack.space("Acme").await;
    acme.upload_config("small")
        .with_settings(json!({"validation": {"max_file_size": 10}}))
        .await;
    acme.upload_config("programs")
        .with_settings(json!({"validation": {"allowed_formats": ["exe"]}}))
        .await;
    let signed = json!({"space_id": acme.id, "name": "signed", "is_signed": true});
    acme.client
        .post("/upload-configs", signed)
        .await
        .expect_created();

    let too_large = json!({"upload_config": "small", "size": 11, "filename": "a.exe"});
    let errors = acme
        .client
        .post("/upload/presign", presign_body(&acme, too_large))
        .await
        .expect_error(422);
    let size = sentence("size", "must not be greater than 10 bytes");
    assert_eq!(
        errors,
        json!({"size": size, "filename": sentence("filename", "must not be an executable file")})
    );
    PendingFile::create(&acme, json!({"upload_config": "small", "size": 10})).await;
    PendingFile::create(
        &acme,
        json!({"upload_config": "programs", "filename": "setup.exe"}),
    )
    .await;

    // A config that takes signed uploads alone takes announced ones as well.
    let pending_file = PendingFile::create(&acme, json!({"upload_config": "signed"})).await;
    pending_file.send(stack, PHOTO).await.expect_status(200);
    assert_eq!(
        pending_file.confirm(&acme.client).await.expect_ok()["status"],
        "active"
    );
    let directly =
        form(&acme.handle, "photo.jpg", "image/jpeg", PHOTO).text("upload_config", "signed");
    acme.client.upload(directly).await.expect_error(403);
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn presign_requires_upload_permission_and_enabled_space(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let user = acme.role("user").await;
    let viewer = acme.role("viewer").await;
    let presign = async |client: &Client| {
        client
            .post("/upload/presign", presign_body(&acme, json!({})))
            .await
    };

    presign(&user).await.expect_status(201);
    assert_eq!(presign(&viewer).await.expect_error(403), json!({}));
    assert_eq!(presign(&stack.anonymous).await.expect_error(401), json!({}));

    let space = format!("/spaces/{}", acme.id);
    acme.client
        .put(&space, json!({"name": "Acme", "enabled": false}))
        .await
        .expect_ok();

    let before = stack.dump().await;
    for client in [&user, &acme.client, &stack.account()] {
        assert_eq!(presign(client).await.expect_error(403), json!({}));
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "announcements to a disabled space");
    acme.client
        .put(&space, json!({"name": "Acme", "enabled": true}))
        .await
        .expect_ok();

    presign(&user).await.expect_status(201);

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn replayed_presign_returns_same_file_and_new_url(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let first = named(&acme, "one", json!({})).await.expect_status(201);
    assert!(!first.headers.contains_key("idempotent-replayed"));
    let first = PendingFile {
        response: first.json(),
    };
    let before = stack.dump().await;
    stack.clock.advance(minutes(40));
    let again = named(&acme, " one ", json!({})).await;
    assert_eq!(
        (again.status, again.header("idempotent-replayed")),
        (201, "true")
    );
    let again = PendingFile {
        response: again.json(),
    };
    assert_ne!(again.url(), first.url());
    for field in ["file_id", "object_key", "headers"] {
        assert_eq!(again.response[field], first.response[field], "{field}");
    }
    // The file is looked after as it was announced first.
    assert_eq!(
        (&first.response["expires_in"], &again.response["expires_in"]),
        (&json!(3_600), &json!(1_200))
    );
    stack
        .dump()
        .await
        .assert_unchanged(&before, "an announcement that was made before");
    let errors = named(&acme, "one", json!({"size": 5}))
        .await
        .expect_error(422);
    let message = "The idempotency key field was already used for a request with another payload.";
    assert_eq!(errors, json!({"idempotency_key": [message]}));

    again.send(stack, PHOTO).await.expect_status(200);
    let active = again.confirm(&acme.client).await.expect_ok();
    assert_eq!(active["id"], first.response["file_id"]);
    // A file that is active long since is not announced anew.
    let before = stack.dump().await;
    assert_eq!(
        named(&acme, "one", json!({}))
            .await
            .expect_status(201)
            .json()["file_id"],
        first.response["file_id"]
    );
    stack
        .dump()
        .await
        .assert_unchanged(&before, "an announcement of an active file");
    stack.clock.advance(minutes(20));
    assert!(named(&acme, "one", json!({})).await.expect_error(409)["idempotency_key"].is_array());
    assert_ne!(
        named(&acme, "two", json!({}))
            .await
            .expect_status(201)
            .json()["file_id"],
        first.response["file_id"]
    );
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn replayed_presign_of_rejected_file_reports_it(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let fields = json!({"size": 4});
    let pending_file = PendingFile {
        response: named(&acme, "one", fields.clone())
            .await
            .expect_status(201)
            .json(),
    };

    pending_file.send(stack, b"text").await.expect_status(200);
    pending_file.confirm(&acme.client).await.expect_error(422);
    assert!(named(&acme, "one", fields).await.expect_error(409)["idempotency_key"].is_array());

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn concurrent_presigns_with_one_key_create_one_file(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let responses = join_all((0..CALLERS).map(|_| named(&acme, "one", json!({})))).await;
    let last = named(&acme, "one", json!({}))
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
        .filter(|((_, sort), item)| sort.starts_with("FILE#") && item["status"] == "pending");

    assert_eq!((pending.count(), dump.files_with_bytes().len()), (1, 0));

    stack.run_confirm_checks().await;
}
