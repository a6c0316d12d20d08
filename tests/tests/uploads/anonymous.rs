//! The view that anonymous uploaders get of their files, and their limits.

use serde_json::{Value, json};
use tests::{
    PHOTO, Stack, StackOptions, TestSpace, assert_fields, minutes, seconds, stack_test, text,
};

use super::{
    presign::PendingFile,
    routes::{PRESIGNED, Route, Uploads, WITHOUT_KEY, assert_rejected},
    unsigned::UnsignedConfig,
};

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

#[stack_test(undrained)]
async fn anonymous_uploads_and_confirmations_return_the_anonymous_view(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({"metadata": {"tags": ["internal"]}})).await;

    for route in WITHOUT_KEY {
        let upload = uploads.photo(route).with(&[("ref", "order 7")]);
        let response = upload.finish().await;
        let view = response.json()["data"].clone();
        let record = uploads.record(response).await;

        let mut fields: Vec<&String> = view.as_object().expect("an object").keys().collect();
        fields.sort();
        assert_eq!(fields, FIELDS, "{route:?}");
        assert_eq!(view["status"], "active");
        for field in FIELDS {
            assert_eq!(view[field], record[field], "{field}");
        }
        assert_eq!(stack.anonymous.fetch(&text(&view["url"])).await.body, PHOTO);

        // A key confirms with the whole record.
        if PRESIGNED.contains(&route) {
            let path = format!("/upload/confirm/{}", text(&view["id"]));
            assert_eq!(uploads.acme().post_ok(&path, json!({})).await, record);
        }
    }
}

#[stack_test(undrained)]
async fn confirmation_by_token_hides_later_changes(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::new(stack, acme, "open", json!({})).await;
    let pending_file = unsigned.pending(json!({})).await;
    let path = pending_file.address();

    // Changes before the confirmation apply.
    let guest = json!({"original_name": "guest.jpg"});
    acme.put_ok(&path, guest).await;
    pending_file.put(stack, PHOTO).await;
    let first = pending_file.confirm_by_token(stack).await.expect_ok();
    assert_eq!(first["original_name"], "guest.jpg");

    for change in [
        json!({"original_name": "Fraud by Jane Doe.jpg"}),
        json!({"type": "private"}),
        json!({"original_name": "guest.jpg", "type": "authenticated", "tags": ["internal"], "ref": "internal"}),
    ] {
        acme.put_ok(&path, change.clone()).await;
        let again = pending_file.confirm_by_token(stack).await;
        assert_eq!(again.expect_ok(), first, "{change}");
    }

    let changed = json!({"type": "authenticated", "tags": ["internal"]});
    assert_fields(&acme.get_ok(&path).await, changed);
}

#[stack_test(undrained)]
async fn anonymous_pending_files_are_limited_to_50_mb_by_default(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;
    let presign = async |route: Route, size: u64| {
        let declared = json!({ "size": size });
        match route {
            Route::SignedPresign => {
                let query = uploads.signer.query(stack);
                uploads.signer.presign(&query, declared).await
            }
            Route::UnsignedPresign => uploads.unsigned.presign(declared).await,
            _ => {
                let body = super::presign::presign_body(uploads.acme(), declared);
                uploads.acme().post("/upload/presign", body).await
            }
        }
    };
    let too_large = |max: u64| format!("must not be greater than {max} bytes");

    for route in [Route::SignedPresign, Route::UnsignedPresign] {
        let rejected = presign(route, ANONYMOUS_FILE_BYTES + 1).await;
        assert_rejected(rejected, &too_large(ANONYMOUS_FILE_BYTES));
        let accepted = presign(route, ANONYMOUS_FILE_BYTES).await;
        accepted.expect_status(201);
    }
    let with_key = presign(Route::Presign, ANONYMOUS_FILE_BYTES + 1).await;
    with_key.expect_status(201);

    let larger = json!({"validation": {"max_file_size": ANONYMOUS_FILE_BYTES + 1}});
    uploads.set_rules(larger).await;
    for route in [Route::SignedPresign, Route::UnsignedPresign] {
        let accepted = presign(route, ANONYMOUS_FILE_BYTES + 1).await;
        accepted.expect_status(201);
        let rejected = presign(route, ANONYMOUS_FILE_BYTES + 2).await;
        assert_rejected(rejected, &too_large(ANONYMOUS_FILE_BYTES + 1));
    }
}

#[stack_test(options = StackOptions::default().with_parameters(&[("UnsignedUploadsPerHour", "2")]), undrained)]
async fn hourly_limit_defaults_to_template_parameter(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let unsigned = UnsignedConfig::new(stack, &acme, "open", json!({})).await;
    let configured = UnsignedConfig::with_hourly_limit(stack, &acme, "stated", 3).await;

    unsigned.send().await.expect_created();
    unsigned.pending(json!({})).await;
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
    let pending_file = unsigned.pending(json!({})).await;
    pending_file.put(stack, PHOTO).await;

    stack.clock.advance(minutes(119) + seconds(59));
    pending_file.confirm_by_token(stack).await.expect_ok();
    stack.clock.advance(seconds(1));
    let late = pending_file.confirm_by_token(stack).await;

    let message = "The confirm token has expired. Create a new presigned upload.";
    assert_eq!(late.json()["message"], message);
    assert_eq!(late.expect_error(403), json!({}));
}

#[stack_test(undrained)]
async fn urls_are_null_while_a_file_is_pending(stack: &Stack, acme: &TestSpace) {
    let pending_file = PendingFile::create(acme, json!({})).await;
    let id = pending_file.id();
    let path = pending_file.address();
    let record = acme.get_ok(&path).await;
    assert_fields(&record, json!({"status": "pending", "url": null}));

    let list = acme.get_ok(&format!("/files?space_id={}", acme.id)).await;
    assert_eq!(list[0]["url"], Value::Null);
    let urls = acme.post_ok("/files/urls", json!({"file_ids": [id]})).await;
    assert_eq!(urls, json!([{"id": id, "url": null}]));
    let signed = acme.post_ok(&format!("{path}/signed-url"), json!({})).await;
    assert_eq!(signed["url"], Value::Null);
    // A record may be sent back whole.
    assert_eq!(acme.put_ok(&path, record.clone()).await["url"], Value::Null);

    pending_file.put(stack, PHOTO).await;
    let active = pending_file.confirm(&acme.client).await.expect_ok();
    let url = format!(
        "{}/{}",
        stack.local.cdn_url(),
        text(&record["storage_path"])
    );
    assert_eq!(active["url"], url);
}
