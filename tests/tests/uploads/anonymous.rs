//! The view that anonymous uploaders get of their files, and their limits.

use serde_json::{Value, json};
use tests::{
    Client, PHOTO, Response, Stack, StackOptions, TestSpace, minutes, seconds, stack_test, text,
};

use super::unsigned::{UnsignedConfig, form, photo};
use crate::support::signer::Signer;

/// Fields of the anonymous view, sorted.
const FIELDS: [&str; 10] = [
    "created_at",
    "id",
    "mime_type",
    "name",
    "original_name",
    "resource_type",
    "size",
    "status",
    "type",
    "url",
];
/// Maximum size of an anonymous file whose config sets none, in bytes.
const ANONYMOUS_FILE_BYTES: u64 = 50 << 20;

#[track_caller]
fn expect_anonymous_view(view: &Value) {
    let mut fields: Vec<&String> = view.as_object().expect("an object").keys().collect();
    fields.sort();
    assert_eq!(fields, FIELDS);
}

pub(super) async fn put(stack: &Stack, pending_file: &Value, bytes: impl Into<Vec<u8>>) {
    let request = stack
        .anonymous
        .request("PUT", &text(&pending_file["upload_url"]));
    let request = request.header(
        "content-type",
        text(&pending_file["headers"]["content-type"]),
    );

    stack
        .anonymous
        .send(request.body(bytes.into()))
        .await
        .expect_status(200);
}

pub(super) async fn confirm(stack: &Stack, pending_file: &Value) -> Response {
    let path = format!("/upload/confirm/{}", text(&pending_file["file_id"]));
    stack
        .anonymous
        .post(
            &path,
            json!({"confirm_token": pending_file["confirm_token"]}),
        )
        .await
}

async fn record(client: &Client, view: &Value) -> Value {
    client
        .get_ok(&format!("/files/{}", text(&view["id"])))
        .await
}

#[stack_test(undrained)]
async fn anonymous_uploads_and_confirmations_return_the_anonymous_view(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({"metadata": {"tags": ["internal"]}})).await;
    let unsigned = UnsignedConfig::new(stack, &signer.acme, "open", json!({})).await;
    let signed_query = signer.query(stack);
    let pending_file = [
        unsigned
            .presign(json!({"ref": "order 7"}))
            .await
            .expect_status(201)
            .json(),
        signer
            .presign(&signed_query, json!({"ref": "order 7"}))
            .await
            .expect_status(201)
            .json(),
    ];
    let mut views = vec![
        unsigned
            .send_form(form(photo()).text("ref", "order 7"))
            .await
            .expect_created(),
        signer.send(&signed_query).await.expect_created(),
    ];

    for pending_file in &pending_file {
        put(stack, pending_file, PHOTO).await;
        views.push(confirm(stack, pending_file).await.expect_ok());
    }

    for view in &views {
        expect_anonymous_view(view);
        assert_eq!(
            (&view["status"], &view["original_name"]),
            (&json!("active"), &json!("photo.jpg"))
        );
        let record = record(&signer.acme.client, view).await;
        for field in FIELDS {
            assert_eq!(view[field], record[field], "{field}");
        }
        assert_eq!(stack.anonymous.fetch(&text(&view["url"])).await.body, PHOTO);
    }

    // A key confirms with the whole record.
    let path = format!("/upload/confirm/{}", text(&pending_file[0]["file_id"]));
    assert_eq!(
        signer.acme.post_ok(&path, json!({})).await,
        record(&signer.acme.client, &views[2]).await
    );
}

#[stack_test(undrained)]
async fn confirmation_by_token_hides_later_changes(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::new(stack, acme, "open", json!({})).await;
    let pending_file = unsigned.presign(json!({})).await.expect_status(201).json();
    let path = format!("/files/{}", text(&pending_file["file_id"]));

    // Changes before the confirmation apply.
    acme.put_ok(&path, json!({"original_name": "guest.jpg"}))
        .await;
    put(stack, &pending_file, PHOTO).await;

    let first = confirm(stack, &pending_file).await.expect_ok();
    assert_eq!(first["original_name"], "guest.jpg");

    for change in [
        json!({"original_name": "Fraud by Jane Doe.jpg"}),
        json!({"type": "private"}),
        json!({"original_name": "guest.jpg", "type": "authenticated", "tags": ["internal"], "ref": "internal"}),
    ] {
        acme.put_ok(&path, change.clone()).await;
        assert_eq!(
            confirm(stack, &pending_file).await.expect_ok(),
            first,
            "{change}"
        );
    }

    let changed = acme.get_ok(&path).await;
    assert_eq!(
        (&changed["type"], &changed["tags"]),
        (&json!("authenticated"), &json!(["internal"]))
    );
}

#[stack_test(undrained)]
async fn anonymous_pending_files_are_limited_to_50_mb_by_default(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let acme = &signer.acme;
    let unsigned = UnsignedConfig::new(stack, acme, "open", json!({})).await;
    let larger = json!({"config": {"validation": {"max_file_size": ANONYMOUS_FILE_BYTES + 1}}});
    let wide = UnsignedConfig::new(stack, acme, "wide", larger).await;
    let too_large = json!({"size": ANONYMOUS_FILE_BYTES + 1});
    let errors = json!({"size": [format!("The size field must not be greater than {ANONYMOUS_FILE_BYTES} bytes.")]});

    assert_eq!(
        unsigned.presign(too_large.clone()).await.expect_error(422),
        errors
    );
    assert_eq!(
        signer
            .presign(&signer.query(stack), too_large.clone())
            .await
            .expect_error(422),
        errors
    );

    unsigned
        .presign(json!({"size": ANONYMOUS_FILE_BYTES}))
        .await
        .expect_status(201);
    wide.presign(too_large.clone()).await.expect_status(201);
    wide.presign(json!({"size": ANONYMOUS_FILE_BYTES + 2}))
        .await
        .expect_error(422);

    let mut with_key = json!({"space": acme.handle, "filename": "a.bin", "content_type": "application/octet-stream"});
    with_key["size"] = too_large["size"].clone();
    acme.post("/upload/presign", with_key)
        .await
        .expect_status(201);
}

#[stack_test(options = StackOptions::default().with_parameters(&[("UnsignedUploadsPerHour", "2")]), undrained)]
async fn hourly_limit_defaults_to_template_parameter(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let unsigned = UnsignedConfig::new(stack, &acme, "open", json!({})).await;
    let configured = UnsignedConfig::with_hourly_limit(stack, &acme, "stated", 3).await;

    unsigned.send().await.expect_created();
    unsigned.presign(json!({})).await.expect_status(201);
    unsigned.send().await.expect_created();
    unsigned.send().await.expect_error(429);
    unsigned.presign(json!({})).await.expect_error(429);
    for _ in 0..3 {
        configured.send().await.expect_created();
    }
    configured.send().await.expect_error(429);

    stack.clock.advance(minutes(60));
    unsigned.send().await.expect_created();
}

#[stack_test(undrained)]
async fn confirm_token_expires_an_hour_after_presigned_url(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::new(stack, acme, "open", json!({})).await;
    let pending_file = unsigned.presign(json!({})).await.expect_status(201).json();
    put(stack, &pending_file, PHOTO).await;

    stack.clock.advance(minutes(119) + seconds(59));
    let first = confirm(stack, &pending_file).await.expect_ok();
    stack.clock.advance(seconds(1));
    let late = confirm(stack, &pending_file).await;

    assert_eq!(
        late.json()["message"],
        "The confirm token has expired. Create a new presigned upload."
    );
    assert_eq!(late.expect_error(403), json!({}));
    assert_eq!(record(&acme.client, &first).await["status"], "active");
}

#[stack_test(undrained)]
async fn urls_are_null_while_a_file_is_pending(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::new(stack, acme, "open", json!({})).await;
    let pending_file = unsigned
        .presign(json!({"ref": "order 7"}))
        .await
        .expect_status(201)
        .json();
    let id = text(&pending_file["file_id"]);
    let path = format!("/files/{id}");
    let record = acme.get_ok(&path).await;
    assert_eq!(
        (&record["status"], &record["url"]),
        (&json!("pending"), &Value::Null)
    );

    let list = acme
        .fetch(&format!("/files?space_id={}", acme.id))
        .await
        .json();
    assert_eq!(list["data"][0]["url"], Value::Null);

    let urls = acme
        .post("/files/urls", json!({"file_ids": [id]}))
        .await
        .expect_status(200)
        .json();
    assert_eq!(urls["data"], json!([{"id": id, "url": null}]));
    assert_eq!(
        acme.post_ok(&format!("{path}/signed-url"), json!({})).await["url"],
        Value::Null
    );

    // A record may be sent back whole.
    assert_eq!(acme.put_ok(&path, record.clone()).await["url"], Value::Null);

    put(stack, &pending_file, PHOTO).await;
    let url = text(&confirm(stack, &pending_file).await.expect_ok()["url"]);
    assert_eq!(
        url,
        format!(
            "{}/{}",
            stack.local.cdn_url(),
            text(&record["storage_path"])
        )
    );
}
